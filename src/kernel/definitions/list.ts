/** What a list is found or sorted by beside the id. */
export type KeyValue = string | boolean | null;

export interface ListKey {
  /** `text` is compared byte by byte; a `flag` is yes or no. */
  readonly kind: "text" | "flag";
  /** Looked up often enough for an index of its own. A flag's index holds only those that say yes. */
  readonly indexed: boolean;
}

/**
 * A read model: rows that people list, with the keys that they are found and sorted by. Both databases make their tables
 * out of this. A row is whole: the last one written for an id is what the log says.
 */
export interface List<Row = unknown, Key extends string = string> {
  /** What reports call it, one row of it. */
  readonly name: string;
  readonly table: string;
  readonly newestFirst: boolean;
  /** Rewritten with nearly every append: the databases leave room beside each row. */
  readonly isHot: boolean;
  readonly keys: { readonly [K in Key]: ListKey };
  /** A method, so that a list of any rows can stand where the rows do not matter. */
  keysOf(row: Row): { readonly [K in Key]: KeyValue };
}

interface KeyDefinition<Row> extends Partial<Pick<ListKey, "indexed">> {
  readonly text?: (row: Row) => string | null;
  readonly flag?: (row: Row) => boolean;
}

export function defineList<Row>() {
  return <Key extends string = never>(given: {
    readonly name: string;
    readonly table: string;
    readonly newestFirst?: boolean;
    readonly isHot?: boolean;
    readonly keys?: { readonly [K in Key]: KeyDefinition<Row> };
  }): List<Row, Key> => {
    const { name, table, newestFirst = false, isHot = false } = given;
    const keys = Object.entries<KeyDefinition<Row>>(given.keys ?? {});
    for (const word of [table, ...keys.map(([key]) => key)])
      if (!/^[a-z][a-z_]*$/.test(word) || OWN_COLUMNS.includes(word)) throw new TypeError(`${word} names no column`);
    const shape = keys.map(([key, { flag, indexed = false }]) => [key, { kind: flag ? "flag" : "text", indexed }]);
    return {
      name,
      table,
      newestFirst,
      isHot,
      keys: Object.fromEntries(shape),
      keysOf: (row) =>
        Object.fromEntries(keys.map(([key, { text, flag }]) => [key, flag?.(row) ?? text?.(row) ?? null])) as {
          readonly [K in Key]: KeyValue;
        },
    };
  };
}

const OWN_COLUMNS = ["id", "row", "sum"];

/** One change of a list: a row as it is from now on, or that there is none any more. */
export type RowChange =
  | { readonly list: List; readonly id: string; readonly put: object }
  | { readonly list: List; readonly id: string; readonly put: null };

export function putRow<Row extends object>(list: List<Row>, id: string, row: Row): RowChange {
  return { list, id, put: row };
}
