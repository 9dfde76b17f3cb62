import type { Judgement } from "./fanout-events.ts";

export interface Ranked {
  readonly sessionId: string;
  /** From 1. */
  readonly rank: number;
  /** Its work could land as it is. */
  readonly passes: boolean;
  /** Why it stands where it does. */
  readonly reason: string;
}

/** Checks passed first, then the smaller change, then the cheaper one, then the faster one; else as they were named. */
export function rankCandidates(judged: readonly Judgement[]): readonly Ranked[] {
  // What only some agents tell, such as a price, compares nobody.
  const compared = judged.filter((one) => classOf(one) <= HAS_WORK);
  const measures = MEASURES.filter(({ of }) => compared.every((one) => of(one) !== null));
  const order = judged
    .map((one, at) => ({ one, at }))
    .toSorted((a, b) => compare(a.one, b.one, measures) || a.at - b.at)
    .map(({ one }) => one);
  return order.map((one, at) => {
    const beside = { before: order[at - 1] ?? null, after: order[at + 1] ?? null };
    return { sessionId: one.sessionId, rank: at + 1, passes: passes(one), reason: reasonOf(one, beside, measures) };
  });
}

/** Whether the work could land: its turn ended well, it changed something, and nothing speaks against it. */
function passes({ outcome, error, findings, more, files, into }: Judgement): boolean {
  return outcome === "completed" && error === null && into !== null && findings.length + more === 0 && files > 0;
}

interface Measure {
  /** The smaller number is better. */
  readonly of: (one: Judgement) => number | null;
  readonly better: string;
  readonly worse: string;
}

const MEASURES: readonly Measure[] = [
  { of: ({ added, removed }) => added + removed, better: "a smaller change", worse: "a larger change" },
  { of: ({ files }) => files, better: "fewer files", worse: "more files" },
  { of: ({ spent }) => spent?.costMicroUsd ?? null, better: "cheaper", worse: "more expensive" },
  { of: (one) => tokensOf(one), better: "fewer tokens", worse: "more tokens" },
  { of: ({ turnMs }) => turnMs, better: "faster", worse: "slower" },
];

function compare(one: Judgement, other: Judgement, measures: readonly Measure[]): number {
  const measure = decisive(one, other, measures);
  const byMeasure = measure === null ? 0 : (measure.of(one) ?? 0) - (measure.of(other) ?? 0);
  return classOf(one) - classOf(other) || count(one) - count(other) || byMeasure;
}

function decisive(one: Judgement, other: Judgement, measures: readonly Measure[]): Measure | null {
  return measures.find(({ of }) => (of(one) ?? 0) !== (of(other) ?? 0)) ?? null;
}

const HAS_WORK = 1;

/** 0: could land; 1: findings; 2: changed nothing; 3: its turn did not end well; 4: could not be judged. */
function classOf(one: Judgement): number {
  if (one.error !== null) return 4;
  if (one.outcome !== "completed") return 3;
  if (one.files === 0) return 2;
  return passes(one) ? 0 : 1;
}

function reasonOf(
  one: Judgement,
  { before, after }: { readonly before: Judgement | null; readonly after: Judgement | null },
  measures: readonly Measure[],
): string {
  if (one.error !== null) return `could not be judged: ${one.error.message}`;
  if (one.outcome !== "completed") return `its turn ended as ${one.outcome}`;
  if (one.files === 0) return "changed nothing";
  if (!passes(one)) return `${count(one)} ${count(one) === 1 ? "finding" : "findings"}: ${rulesOf(one)}`;
  const passed = one.checks === 0 ? "nothing speaks against it" : "checks passed";
  if (before === null) {
    const won = after !== null && passes(after) ? decisive(one, after, measures) : null;
    return won === null ? passed : `${passed}, ${won.better}`;
  }
  const lost = decisive(before, one, measures);
  return lost === null ? `${passed}, the same otherwise` : `${passed}, ${lost.worse}`;
}

function rulesOf({ findings }: Judgement): string {
  return [...new Set(findings.map(({ rule }) => rule))].join(", ");
}

function count({ findings, more }: Judgement): number {
  return findings.length + more;
}

function tokensOf({ spent }: Judgement): number | null {
  return spent === null ? null : spent.input + spent.output + spent.cacheRead + spent.cacheWrite;
}

/** Files that more than one candidate changed, with the sessions that did; the first ones. */
export function overlaps(
  judged: readonly Pick<Judgement, "sessionId" | "paths">[],
  listedMax: number,
): {
  readonly files: readonly { readonly path: string; readonly sessions: readonly string[] }[];
  readonly more: number;
} {
  const by = new Map<string, string[]>();
  for (const { sessionId, paths } of judged)
    for (const path of paths) by.set(path, [...(by.get(path) ?? []), sessionId]);
  const shared = [...by]
    .filter(([, sessions]) => sessions.length > 1)
    .map(([path, sessions]) => ({ path, sessions }))
    .toSorted((a, b) => b.sessions.length - a.sessions.length || (a.path < b.path ? -1 : 1));
  return { files: shared.slice(0, listedMax), more: Math.max(0, shared.length - listedMax) };
}
