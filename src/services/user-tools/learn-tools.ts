import type { ToolSession } from "../../turns/index.ts";
import type { DescribedTool } from "./process/protocol.ts";
import type { ToolFile } from "./tool-files.ts";
import { ToolFailure, type ToolProcessDeps, type ToolProcesses } from "./tool-process.ts";

/** What files say of themselves, each in a process of its own, kept by the hash of their bytes. */
export type Learning = (files: readonly ToolFile[], session: ToolSession) => Promise<readonly Description[]>;

export type Description = ({ readonly tool: DescribedTool } | { readonly problem: string }) & {
  /** How long it counts. */
  readonly holdsMs: number;
  readonly isLate: boolean;
};
/** `untilMs` is on the steady clock: then the file is looked at again. */
type Learned = Description & { readonly untilMs: number };

const LEARNED_MAX = 1000;
const LOADS_AT_ONCE = 4;
const PROBLEM_CHARS = 600;
const LESS_OFTEN = 10;
/** A turn waits so many times as long as one file may load, however many files there are. */
const LOADS_WAITED = 2;
const STILL_LOADING: Description = {
  problem: "it is still being loaded: its tool comes with a later turn",
  holdsMs: 0,
  isLate: true,
};

export function createLearning(
  { clock, limits }: Pick<ToolProcessDeps, "clock" | "limits">,
  processes: Pick<ToolProcesses, "describe">,
): Learning {
  const learned = new Map<string, Learned>();
  const loading = new Map<string, Promise<Learned>>();
  const inLane = createLanes(LOADS_AT_ONCE);

  const load = async (key: string, file: ToolFile, session: ToolSession): Promise<Learned> => {
    const known = learned.get(key);
    const found = await inLane(() => describe(processes, file, session));
    const [oldest] = learned.keys();
    if (learned.size >= LEARNED_MAX && oldest !== undefined) learned.delete(oldest);
    // A file that never answers costs its time again and again, so it is tried less and less often.
    const holdsMs =
      known !== undefined && "problem" in found ? Math.max(found.holdsMs, known.holdsMs * LESS_OFTEN) : found.holdsMs;
    const kept = { ...found, holdsMs, untilMs: clock.steadyMs() + holdsMs };
    learned.set(key, kept);
    loading.delete(key);
    return kept;
  };

  const learn = (file: ToolFile, session: ToolSession): Description | Promise<Description> => {
    // What it can load depends on its walls and on what it may import.
    const key = `${file.sha256} ${file.path} ${session.spec.sandbox}`;
    const known = learned.get(key);
    if (known !== undefined && clock.steadyMs() < known.untilMs) return known;
    const running = loading.get(key) ?? load(key, file, session);
    loading.set(key, running);
    // One that did not answer in time is tried again behind the turn: nobody waits for it twice.
    return known?.isLate === true ? known : running;
  };

  return async (files, session) => {
    const late = new AbortController();
    const waiting = clock.sleep(LOADS_WAITED * limits().loadMs, late.signal).then(() => STILL_LOADING);
    // It is aborted when everything was there in time.
    waiting.catch(() => undefined);
    try {
      return await Promise.all(files.map((file) => Promise.race([learn(file, session), waiting])));
    } finally {
      late.abort();
    }
  };
}

async function describe(
  processes: Pick<ToolProcesses, "describe">,
  file: ToolFile,
  { sessionId, spec }: ToolSession,
): Promise<Description> {
  try {
    const tool = await processes.describe(file, { sessionId, spec, signal: null });
    return { tool, holdsMs: Number.POSITIVE_INFINITY, isLate: false };
  } catch (thrown) {
    const said = thrown instanceof Error ? thrown.message : String(thrown);
    // Another error is the machine's, such as too many processes, and not the file's.
    const { holdsMs, isLate } = thrown instanceof ToolFailure ? thrown : { holdsMs: 0, isLate: false };
    return { problem: withoutFrames(said), holdsMs, isLate };
  }
}

/** Where in Node or in Nomos an error was thrown helps nobody who wrote the file. */
function withoutFrames(said: string): string {
  const lines = said.split("\n").filter((line) => !/^\s+at /.test(line));
  return lines
    .join("\n")
    .replace(/^Error: /, "")
    .trim()
    .slice(0, PROBLEM_CHARS);
}

/** So many at a time: each is a process of its own. */
function createLanes(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let active = 0;
  return async (work) => {
    if (active < max) active += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The lane goes from one to the next, so that nobody who comes in between takes it.
      if (next === undefined) active -= 1;
      else next();
    }
  };
}
