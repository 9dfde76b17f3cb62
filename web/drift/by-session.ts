import type { OutputOf } from "../../src/client/index.ts";

type Sample = OutputOf<"work.drift">["samples"][number];
type Work = OutputOf<"work.list">["works"][number];

export interface Drifting {
  readonly sessionId: string;
  readonly ticket: string;
  readonly agent: string;
  /** It works on its ticket now. */
  readonly isOpen: boolean;
  /** Null: nothing was measured yet. */
  readonly last: Omit<Sample, "sessionId" | "ticket" | "agent"> | null;
  /** From the oldest on. */
  readonly scores: readonly number[];
}

/** The drift of each session, the furthest first; `samples` come newest first. */
export function bySession(samples: readonly Sample[], works: readonly Work[]): readonly Drifting[] {
  const open = new Map(works.filter(({ role }) => role === "work").map((work) => [work.sessionId, work]));
  const measured = [...Map.groupBy(samples, ({ sessionId }) => sessionId)].flatMap(([sessionId, own]) => {
    const [last] = own;
    if (last === undefined) return [];
    const { ticket, agent } = last;
    const scores = own.map(({ score }) => score).toReversed();
    return [{ sessionId, ticket, agent, isOpen: open.has(sessionId), last, scores }];
  });
  const known = new Set(measured.map(({ sessionId }) => sessionId));
  const fresh = [...open.values()]
    .filter(({ sessionId }) => !known.has(sessionId))
    .map(({ sessionId, ticket, agent }) => ({ sessionId, ticket, agent, isOpen: true, last: null, scores: [] }));
  return [...measured, ...fresh].toSorted(
    (one, other) => Number(other.isOpen) - Number(one.isOpen) || (other.last?.score ?? 0) - (one.last?.score ?? 0),
  );
}

/** Over it work is said to drift, as the daemon's advisories say. */
const HIGH = 0.7;

export function kindOf(score: number): "good" | "warn" | "bad" {
  return score >= HIGH ? "bad" : score >= HIGH / 2 ? "warn" : "good";
}
