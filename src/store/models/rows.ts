import type { KeyValue, List, RowChange } from "../../kernel/index.ts";

/** A row of a list as it is written: the row itself, and beside it what it is found and sorted by. */
export interface RowWrite {
  readonly list: string;
  readonly id: string;
  readonly columns: readonly Column[];
  /** Null: there is no such row any more. */
  readonly row: string | null;
}

export type WholeRow = RowWrite & { readonly row: string };

export type Column = string | number | null;

export function rowWrite({ list, id, put }: RowChange): RowWrite {
  if (put === null) return { list: list.name, id, columns: [], row: null };
  return { list: list.name, id, columns: columnsOf(list, put), row: JSON.stringify(put) };
}

/** In the order of the list's keys. */
function columnsOf(list: List, row: unknown): readonly Column[] {
  const keys = list.keysOf(row);
  return Object.keys(list.keys).map((key) => columnOf(keys[key] ?? null));
}

/** Of a row as it lies there. One that has been damaged is the comparison's to tell, not a reason not to start. */
export function keysOrNone(list: List, row: string): readonly Column[] {
  try {
    return columnsOf(list, JSON.parse(row));
  } catch {
    return Object.values(list.keys).map(({ kind }) => (kind === "flag" ? 0 : null));
  }
}

function columnOf(value: KeyValue): Column {
  return typeof value === "boolean" ? Number(value) : value;
}

/** The last row written for an id is what counts. */
export function mergeRow(rows: Map<string, RowWrite>, write: RowWrite): void {
  rows.set(`${write.list} ${write.id}`, write);
}

export function isThere(write: RowWrite): write is WholeRow {
  return write.row !== null;
}

/** Which rows of a list, in which order. Both databases answer it in the same way. */
export interface RowQuery<Key extends string = string> {
  readonly limit: number;
  /** Rows with these keys; null: those that have no such key. */
  readonly where?: { readonly [K in Key]?: KeyValue };
  /** Only ids that begin with it. */
  readonly idPrefix?: string;
  /**
   * What they are sorted by, and by their ids where that is the same. By their ids alone when nothing is said. Rows that
   * have no such key are left out: databases do not agree where they stand.
   */
  readonly by?: Key;
  /** As the list has it, when nothing is said. */
  readonly descending?: boolean;
  /** Behind this one: its id, and its key where they are sorted by one. */
  readonly after?: RowPlace;
}

export interface RowPlace {
  readonly id: string;
  readonly key?: string;
}

/** The conditions of a query, for a database whose way of naming a parameter is given. */
export function conditionsOf(
  list: List,
  query: RowQuery,
  param: (value: string | number) => string,
): readonly string[] {
  const { where = {}, idPrefix, after, by } = query;
  const conditions = Object.entries(where).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (value === null) return [`${column(list, key)} IS NULL`];
    // A flag is written out, so that the index that holds only those that say yes can be used.
    return [`${column(list, key)} = ${typeof value === "boolean" ? Number(value) : param(value)}`];
  });
  if (idPrefix !== undefined) conditions.push(`id >= ${param(idPrefix)} AND id < ${param(`${idPrefix}${LAST}`)}`);
  if (by !== undefined && after === undefined) conditions.push(`${column(list, by)} IS NOT NULL`);
  if (after === undefined) return conditions;
  const beyond = isDescending(list, query) ? "<" : ">";
  if (by === undefined) return [...conditions, `id ${beyond} ${param(after.id)}`];
  const { key = "" } = after;
  const place = param(list.keys[by]?.kind === "flag" ? Number(key) : key);
  return [...conditions, `(${column(list, by)}, id) ${beyond} (${place}, ${param(after.id)})`];
}

export function orderOf(list: List, query: RowQuery): string {
  const way = isDescending(list, query) ? "DESC" : "ASC";
  return query.by === undefined ? `id ${way}` : `${column(list, query.by)} ${way}, id ${way}`;
}

function isDescending({ newestFirst }: List, { descending, by }: RowQuery): boolean {
  return descending ?? (by === undefined && newestFirst);
}

/** Quoted, and only one that the list has: a name out of somebody's hands must not become a part of a statement. */
export function column(list: List, key: string): string {
  if (!Object.hasOwn(list.keys, key)) throw new TypeError(`the list of ${list.name} has no key ${key}`);
  return `"${key}"`;
}

/** Above every character of an id: ids are ASCII. */
const LAST = "\u007f";
