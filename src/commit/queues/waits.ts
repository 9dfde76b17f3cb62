import { placeInLane, QUEUED, type QueuedRow, stateRowId } from "../../kernel/index.ts";
import type { RowPlace, Store } from "../../store/index.ts";
import type { Trouble } from "../trouble.ts";

export interface LaneLimit {
  readonly max: number;
  /** Why nothing of the lane starts; absent when it may start. */
  readonly pausedBecause?: string;
}

/** A waiting item, and why it waits. */
export interface Wait {
  readonly item: string;
  readonly stream: string;
  readonly lane: string;
  readonly priority: number;
  readonly reason: string;
}

export interface WaitQuery {
  readonly lane?: string;
  readonly limit: number;
  /** Page cursor: `next` of the page before. */
  readonly after?: string;
}

export interface WaitPage {
  readonly waits: readonly Wait[];
  readonly next: string | null;
}

export interface WaitDeps {
  readonly store: Pick<Store, "rows" | "count">;
  readonly limitOf: (lane: string) => LaneLimit | null;
  readonly trouble: (id: string) => Trouble | null;
}

/** Beyond this count the list says "more than": counting further would take too long. */
const AHEAD_MAX = 1000;

/** By priority, then arrival; without a lane, items of all lanes together. */
export async function listWaits(deps: WaitDeps, { lane, limit, after }: WaitQuery): Promise<WaitPage> {
  const where = lane === undefined ? { running: false } : { running: false, lane };
  const place = after === undefined ? {} : { after: placeOf(after) };
  const rows = await deps.store.rows(QUEUED, { where, by: "place", limit: limit + 1, ...place });
  const shown = rows.slice(0, limit);
  const viewOf = laneViews(deps);
  const waits: Wait[] = [];
  for (const row of shown) {
    const { item, stream, lane: own, priority } = row;
    waits.push({ item, stream, lane: own, priority, reason: await reasonOf(deps, row, viewOf) });
  }
  const last = shown.at(-1);
  return { waits, next: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** State of a lane, read once per page. */
interface LaneView {
  readonly first: readonly QueuedRow[];
  readonly running: number;
}

function laneViews({ store }: WaitDeps): (lane: string) => Promise<LaneView> {
  const views = new Map<string, LaneView>();
  return async (lane) => {
    const known = views.get(lane);
    if (known !== undefined) return known;
    const first = await store.rows(QUEUED, { where: { lane, running: false }, by: "place", limit: AHEAD_MAX });
    const view = { first, running: await store.count(QUEUED, { lane, running: true }) };
    views.set(lane, view);
    return view;
  };
}

async function reasonOf(
  { limitOf, trouble }: WaitDeps,
  row: QueuedRow,
  viewOf: (lane: string) => Promise<LaneView>,
): Promise<string> {
  if (row.heldBy !== null) return row.heldBy;
  const limit = limitOf(row.lane);
  if (limit?.pausedBecause !== undefined) return `paused: ${limit.pausedBecause}`;
  const failed = trouble(stateRowId(row.stream, row.item));
  if (failed !== null) return `could not be started (${failed.code}); tried again at ${failed.nextTryAt}`;
  const { first, running } = await viewOf(row.lane);
  const at = first.findIndex(({ stream, item }) => stream === row.stream && item === row.item);
  if (at === -1 && first.length === AHEAD_MAX) return `more than ${AHEAD_MAX} ahead of it`;
  const ahead = first.slice(0, Math.max(0, at)).filter(({ heldBy }) => heldBy === null).length;
  if (ahead > 0) return `${ahead} ahead of it`;
  return limit !== null && running >= limit.max ? `${running} of ${limit.max} places taken` : "next";
}

function cursorOf(row: QueuedRow): string {
  return JSON.stringify([placeInLane(row), stateRowId(row.stream, row.item)]);
}

/** An invalid cursor starts at the beginning. */
function placeOf(cursor: string): RowPlace {
  try {
    const read: unknown = JSON.parse(cursor);
    if (Array.isArray(read)) return { key: String(read[0]), id: String(read[1]) };
  } catch {
    // Not a cursor of ours.
  }
  return { key: "", id: "" };
}
