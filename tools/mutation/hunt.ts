import { type Cost, NEVER_ENDS, type Planned, type Report } from "./in-copy/mutant-runner.ts";
import type { TestSession } from "./test-session.ts";

/** What one test file reaches, from a run without a mutant. */
export interface Reach {
  readonly file: string;
  readonly ms: number;
  /** Reached while the file loads or in hooks around several tests. */
  readonly early: ReadonlySet<number>;
  readonly tests: readonly ({ readonly name: string; readonly reached: readonly number[] } & Cost)[];
  /** It fails without any mutant, so it can notice nothing. */
  readonly failed: boolean;
}

export interface Kill {
  readonly mutant: number;
  readonly by: string;
  readonly why: string;
}

const SILENCE_AT_FIRST_MS = 180_000;
const GRACE_MS = 3_000;
const SLOWER = 6;
const BROKE_OFF = "the run broke off or did not end";
/** How often a run that took too long is compared with one without the mutant. */
const SLOW_TRIES = 3;
const BROKEN_TRIES = 3;

export async function recordReach(session: TestSession, file: string): Promise<Reach> {
  const startedMs = performance.now();
  const lines = await session.run(file, { do: "record" }, SILENCE_AT_FIRST_MS);
  const end = lines.find((line) => line.at === "file");
  return {
    file,
    ms: performance.now() - startedMs,
    early: new Set(end?.reached),
    tests: lines.filter((line) => line.at === "test"),
    failed: end === undefined || end.failed,
  };
}

/**
 * Runs tests of a file, those that take so long, for every living mutant they reach. A run that breaks off goes on in a
 * new process. False when it breaks off again and again before it tried one: the machine is too busy to tell.
 */
export async function huntByTests(
  session: TestSession,
  reach: Reach,
  taking: { readonly fromMs: number; readonly toMs: number },
  living: Set<number>,
  note: (kill: Kill) => void,
): Promise<boolean> {
  const tried = new Set<string>();
  let brokeOff = 0;
  for (;;) {
    const tests: Record<string, Planned> = {};
    for (const { name, ms, cpuMs, reached } of reach.tests) {
      if (cpuMs < taking.fromMs || cpuMs >= taking.toMs) continue;
      const mutants = reached.filter((id) => living.has(id) && !tried.has(`${id} ${name}`));
      if (mutants.length > 0) tests[name] = { mutants, timeoutMs: ms * SLOWER + GRACE_MS };
    }
    const silenceMaxMs = Math.max(...Object.values(tests).map(({ timeoutMs }) => timeoutMs)) * 2 + GRACE_MS;
    if (Object.keys(tests).length === 0) return true;
    const lines = await session.run(reach.file, { do: "repeat", tests }, silenceMaxMs);
    const kills = killsIn(lines, reach.file);
    const doubtful = new Set(lines.flatMap((line) => (line.at === "polluted" ? line.doubtful : [])));
    for (const line of lines)
      if (line.at === "try" && !doubtful.has(line.mutant)) tried.add(`${line.mutant} ${line.name}`);
    for (const kill of kills.filter(({ mutant }) => !doubtful.has(mutant))) {
      const isSlow = kill.why === NEVER_ENDS || kill.why === BROKE_OFF;
      if (isSlow && (await huntByFile(session, reach, kill.mutant)) === null) continue;
      living.delete(kill.mutant);
      note(kill);
    }
    if (lines.some((line) => line.at === "done") && !lines.some((line) => line.at === "polluted")) return true;
    if (lines.some((line) => line.at === "try")) continue;
    brokeOff += 1;
    if (brokeOff === BROKEN_TRIES) return false;
  }
}

/** Runs a whole file with the mutant on from its start. */
export async function huntByFile(session: TestSession, reach: Reach, mutant: number): Promise<Kill | null> {
  let { ms } = reach;
  for (let tries = 1; ; tries += 1) {
    const lines = await session.run(reach.file, { do: "whole", mutant }, ms * 2 + GRACE_MS * 3);
    const kill = lines.find((line) => line.at === "killed");
    if (kill !== undefined) return { mutant, by: `${reach.file}: ${kill.name}`, why: kill.why };
    if (lines.some((line) => line.at === "done")) return null;
    // On a machine that has become busy the file takes as long without the mutant.
    const nowMs = await msWithout(session, reach.file);
    if (nowMs <= ms || tries === SLOW_TRIES) return { mutant, by: reach.file, why: BROKE_OFF };
    ms = nowMs * 2;
  }
}

async function msWithout(session: TestSession, file: string): Promise<number> {
  const startedMs = performance.now();
  await session.run(file, { do: "whole", mutant: 0 }, SILENCE_AT_FIRST_MS);
  return performance.now() - startedMs;
}

/** A try without a verdict in a run that broke off: the mutant ended the process, or never ended itself. */
function killsIn(lines: readonly Report[], file: string): readonly Kill[] {
  const kills: Kill[] = [];
  for (const line of lines)
    if (line.at === "killed") kills.push({ mutant: line.mutant, by: `${file}: ${line.name}`, why: line.why });
  const last = lines.findLast((line) => line.at === "try" || line.at === "killed" || line.at === "polluted");
  const isDone = lines.some((line) => line.at === "done");
  if (!isDone && last?.at === "try") kills.push({ mutant: last.mutant, by: `${file}: ${last.name}`, why: BROKE_OFF });
  return kills;
}
