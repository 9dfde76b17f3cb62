import { type SessionRow, sessionStream } from "../kernel/index.ts";
import type { RowQuery, Store } from "../store/index.ts";

export interface Neighbour {
  readonly id: string;
  readonly name: string;
  readonly cwd: string;
  readonly stream: string;
}

const PAGE = 1000;

/**
 * The sessions that work, or worked, in this directory, around it or below: all but the session itself and those that it
 * started.
 */
export async function neighboursOf(store: Store, id: string, root: string): Promise<readonly Neighbour[]> {
  const parents = new Map<string, string | null>();
  const found: SessionRow[] = [];
  for await (const row of sessionRows(store)) {
    parents.set(row.id, row.parentSessionId);
    if (row.id !== id && meet(row.cwd, root)) found.push(row);
  }
  const isBelow = (one: string | null): boolean => one !== null && (one === id || isBelow(parents.get(one) ?? null));
  return found.filter(({ parentSessionId }) => !isBelow(parentSessionId)).map(neighbourOf);
}

export function neighbourOf({ id, name, cwd }: Pick<SessionRow, "id" | "name" | "cwd">): Neighbour {
  return { id, name, cwd, stream: sessionStream(id) };
}

/** Every session, the newest first: also those that were forgotten, or only those alive. */
export async function* sessionRows(
  store: Store,
  which: Pick<RowQuery, "all" | "open"> = { all: true },
): AsyncGenerator<SessionRow> {
  for (let after: string | undefined; ; ) {
    const page = await store.rows("session", { ...which, limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const text of page) {
      const row: SessionRow = JSON.parse(text);
      after = row.id;
      yield row;
    }
    if (page.length < PAGE) return;
  }
}

/** Real paths both. By plain text: it is asked of every living session at each start. */
export function meet(a: string, b: string): boolean {
  return a === b || a.startsWith(below(b)) || b.startsWith(below(a));
}

function below(folder: string): string {
  return folder.endsWith("/") ? folder : `${folder}/`;
}
