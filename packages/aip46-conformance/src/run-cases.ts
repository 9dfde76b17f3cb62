import type { Bench } from "./bench/bench.ts";
import type { Case } from "./cases/case.ts";
import { delegationCases } from "./cases/delegation.ts";
import { recordCases } from "./cases/records.ts";
import { streamCases } from "./cases/streams.ts";
import { mcpCases } from "./cases/tools.ts";
import { createTrial } from "./cases/trial.ts";
import { turnCases } from "./cases/turns.ts";
import { workspaceCases } from "./cases/workspaces.ts";

export const CASES: readonly Case[] = [
  ...recordCases,
  ...turnCases,
  ...streamCases,
  ...mcpCases,
  ...workspaceCases,
  ...delegationCases,
].toSorted((one, other) => one.number - other.number);

export interface Result {
  readonly number: number;
  readonly title: string;
  /** `deviates`: the server declares the deviation, and what it does instead was checked. */
  readonly verdict: "pass" | "fail" | "deviates" | "not run";
  readonly reason: string | null;
  readonly ms: number;
}

/** Why a case is not run, if an option on the command line is missing. */
const ABSENT: Partial<Record<keyof Bench, string>> = {
  restart: "needs --restart COMMAND",
  machine: "needs the server on this machine",
};

const CASE_MAX_MS = 120_000;
/** This case only waits for half a minute, so it runs in parallel with all that do not restart the server. */
const SLOW = 24;

export async function runCases(
  bench: Bench,
  numbers: readonly number[],
  onResult: (result: Result) => void,
): Promise<readonly Result[]> {
  const chosen = CASES.filter(({ number }) => numbers.length === 0 || numbers.includes(number));
  const results: Result[] = [];
  const runOne = async (one: Case): Promise<void> => {
    const result = await judge(bench, one);
    results.push(result);
    onResult(result);
  };
  const slow = chosen.filter(({ number }) => number === SLOW).map(runOne);
  const others = chosen.filter(({ number }) => number !== SLOW);
  for (const one of others.filter((each) => !restarts(each))) await runOne(one);
  await Promise.all(slow);
  for (const one of others.filter(restarts)) await runOne(one);
  return results.toSorted((a, b) => a.number - b.number);
}

/** A restart would end the slow case's stream. */
function restarts({ needs = [] }: Case): boolean {
  return needs.includes("restart");
}

async function judge(bench: Bench, { number, title, run, deviating, needs = [] }: Case): Promise<Result> {
  const startedMs = Date.now();
  const result = (verdict: Result["verdict"], reason: string | null): Result => ({
    number,
    title,
    verdict,
    reason,
    ms: Date.now() - startedMs,
  });
  const missing = needs.filter((need) => bench[need] === null);
  if (missing.length > 0)
    return result("not run", `${missing.map((need) => ABSENT[need] ?? `the server offers no ${need}`).join("; ")}`);
  const differs = bench.deviations.includes(number) || bench.inapplicable.includes(number);
  const work = differs ? deviating : run;
  if (work === undefined)
    return result("fail", "the server says that it deviates, and nothing is known to hold instead");
  const trial = createTrial(bench);
  try {
    await withinTime(work(trial));
    return result(differs ? "deviates" : "pass", null);
  } catch (thrown) {
    return result("fail", thrown instanceof Error ? thrown.message : String(thrown));
  } finally {
    await trial.close();
  }
}

async function withinTime(work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${CASE_MAX_MS} ms`)), CASE_MAX_MS);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
