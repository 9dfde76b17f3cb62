import { SESSIONS, type SessionRow, sessionStream } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";

export interface Neighbour {
  readonly id: string;
  readonly name: string;
  readonly cwd: string;
  readonly stream: string;
}

const PAGE = 1000;

/** Sessions that work or worked in this directory, in a parent or below, except the session itself and those it started. */
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

/** All sessions, newest first, including forgotten ones; or only living ones. */
export async function* sessionRows(
  store: Pick<Store, "rows">,
  where: { readonly alive?: boolean; readonly shown?: boolean; readonly active?: boolean } = {},
): AsyncGenerator<SessionRow> {
  for (let after: { readonly id: string } | null = null; ; ) {
    const page: readonly SessionRow[] = await store.rows(SESSIONS, {
      where,
      limit: PAGE,
      ...(after === null ? {} : { after }),
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = { id: last.id };
  }
}

/** Both must be real paths. Compares text only, because each start compares with every living session. */
export function meet(a: string, b: string): boolean {
  return a === b || a.startsWith(below(b)) || b.startsWith(below(a));
}

function below(folder: string): string {
  return folder.endsWith("/") ? folder : `${folder}/`;
}
