import { HostError, type HostProcess, shellQuoted } from "../../host/index.ts";
import type { CallPlace, FileRange, Looked, LookLimits, TurnEffects } from "../effects.ts";
import { outOfScope } from "../permission/ground.ts";
import type { EffectLedger, EffectScene } from "./effect-ledger.ts";

const READ = "read";
const VERB = `tool.${READ}`;

/** What a turn reads. The gate judges each; only what a person is asked about goes into the ledger. */
export function createReads(
  scene: EffectScene,
  ledger: EffectLedger,
): Pick<TurnEffects, "readRange" | "look" | "outOfScope"> {
  /** Does it if the gate lets it through, asks a person where the gate asks, and throws `denied` otherwise. */
  const allowed = async <T>(resource: string, place: CallPlace, act: () => Promise<T>): Promise<T> => {
    const policy = await scene.toolPolicy(READ);
    const { grants } = await scene.committer.sessionState(scene.sessionId);
    await scene.gate.refresh();
    const tool = { policy, granted: grants.includes(VERB) };
    const { verdict, rules } = scene.gate.decide({ verb: VERB, resource, tool });
    if (verdict === "allow") return act();
    if (verdict === "deny") throw refused((await ledger.deny(VERB, resource, rules)).message);
    let outcome: { readonly value: T } | null = null;
    const order = { ...place, kind: READ, detail: { resource }, resource, shown: shellQuoted(resource), redo: "safe" };
    const { message } = await ledger.effect({ ...order, redo: "safe" }, async () => {
      outcome = { value: await act() };
      return { exitCode: null, output: "", message: null };
    });
    if (outcome === null) throw refused(message);
    return (outcome as { readonly value: T }).value;
  };

  /** Null: there is no such program. */
  const spawned = (argv: readonly string[]): HostProcess | null => {
    try {
      return scene.spawn(argv, "none");
    } catch (thrown) {
      if (thrown instanceof HostError && thrown.code === "program_not_found") return null;
      throw thrown;
    }
  };

  return {
    readRange: (path, from, bytes, place = {}) => {
      const inside = scene.files.place(scene.cwd, path);
      return allowed(
        `path/${inside}`,
        place,
        (): Promise<FileRange> => scene.files.range(scene.cwd, path, from, bytes),
      );
    },
    outOfScope: async (names) => {
      const { widened = [] } = await scene.committer.sessionState(scene.sessionId);
      return outOfScope({ ...scene.ground, widened }, names);
    },
    look: async (argv, limits, place = {}) => {
      // A search sees many files at once, so it cannot be judged file by file.
      if (scene.gate.restricts(VERB, null))
        throw refused((await ledger.deny(VERB, `command/${argv[0] ?? ""}`, ["reading_is_restricted"])).message);
      for (const path of limits.paths ?? []) scene.files.place(scene.cwd, path);
      return allowed("path/.", place, async () => {
        await using process = spawned(argv);
        if (process === null) return NO_PROGRAM;
        // Awaited here: the process is ended when this function returns.
        return await lookedAt(process, limits, (ms, end) => scene.clock.after(ms, end));
      });
    },
  };
}

const NO_PROGRAM: Looked = { exitCode: 127, stdout: "", stderr: "there is no such program", isCut: false };

function refused(message: string | null): Error {
  return Object.assign(new Error(message ?? "refused"), { code: "denied" });
}

async function lookedAt(
  process: HostProcess,
  { bytesMax, timeoutMs }: LookLimits,
  after: (ms: number, end: () => void) => () => void,
): Promise<Looked> {
  const pieces = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let bytes = 0;
  let isCut = false;
  const stop = (): void => {
    isCut = true;
    process.stop({ graceMs: 0 }).catch(() => undefined);
  };
  const cancel = after(timeoutMs, stop);
  try {
    for await (const { stream, bytes: piece } of process.output) {
      if (isCut) continue;
      pieces[stream].push(Buffer.from(piece.subarray(0, bytesMax - bytes)));
      bytes += piece.length;
      if (bytes > bytesMax) stop();
    }
    const { exitCode, failure } = await process.exited;
    if (failure !== undefined) throw failure;
    const text = (stream: "stdout" | "stderr") => Buffer.concat(pieces[stream]).toString("utf8");
    return { exitCode, stdout: text("stdout"), stderr: text("stderr"), isCut };
  } finally {
    cancel();
  }
}
