import { createHash } from "node:crypto";
import { NomosError } from "../../contract/index.ts";
import {
  SECRETS,
  type SecretPlace,
  type SecretRow,
  type SecretScope,
  scopesReaching,
  spellSecretScope,
} from "../../domains/index.ts";
import type { Store } from "../../store/index.ts";
import { OPERATOR } from "./owner.ts";

/** A secret as callers name it. `owner` is heard only from the operator. */
export interface SecretRef {
  readonly name: string;
  readonly scope?: SecretScope | undefined;
  readonly owner?: string | undefined;
}

/** Rows of secrets that are there. */
export type PresentSecret = SecretRow & { readonly at: "present" };

export type ShownSecret = PresentSecret["secret"] & {
  readonly id: string;
  /** The vault does not hold its value. False while it is locked: nobody can tell. */
  readonly lost: boolean;
};

const ID_DIGITS = 40;
const PAGE = 200;
const SCOPES_SHOWN_MAX = 20;

/** The same name of two owners, or in two scopes, are two secrets. */
export function secretId(owner: string, scope: SecretScope, name: string): string {
  return createHash("sha256")
    .update(JSON.stringify([owner, spellSecretScope(scope), name]))
    .digest("hex")
    .slice(0, ID_DIGITS);
}

/** Throws `secret_not_found` for what the asker does not own, exactly as for what does not exist. */
export async function findSecret(
  store: Pick<Store, "rows">,
  { name, scope, owner }: SecretRef,
  asker: string,
): Promise<PresentSecret> {
  const isOperator = asker === OPERATOR;
  const visible = (await named(store, name)).filter(
    ({ secret }) => (isOperator && (owner === undefined || owner === secret.owner)) || secret.owner === asker,
  );
  const wanted = visible.filter(({ secret }) => scope === undefined || secret.scope === spellSecretScope(scope));
  const own = wanted.filter(({ secret }) => secret.owner === asker);
  const among = own.length > 0 ? own : wanted;
  const atHome = among.filter(({ secret }) => secret.scope === "home");
  const [found, another] = atHome.length > 0 ? atHome : among;
  if (found === undefined || (!isOperator && owner !== undefined && owner !== asker))
    throw new NomosError("secret_not_found", { name });
  if (another !== undefined)
    throw new NomosError("secret_ambiguous", {
      name,
      scopes: among.slice(0, SCOPES_SHOWN_MAX).map(({ secret }) => secret.scope),
    });
  return found;
}

async function named(store: Pick<Store, "rows">, name: string): Promise<readonly PresentSecret[]> {
  const found: PresentSecret[] = [];
  // A space sorts before every character of a name.
  let after = { id: "", key: `${name} ` };
  for (;;) {
    const rows = await store.rows(SECRETS, { limit: PAGE, by: "place", descending: false, after });
    const mine = rows.filter(isPresent).filter(({ secret }) => secret.name === name);
    found.push(...mine);
    const last = mine.at(-1);
    if (last === undefined || mine.length < PAGE) return found;
    after = { id: last.id, key: `${last.secret.name} ${last.secret.scope}` };
  }
}

export function isPresent(row: SecretRow): row is PresentSecret {
  return row.at === "present";
}

/**
 * The secret that a name means in a place: the narrowest scope wins, and in it the owner's own. What the operator gave to a
 * workspace, an agent or a session is for everybody who works there; what stands at the operator's home is not.
 */
export async function secretAt(
  store: Pick<Store, "row">,
  name: string,
  place: SecretPlace,
): Promise<PresentSecret | null> {
  for (const scope of scopesReaching(place)) {
    const owners = scope.kind === "home" || place.owner === OPERATOR ? [place.owner] : [place.owner, OPERATOR];
    for (const owner of owners) {
      const row = await store.row(SECRETS, secretId(owner, scope, name));
      if (row !== null && isPresent(row)) return row;
    }
  }
  return null;
}
