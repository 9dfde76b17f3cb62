import type { OutputOf } from "../../src/client/index.ts";
import { nomos } from "./client.ts";

export type Secret = OutputOf<"secret.list">["secrets"][number];

const PAGE_SECRETS = 1000;
/** A vault holds no more. */
const PAGES_MAX = 20;

/** Every secret that this person may see, without its value. */
export async function allSecrets(signal?: AbortSignal): Promise<readonly Secret[]> {
  const found: Secret[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const input = { limit: PAGE_SECRETS, ...(after === undefined ? {} : { after }) };
    const page = await nomos().call("secret.list", input, signal === undefined ? {} : { signal });
    found.push(...page.secrets);
    if (page.next === null) break;
    after = page.next;
  }
  return found;
}
