import { type SnapshotTaken, sessionFact } from "../../kernel/index.ts";
import type { EventPage, RecordedEvent, Store } from "../../store/index.ts";

/** The changes of a session's files between two snapshots, and who made them. */
export interface Interval {
  readonly from: string;
  readonly to: string;
  /**
   * `turn`: a turn of the session ran. `restore`: we restored files for it. `others`: nothing of the session ran.
   * `unknown`: a snapshot is missing in between.
   */
  readonly by: "turn" | "restore" | "others" | "unknown";
  readonly turnId: string | null;
  /** Seqs of the log where the interval starts and ends. */
  readonly startSeq: number;
  readonly endSeq: number;
  /** Files that others are known to have changed in the interval. */
  readonly others?: Named;
}

interface Named {
  readonly names: ReadonlySet<string>;
  /** True when the list of names was cut. */
  readonly more: boolean;
}

export interface IntervalQuery {
  /** Exclusive. */
  readonly after: number;
  /** The snapshot at that seq; null: start at the first snapshot after it. */
  readonly files: string | null;
  /** Stop at the first snapshot at or after this seq. Absent: read to the end. */
  readonly until?: number;
}

const PAGE = 1000;
const BOUNDARIES = ["snapshot.taken", "snapshot.skipped", "restore.settled"];

/** All intervals of a session's files in log order, including those that a rewind left behind. */
export async function readIntervals(store: Store, stream: string, query: IntervalQuery): Promise<readonly Interval[]> {
  const { after, until = Number.MAX_SAFE_INTEGER } = query;
  const teller = tellIntervals(query);
  for (let cursor: number | null = after; cursor !== null; ) {
    const types = [...BOUNDARIES, "turn.started"];
    const page: EventPage = await store.readStream(stream, { after: cursor, limit: PAGE, types });
    for (const event of page.events) {
      teller.hear(event);
      if (event.seq >= until && event.type.startsWith("snapshot.taken")) return teller.told();
    }
    cursor = page.next;
  }
  return teller.told();
}

/** The last seq before `before` with a known snapshot, and that snapshot; null when there is none. */
export async function lastBoundary(
  store: Store,
  stream: string,
  before: number,
  /** Accept only this snapshot. */
  wanted?: string,
): Promise<{ readonly seq: number; readonly files: string } | null> {
  for (let cursor: number | null = before; cursor !== null; ) {
    const types = ["snapshot.taken", "restore.settled"];
    const page: EventPage = await store.readStream(stream, { before: cursor, descending: true, limit: PAGE, types });
    for (const event of page.events) {
      const files = filesAfter(event);
      if (files !== null && (wanted === undefined || files === wanted)) return { seq: event.seq, files };
    }
    cursor = page.next;
  }
  return null;
}

function tellIntervals({ after, files }: IntervalQuery) {
  const intervals: Interval[] = [];
  const startedAt = new Map<string, number>();
  let now = files;
  let sinceSeq = after;
  let isGap = false;
  /** A restore whose result the next event may describe more exactly. */
  let restored: { readonly to: string; readonly seq: number } | null = null;

  const add = (
    to: string,
    by: Interval["by"],
    turnId: string | null,
    seq: number,
    others?: SnapshotTaken["others"],
  ): void => {
    const startSeq = (turnId === null ? undefined : startedAt.get(turnId)) ?? sinceSeq;
    const kind = isGap ? "unknown" : by;
    const place = { turnId, startSeq, endSeq: seq, others: named(others) };
    if (now !== null && now !== to) intervals.push({ from: now, to, by: kind, ...place });
    [now, sinceSeq, isGap] = [to, seq, false];
  };
  const settle = (): void => {
    if (restored !== null) add(restored.to, "restore", null, restored.seq);
    restored = null;
  };

  return {
    hear: (event: RecordedEvent): void => {
      const { seq } = event;
      const fact = sessionFact(event);
      if (fact?.type === "turn.started@1") return void startedAt.set(fact.data.turnId, seq);
      const taken = fact?.type === "snapshot.taken@1" ? fact.data : null;
      if (taken?.occasion === "restored") restored = null;
      else settle();
      if (fact?.type === "snapshot.skipped@1") isGap = true;
      if (fact?.type === "restore.settled@1" && fact.data.outcome === "restored") restored = { to: fact.data.to, seq };
      if (taken === null) return;
      const { snapshot, turnId, occasion } = taken;
      if (occasion === "restored") add(snapshot, "restore", null, seq);
      else if (turnId !== null && occasion !== "turn_start") add(snapshot, "turn", turnId, seq, taken.others);
      else add(snapshot, "others", null, seq);
    },
    told: (): readonly Interval[] => {
      settle();
      return intervals;
    },
  };
}

function filesAfter(event: RecordedEvent): string | null {
  const fact = sessionFact(event);
  if (fact?.type === "snapshot.taken@1") return fact.data.snapshot;
  if (fact?.type !== "restore.settled@1") return null;
  return fact.data.outcome === "restored" ? fact.data.to : fact.data.from;
}

function named({ names, more }: NonNullable<SnapshotTaken["others"]> = { names: [], more: false }): Named {
  return { names: new Set(names), more };
}
