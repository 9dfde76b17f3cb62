import { LANDINGS, type LandingRow } from "../../domains/index.ts";
import { isInside } from "../../host/index.ts";
import type { Context } from "../define.ts";

export interface LandingFilter {
  readonly session?: string | undefined;
  readonly into?: string | undefined;
  readonly state?: "open" | LandingRow["at"] | undefined;
  readonly cwd?: string | undefined;
  readonly limit: number;
  readonly after?: string | undefined;
}

type Needed = Context<"store">;

/** Rows that are looked at for one page, where a filter has no key. */
const READ_MAX = 5000;
const PAGE = 500;

export async function listLandings(
  context: Needed,
  { session, into, state, cwd, limit, after }: LandingFilter,
): Promise<{ readonly rows: readonly LandingRow[]; readonly next: string | null }> {
  const where = {
    ...(session === undefined ? {} : { session }),
    ...(state === undefined ? {} : state === "open" ? { open: true } : { state }),
  };
  const fits = ({ order }: LandingRow): boolean =>
    (into === undefined || order.into === into) && (cwd === undefined || isOfRepository(order.repository, cwd));
  const found: LandingRow[] = [];
  let last = after;
  for (let read = 0; read < READ_MAX; read += PAGE) {
    const place = last === undefined ? {} : { after: { id: last } };
    const rows = await context.services.store.rows(LANDINGS, { limit: PAGE, where, ...place });
    for (const row of rows) {
      if (found.length === limit) return { rows: found, next: last ?? null };
      if (fits(row)) found.push(row);
      last = row.id;
    }
    if (rows.length < PAGE) return { rows: found, next: null };
  }
  return { rows: found, next: last ?? null };
}

function isOfRepository({ root, gitDir }: LandingRow["order"]["repository"], cwd: string): boolean {
  return isInside(gitDir, cwd) || (root !== null && isInside(root, cwd));
}
