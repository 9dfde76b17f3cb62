import type { Definitions } from "../../domains/index.ts";
import { placeInLane, QUEUED, type QueuedRow, stateRowId } from "../../kernel/index.ts";
import type { RowPlace, Store } from "../../store/index.ts";
import type { LaneLimit } from "./waits.ts";

const PAGE_ROWS = 100;

/** The waiting items of a lane, in the order they are served, page by page. */
export async function* waitingIn({ rows }: Pick<Store, "rows">, lane: string): AsyncGenerator<QueuedRow> {
  let place: { readonly after?: RowPlace } = {};
  for (;;) {
    const page = await rows(QUEUED, { where: { lane, running: false }, by: "place", limit: PAGE_ROWS, ...place });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return;
    place = { after: { key: placeInLane(last), id: stateRowId(last.stream, last.item) } };
  }
}

/** The non-empty lanes named `kind` or `kind/...`. One read for each. */
export async function* lanesOf({ rows }: Pick<Store, "rows">, kind: string): AsyncGenerator<string> {
  if ((await rows(QUEUED, { where: { lane: kind }, limit: 1 })).length > 0) yield kind;
  for (let after: RowPlace = { key: `${kind}/`, id: "" }; ; ) {
    const [row] = await rows(QUEUED, { by: "lane", limit: 1, after });
    if (row === undefined || ownerOf(row.lane) !== kind) return;
    yield row.lane;
    after = { key: row.lane, id: BEHIND_EVERY_ID };
  }
}

export function ownerOf(lane: string): string {
  return lane.split("/", 1)[0] ?? "";
}

/** The limit that the lane's owner defines; null when the owner starts its items itself. */
export function definedLimits({ aggregates }: Definitions): (lane: string) => LaneLimit | null {
  const owners = new Map(aggregates.map(({ kind, laneMax }) => [kind, laneMax]));
  return (lane) => {
    const laneMax = owners.get(ownerOf(lane)) ?? null;
    return laneMax === null ? null : { max: laneMax(lane) };
  };
}

const BEHIND_EVERY_ID = "\u007f";
