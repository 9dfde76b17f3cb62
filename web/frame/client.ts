import { type Client, createClient } from "../../src/client/index.ts";
import { keep, kept } from "./kept.ts";

const PAGE_HALF = "page";
const OWN_ID = "tokenId";

let client: Client | null = null;
let clientHalf: string | null = null;

/** The daemon's syscalls, typed. A refusal is thrown as a `ClientError`. */
export function nomos(): Client {
  // Another tab may have signed in since.
  const half = kept(PAGE_HALF) ?? "none";
  if (client === null || half !== clientHalf) client = createClient({ url: location.origin, token: half });
  clientHalf = half;
  return client;
}

/** The page's half of the secret; the other half is a cookie that no script can read. */
export function pageHalf(): string | null {
  return kept(PAGE_HALF);
}

/** Trades a one-time link for a sign-in of this browser. False: the browser forgets it when the page is closed. */
export async function signInWith(link: string): Promise<boolean> {
  const { page, tokenId } = await createClient({ url: location.origin, token: link }).call("dashboard.enter", {});
  client = null;
  keep(OWN_ID, tokenId);
  return keep(PAGE_HALF, page);
}

/** Whether an event was caused in this browser. */
export function isOwn(actor: string): boolean {
  const id = kept(OWN_ID);
  return id !== null && actor.endsWith(id);
}

export async function signOut(): Promise<void> {
  await nomos().call("dashboard.leave", {});
  keep(PAGE_HALF, null);
  client = null;
}
