import type { SessionRow } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { sessionRows } from "./neighbours.ts";

const AT_ONCE = 500;

/** Recovers every session that ran or waited. `recoverOne` returns whether it had to end a turn. */
export async function recoverAll(
  store: Store,
  recoverOne: (row: SessionRow) => Promise<boolean>,
): Promise<{ readonly sessions: number; readonly interrupted: number }> {
  let interrupted = 0;
  let sessions = 0;
  let next: SessionRow[] = [];
  const recoverNext = async (): Promise<void> => {
    const outcomes = await Promise.all(next.map(recoverOne));
    interrupted += outcomes.filter(Boolean).length;
    sessions += next.length;
    next = [];
  };
  for await (const row of sessionRows(store, { active: true })) {
    next.push(row);
    if (next.length === AT_ONCE) await recoverNext();
  }
  await recoverNext();
  return { sessions, interrupted };
}
