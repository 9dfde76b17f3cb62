import type { FromEngine } from "../link/protocol.ts";

/** Text of one session is gathered for this long: hundreds of sessions may stream at once. */
const GATHER_MS = 15;

type Gathered = Pick<Extract<FromEngine, { readonly kind: "stream" }>, "text" | "of">;

/** Writes lines in order. Pieces of streamed text are gathered, except for the first of a pause, which goes at once. */
export function createSender(write: (text: string) => void) {
  const gathered = new Map<number, Gathered>();
  let timer: NodeJS.Timeout | null = null;
  let quietSince = 0;

  const line = (message: FromEngine): void => write(`${JSON.stringify(message)}\n`);
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    for (const [run, piece] of gathered) line({ kind: "stream", run, ...piece });
    gathered.clear();
    quietSince = performance.now();
  };
  return {
    send: (message: FromEngine): void => {
      if (message.kind !== "stream") {
        // What was streamed before is heard before.
        if (gathered.size > 0) flush();
        line(message);
        return;
      }
      const { run, text, of } = message;
      const before = gathered.get(run);
      // Where a thought ends and the answer begins, each is a piece of its own.
      if (before !== undefined && before.of !== of) flush();
      gathered.set(run, { text: before?.of === of ? before.text + text : text, of });
      if (timer !== null) return;
      if (performance.now() - quietSince > GATHER_MS) flush();
      else timer = setTimeout(flush, GATHER_MS);
    },
  };
}
