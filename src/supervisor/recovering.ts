import type { SessionRow } from "../kernel/index.ts";
import type { Store } from "../store/index.ts";

const PAGE = 500;

/** Every session of which something ran or waited, page by page. `recoverOne` says whether it had to end a turn. */
export async function recoverAll(
  store: Store,
  recoverOne: (row: SessionRow) => Promise<boolean>,
): Promise<{ readonly sessions: number; readonly interrupted: number }> {
  let interrupted = 0;
  let sessions = 0;
  for (let after: string | undefined; ; ) {
    const rows = await store.rows("session", {
      active: true,
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    const found = rows.map((row): SessionRow => JSON.parse(row));
    const outcomes = await Promise.all(found.map((row) => recoverOne(row)));
    interrupted += outcomes.filter(Boolean).length;
    sessions += found.length;
    after = found.at(-1)?.id;
    if (found.length < PAGE) return { sessions, interrupted };
  }
}
