import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { translateRead } from "./schema.ts";

/** A prepared statement that throws `StoreError`s. */
export interface Statement {
  readonly get: (...given: readonly SQLInputValue[]) => Row | undefined;
  readonly all: (...given: readonly SQLInputValue[]) => readonly Row[];
  /** Iterates row by row, for large results. Leaving the loop early ends the read. */
  readonly each: (...given: readonly SQLInputValue[]) => Iterable<Row>;
}

export type Row = Record<string, unknown>;

const STATEMENTS_KEPT = 200;

/** Prepares statements at first use and caches them by text. */
export function createStatements(db: DatabaseSync): (source: string) => Statement {
  const known = new Map<string, Statement>();
  return (source) => {
    const found = known.get(source);
    if (found !== undefined) return found;
    if (known.size >= STATEMENTS_KEPT) known.clear();
    const prepared = translated(() => statement(db.prepare(source)));
    known.set(source, prepared);
    return prepared;
  };
}

function statement(prepared: StatementSync): Statement {
  return {
    get: (...given) => translated(() => prepared.get(...given)),
    all: (...given) => translated(() => prepared.all(...given)),
    each: function* (...given) {
      try {
        yield* prepared.iterate(...given);
      } catch (cause) {
        throw translateRead(cause);
      }
    },
  };
}

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw translateRead(cause);
  }
}
