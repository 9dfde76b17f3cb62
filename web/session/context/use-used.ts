import { useRef } from "preact/hooks";
import type { LogEvent } from "../../../src/client/index.ts";
import { memberOf } from "../../../src/kernel/index.ts";

/** How much of its window the model has read. */
export interface Used {
  readonly seq: number;
  readonly tokens: number;
  readonly max: number;
}

/** The newest figures that were seen; also when the talk is looked at further up. Null: none was told. */
export function useUsed(events: readonly LogEvent[]): Used | null {
  const held = useRef<{ readonly events: readonly LogEvent[]; readonly used: Used | null }>({ events: [], used: null });
  if (held.current.events !== events) {
    const before = held.current.used;
    const isFurtherUp = before !== null && before.seq > (events.at(-1)?.seq ?? 0);
    held.current = { events, used: isFurtherUp ? before : usedIn(events) };
  }
  return held.current.used;
}

/** As the agent told it last, or as the last compaction left it. */
export function usedIn(events: readonly LogEvent[]): Used | null {
  const report = events.findLast((event) => event.type === "usage.reported@1" && tokensIn(event) !== null);
  // What was told before a rewind is of another conversation.
  const rewind = events.findLast(({ type }) => type === "session.rewound@1");
  if (report === undefined || report.seq < (rewind?.seq ?? 0)) return null;
  const max = memberOf(report.data, "contextMax");
  if (typeof max !== "number" || max <= 0) return null;
  const compaction = events.findLast(({ type, seq }) => type === "context.compacted@1" && seq > report.seq);
  const after = memberOf(compaction?.data, "tokensAfter");
  const isSmaller = compaction !== undefined && typeof after === "number";
  return isSmaller
    ? { seq: compaction.seq, tokens: after, max }
    : { seq: report.seq, tokens: tokensIn(report) ?? 0, max };
}

function tokensIn({ data }: LogEvent): number | null {
  const tokens = memberOf(data, "contextTokens");
  return typeof tokens === "number" ? tokens : null;
}
