import type { EffectResult, TurnProcess } from "../drivers/index.ts";
import type { EffectScene, Effects } from "./effects.ts";
import { recordOutput } from "./output-recorder.ts";

/** A process beside the turn, under the ledger like everything else. */
export async function startTurnProcess(
  scene: EffectScene,
  effects: Effects,
  argv: readonly string[],
): Promise<TurnProcess> {
  const begun = await effects.begin("process", { argv: [...argv] }, `command/${argv[0] ?? ""}`, "failed");
  if ("refused" in begun) throw Object.assign(new Error(begun.refused.message ?? "refused"), { code: "denied" });
  const { effectId } = begun;
  const process = spawned();
  const listeners: { push: (piece: { stream: "stdout" | "stderr"; text: string } | null) => void }[] = [];
  const pieces: { stream: "stdout" | "stderr"; text: string }[] = [];
  let over = false;

  function spawned() {
    try {
      return scene.spawn(argv, "pipe");
    } catch (thrown) {
      void effects.settle(effectId, "failed", null, thrown instanceof Error ? thrown.message : String(thrown));
      throw thrown;
    }
  }
  const finish = async (): Promise<EffectResult> => {
    const show = (stream: "stdout" | "stderr", text: string) => {
      scene.show(stream, text);
      pieces.push({ stream, text });
      if (pieces.length > PIECES_KEPT) pieces.shift();
      for (const listener of listeners) listener.push({ stream, text });
    };
    const output = await recordOutput(
      process,
      {
        show,
        record: (stream, text) => effects.record(effectId, stream, text),
      },
      scene.clock,
    );
    over = true;
    for (const listener of listeners) listener.push(null);
    const { exitCode } = await process.exited;
    const outcome = exitCode === 0 ? "done" : "failed";
    await effects.settle(effectId, outcome, exitCode, null);
    return { effectId, outcome, exitCode, output, message: null };
  };
  const finished = finish();
  finished.catch(() => undefined);

  return {
    effectId,
    write: async (text) => process.stdin?.write(text),
    closeInput: () => process.closeStdin(),
    output: { [Symbol.asyncIterator]: () => follow(pieces, listeners, () => over) },
    wait: () => finished,
    cancel: async () => {
      await process.stop({ graceMs: CANCEL_GRACE_MS });
      await finished.catch(() => undefined);
    },
  };
}

const PIECES_KEPT = 1024;
const CANCEL_GRACE_MS = 1000;

type Piece = { stream: "stdout" | "stderr"; text: string };

/** What was printed so far, then what comes, until the process has ended. */
async function* follow(
  past: readonly Piece[],
  listeners: { push: (piece: Piece | null) => void }[],
  over: () => boolean,
): AsyncGenerator<Piece> {
  const queue: (Piece | null)[] = [...past];
  let wake: () => void = () => undefined;
  listeners.push({
    push: (piece) => {
      queue.push(piece);
      wake();
    },
  });
  while (true) {
    const next = queue.shift();
    if (next === null) return;
    if (next !== undefined) yield next;
    else if (over()) return;
    else await new Promise<void>((resolve) => (wake = resolve));
  }
}
