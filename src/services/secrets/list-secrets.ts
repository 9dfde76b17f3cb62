import { SECRETS, type SecretRow, type SecretScope, spellSecretScope } from "../../domains/index.ts";
import type { Store } from "../../store/index.ts";
import { isPresent, type PresentSecret, type ShownSecret } from "./find-secret.ts";
import { OPERATOR } from "./owner.ts";

export interface SecretQuery {
  readonly limit: number;
  readonly scope?: SecretScope | undefined;
  /** A `next` of an earlier page. */
  readonly after?: string | undefined;
}

export interface SecretPage {
  readonly secrets: readonly ShownSecret[];
  readonly next: string | null;
}

const ROWS_PAGE = 1000;

/** By name, then by scope. The operator sees all; everybody else their own. */
export async function listSecrets(
  store: Pick<Store, "rows">,
  { limit, scope, after }: SecretQuery,
  asker: string,
): Promise<{ readonly rows: readonly PresentSecret[]; readonly next: string | null }> {
  const where = asker === OPERATOR ? {} : { owner: asker };
  const wanted = scope === undefined ? null : spellSecretScope(scope);
  const rows: PresentSecret[] = [];
  let place = parsePlace(after);
  for (;;) {
    const from = place === null ? {} : { after: place };
    const page = await store.rows(SECRETS, { limit, where, by: "place", descending: false, ...from });
    const shown = page.filter(isPresent);
    for (const row of shown) {
      if (wanted !== null && row.secret.scope !== wanted) continue;
      rows.push(row);
      if (rows.length === limit) return { rows, next: spellPlace(row) };
    }
    const last = shown.at(-1);
    if (last === undefined || page.length < limit) return { rows, next: null };
    place = placeOf(last);
  }
}

/** Goes through all rows, also of removed secrets. */
export async function eachRow(store: Pick<Store, "rows">, take: (row: SecretRow) => void): Promise<void> {
  let after: { readonly id: string } | null = null;
  do {
    const from: { readonly after?: { readonly id: string } } = after === null ? {} : { after };
    const rows: readonly SecretRow[] = await store.rows(SECRETS, { limit: ROWS_PAGE, ...from });
    for (const row of rows) take(row);
    after = rows.length < ROWS_PAGE ? null : (rows.at(-1) ?? null);
  } while (after !== null);
}

export async function countRows(store: Pick<Store, "rows">, is: (row: SecretRow) => boolean): Promise<number> {
  let count = 0;
  await eachRow(store, (row) => {
    if (is(row)) count += 1;
  });
  return count;
}

function placeOf({ id, secret: { name, scope } }: PresentSecret): { readonly id: string; readonly key: string } {
  return { id, key: `${name} ${scope}` };
}

/** `NAME SCOPE ID`: none of them holds a space. */
function spellPlace(row: PresentSecret): string {
  const { id, key } = placeOf(row);
  return `${key} ${id}`;
}

function parsePlace(after: string | undefined): { readonly id: string; readonly key: string } | null {
  const [name, scope, id] = (after ?? "").split(" ");
  return name === undefined || scope === undefined || id === undefined ? null : { id, key: `${name} ${scope}` };
}
