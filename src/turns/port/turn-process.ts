import { shellQuoted } from "../../host/index.ts";
import type { EffectResult, OutputPiece, ProcessPlace, TurnProcess } from "../effects.ts";
import type { EffectLedger, EffectScene } from "./effect-ledger.ts";
import { wholeOutput } from "./effect-output.ts";
import { recordOutput } from "./output-recorder.ts";

/** A process beside the turn, recorded in the effect ledger. */
export async function startTurnProcess(
  scene: EffectScene,
  effects: EffectLedger,
  argv: readonly string[],
  { as, ...place }: ProcessPlace = {},
): Promise<TurnProcess> {
  const about = as ?? { kind: "process", resource: `command/${argv[0] ?? ""}`, shown: argv.map(shellQuoted).join(" ") };
  const begun = await effects.begin({
    ...place,
    detail: about.kind === "run" ? { command: about.shown } : { argv: [...argv] },
    ...about,
    redo: about.kind === "process" ? "failed" : "ask",
    preview: async () => ({ command: about.shown }),
  });
  if ("over" in begun && begun.over.outcome === "refused")
    throw Object.assign(new Error(begun.over.message ?? "refused"), { code: "denied" });
  if ("over" in begun) return pastProcess(scene, begun.over, begun.seq);
  const { effectId } = begun;
  const { print, bytes } = effects.printer(effectId);
  const process = await spawned();
  const printed = createPrinted();

  async function spawned() {
    try {
      return scene.spawn(argv, "pipe", await scene.commandVariables());
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
    const { redactor } = scene.committer;
    const output = await recordOutput(process, { show, record: print }, scene.clock, redactor).finally(printed.end);
    const { exitCode } = await process.exited;
    const outcome = exitCode === 0 ? "done" : "failed";
    await effects.settle(effectId, outcome, exitCode, null);
    return { effectId, outcome, exitCode, output, outputBytes: bytes(), message: null };
  };
  const finished = finish();
  finished.catch(() => undefined);

  return {
    effectId,
    pids: () => process.mark().map(({ pid }) => pid),
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

/** A process of an earlier run that has ended: its output is read from the log. */
function pastProcess(scene: EffectScene, result: EffectResult, seq: number): TurnProcess {
  return {
    effectId: result.effectId,
    pids: () => [],
    write: async () => undefined,
    closeInput: async () => undefined,
    output: { [Symbol.asyncIterator]: () => wholeOutput(scene, result.effectId, seq) },
    wait: async () => result,
    cancel: async () => undefined,
  };
}

/**
 * A process's output, for one reader. Before reading begins only the last pieces are kept; after that nothing is lost,
 * and a slow reader slows the process.
 */
function createPrinted() {
  let pieces: OutputPiece[] = [];
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
    add: async (piece: OutputPiece): Promise<void> => {
      pieces.push(piece);
      news.resolve();
      if (!isRead) pieces = pieces.slice(-PIECES_KEPT);
      while (isRead && !over && pieces.length >= PIECES_KEPT) await room.promise;
    },
    take: async function* (): AsyncGenerator<OutputPiece> {
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
