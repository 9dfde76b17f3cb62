import { shellQuoted } from "../../host/index.ts";
import type { EffectResult, TurnProcess } from "../effects.ts";
import type { EffectScene, Effects } from "./effect-ledger.ts";
import { recordOutput } from "./output-recorder.ts";

/** A process beside the turn, under the ledger like everything else. */
export async function startTurnProcess(
  scene: EffectScene,
  effects: Effects,
  argv: readonly string[],
): Promise<TurnProcess> {
  const about = { resource: `command/${argv[0] ?? ""}`, shown: argv.map(shellQuoted).join(" ") };
  const begun = await effects.begin("process", { argv: [...argv] }, about, "failed");
  if ("refused" in begun) throw Object.assign(new Error(begun.refused.message ?? "refused"), { code: "denied" });
  const { effectId } = begun;
  const process = await spawned();
  const printed = createPrinted();

  async function spawned() {
    try {
      return scene.spawn(argv, "pipe");
    } catch (thrown) {
      await effects.settle(effectId, "failed", null, thrown instanceof Error ? thrown.message : String(thrown));
      throw thrown;
    }
  }
  const finish = async (): Promise<EffectResult> => {
    const show = (stream: "stdout" | "stderr", text: string): Promise<void> => {
      scene.show(stream, text);
      return printed.add({ stream, text });
    };
    const record = (stream: "stdout" | "stderr", text: string) => effects.record(effectId, stream, text);
    const output = await recordOutput(process, { show, record }, scene.clock).finally(printed.end);
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
    output: { [Symbol.asyncIterator]: printed.take },
    wait: () => finished,
    cancel: async () => {
      printed.end();
      await process.stop({ graceMs: CANCEL_GRACE_MS });
      await finished.catch(() => undefined);
    },
  };
}

const PIECES_KEPT = 64;
const CANCEL_GRACE_MS = 1000;

interface Piece {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

/**
 * What a process prints, for one reader. As long as nobody has begun to read, only the last pieces are kept; from then on
 * nothing is lost, and a reader that is slow holds up the process.
 */
function createPrinted() {
  let pieces: Piece[] = [];
  let isRead = false;
  let over = false;
  let news = Promise.withResolvers<void>();
  let room = Promise.withResolvers<void>();
  const end = (): void => {
    over = true;
    news.resolve();
    room.resolve();
  };
  return {
    end,
    add: async (piece: Piece): Promise<void> => {
      pieces.push(piece);
      news.resolve();
      if (!isRead) pieces = pieces.slice(-PIECES_KEPT);
      while (isRead && !over && pieces.length >= PIECES_KEPT) await room.promise;
    },
    take: async function* (): AsyncGenerator<Piece> {
      isRead = true;
      while (true) {
        const piece = pieces.shift();
        if (piece !== undefined) {
          room.resolve();
          room = Promise.withResolvers<void>();
          yield piece;
        } else if (over) return;
        else {
          await news.promise;
          news = Promise.withResolvers<void>();
        }
      }
    },
  };
}
