import type { List } from "../../src/kernel/index.ts";
import type { RowQuery } from "../../src/store/index.ts";
import type { Disk } from "./disk.ts";

/** Answers a list query like both databases: filter, sort, cut. */
export function pageOfRows<Row, Key extends string>(
  disk: Disk,
  list: List<Row, Key>,
  { where, idPrefix = "", by, descending, after, limit }: RowQuery<Key>,
): readonly Row[] {
  const wanted = Object.entries(where ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const isDown = descending ?? (by === undefined && list.newestFirst);
  const found = disk.rows(list.name).map(({ id, row: text }) => {
    const row: Row = JSON.parse(text);
    const keys = new Map<string, unknown>(Object.entries(list.keysOf(row)));
    return { id, row, keys, place: by === undefined ? id : `${keys.get(by)} ${id}` };
  });
  const start = after === undefined ? null : by === undefined ? after.id : `${after.key ?? ""} ${after.id}`;
  return found
    .filter(({ id, keys }) => id.startsWith(idPrefix) && wanted.every(([key, value]) => keys.get(key) === value))
    .filter(({ place }) => start === null || (isDown ? place < start : place > start))
    .sort((a, b) => (a.place < b.place === isDown ? 1 : -1))
    .slice(0, limit)
    .map(({ row }) => row);
}
