/** A column that a list is filtered or sorted by, beside the id. */
export type KeyValue = string | boolean | null;

export interface ListKey {
  /** `text` is compared byte by byte; a `flag` is yes or no. */
  readonly kind: "text" | "flag";
  /** Whether it has its own index. A flag's index holds only the rows with yes. */
  readonly indexed: boolean;
}

/** A list: its rows and the keys to find and sort them by. The last row written for an id is the whole row. */
export interface List<Row = unknown, Key extends string = string> {
  /** What reports call one row. */
  readonly name: string;
  readonly table: string;
  readonly newestFirst: boolean;
  /** True: rows change with nearly every append, so the databases leave free space beside each. */
  readonly isHot: boolean;
  /** The member that is read from the log instead of the row. */
  readonly head: HeadMember | null;
  readonly keys: { readonly [K in Key]: ListKey };
  /** A method, so that lists of any row type fit where the type does not matter. */
  keysOf(row: Row): { readonly [K in Key]: KeyValue };
}

/**
 * A member that holds the id of the last event of the stream `kind/id`. It changes with every append; the log knows it
 * already, so an append that changes nothing else of a row writes no row.
 */
export interface HeadMember<Member extends string = string> {
  readonly kind: string;
  readonly member: Member;
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
    readonly head?: HeadMember<keyof Row & string>;
    readonly keys?: { readonly [K in Key]: KeyDefinition<Row> };
  }): List<Row, Key> => {
    const { name, table, newestFirst = false, isHot = false, head = null } = given;
    const keys = Object.entries<KeyDefinition<Row>>(given.keys ?? {});
    for (const word of [table, ...keys.map(([key]) => key)])
      if (!/^[a-z][a-z_]*$/.test(word) || OWN_COLUMNS.includes(word)) throw new TypeError(`${word} names no column`);
    const shape = keys.map(([key, { flag, indexed = false }]) => [key, { kind: flag ? "flag" : "text", indexed }]);
    return {
      name,
      table,
      newestFirst,
      isHot,
      head,
      keys: Object.fromEntries(shape),
      keysOf: (row) =>
        Object.fromEntries(keys.map(([key, { text, flag }]) => [key, flag?.(row) ?? text?.(row) ?? null])) as {
          readonly [K in Key]: KeyValue;
        },
    };
  };
}

const OWN_COLUMNS = ["id", "row", "sum"];

/** One change of a list: the new row, or its removal. */
export type RowChange =
  | { readonly list: List; readonly id: string; readonly put: object }
  | { readonly list: List; readonly id: string; readonly put: null };

export function putRow<Row extends object>(list: List<Row>, id: string, row: Row): RowChange {
  return { list, id, put: row };
}
