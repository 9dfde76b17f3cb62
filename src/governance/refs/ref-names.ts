import { NomosError } from "../../contract/index.ts";

export const REF_KINDS = ["status", "leases", "evidence"] as const;
/** What is kept for a ticket outside of the files that people write. */
export type RefKind = (typeof REF_KINDS)[number];

/** Never pushed: the newest lease that this clone has seen, so that a fence that goes back is noticed. */
const SEEN = "refs/nomos/seen";
/** Where ExoProtocol keeps its leases. */
const THEIRS = "refs/exoprotocol/locks";
const ID_CHARS_MAX = 100;
const ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/;

export const refOf = (kind: RefKind, id: string): string => `refs/nomos/${kind}/${checked(id)}`;
export const seenRefOf = (id: string): string => `${SEEN}/${checked(id)}`;
export const theirRefOf = (id: string): string => `${THEIRS}/${checked(id)}`;

/** Both, for all tickets. */
export const LEASE_PATTERNS: readonly string[] = ["refs/nomos/leases/*", `${THEIRS}/*`];

/** The id in `refs/nomos/<kind>/<id>`; null for any other name. */
export function idIn(ref: string, kind: RefKind): string | null {
  return idBehind(`refs/nomos/${kind}/`, ref);
}

/** The ticket of a lease, ours or ExoProtocol's. */
export function leasedIn(ref: string): string | null {
  return idIn(ref, "leases") ?? idBehind(`${THEIRS}/`, ref);
}

function idBehind(prefix: string, ref: string): string | null {
  const id = ref.startsWith(prefix) ? ref.slice(prefix.length) : "";
  return isRefId(id) ? id : null;
}

/** Whether git and ExoProtocol take it as a part of a ref's name, just as it is. */
function isRefId(id: string): boolean {
  return id.length <= ID_CHARS_MAX && ID.test(id) && !id.includes("..") && !/\.lock$/i.test(id);
}

function checked(id: string): string {
  if (isRefId(id)) return id;
  const reason = "an id has letters, digits, `-`, `_` and single dots";
  throw new NomosError("ticket_not_found", { ticket: id.slice(0, ID_CHARS_MAX), reason });
}
