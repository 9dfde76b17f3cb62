import { join } from "node:path";
import { findLogKey } from "../../store/index.ts";
import type { Signer } from "./sealed-policy.ts";

/** Signs laws with the key that signs the log's checkpoints. Null in a home that never had a daemon: no key is made. */
export async function homeSigner(home: string): Promise<Signer | null> {
  const key = await findLogKey(join(home, "keys"));
  return key === null ? null : { key: key.verifier.text, sign: key.signText };
}
