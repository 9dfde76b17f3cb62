import type { KeyValue, List, RowChange } from "../../kernel/index.ts";

/** A row of a list as it is written, with the keys to find and sort it by. */
export interface RowWrite {
  readonly list: string;
  readonly id: string;
  readonly columns: readonly Column[];
  /** Null deletes the row. */
  readonly row: string | null;
}

export type WholeRow = RowWrite & { readonly row: string };

export type Column = string | number | null;

export function rowWrite({ list, id, put }: RowChange): RowWrite {
  if (put === null) return { list: list.name, id, columns: [], row: null };
  return { list: list.name, id, columns: columnsOf(list, put), row: JSON.stringify(storedPart(list, put)) };
}

function storedPart({ head }: List, put: object): object {
  return head === null ? put : { ...put, [head.member]: undefined };
}

/** A row as lists show it. `head` is the last event of its stream. */
export function shownRow<Row>(list: List<Row>, row: string, head: string | null): Row {
  const stored: Row = JSON.parse(row);
  return list.head === null ? stored : { ...stored, [list.head.member]: head };
}

/** In the order of the list's keys. */
function columnsOf(list: List, row: unknown): readonly Column[] {
  const keys = list.keysOf(row);
  return Object.keys(list.keys).map((key) => columnOf(keys[key] ?? null));
}

/** The keys of a stored row. A damaged row has none: the comparison reports it, and the start goes on. */
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

/** Keeps the last write for each id. */
export function mergeRow(rows: Map<string, RowWrite>, write: RowWrite): void {
  rows.set(`${write.list} ${write.id}`, write);
}

export function isThere(write: RowWrite): write is WholeRow {
  return write.row !== null;
}

/** Which rows of a list, in which order. Both databases give the same answer. */
export interface RowQuery<Key extends string = string> {
  readonly limit: number;
  /** Rows with these keys; null matches rows without the key. */
  readonly where?: { readonly [K in Key]?: KeyValue };
  /** Only ids with this prefix. */
  readonly idPrefix?: string;
  /**
   * The key to sort by, then by id; by id alone when omitted. Rows without this key are left out, because databases
   * sort nulls differently.
   */
  readonly by?: Key;
  /** The list's own order when omitted. */
  readonly descending?: boolean;
  /** Starts after this row: its id, and its sort key if there is one. */
  readonly after?: RowPlace;
}

export interface RowPlace {
  readonly id: string;
  readonly key?: string;
}

/** The SQL conditions of a query. `param` names the parameters as the database requires. */
export function conditionsOf(
  list: List,
  query: RowQuery,
  param: (value: string | number) => string,
): readonly string[] {
  const { where = {}, idPrefix, after, by } = query;
  const conditions = Object.entries(where).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (value === null) return [`${column(list, key)} IS NULL`];
    // Flags are written as literals, so that a partial index on true values can be used.
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

/** A quoted column name. Only keys of the list are accepted, so that foreign input never becomes SQL. */
export function column(list: List, key: string): string {
  if (!Object.hasOwn(list.keys, key)) throw new TypeError(`the list of ${list.name} has no key ${key}`);
  return `"${key}"`;
}

/** Greater than every character of an id: ids are ASCII. */
const LAST = "\u007f";
