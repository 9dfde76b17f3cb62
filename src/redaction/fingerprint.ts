import { createHmac } from "node:crypto";
import { FINGERPRINT_DIGITS } from "./limits.ts";

/** Says that two secrets are the same and nothing else: whoever lacks the key cannot try values. */
export function fingerprintOf(key: Uint8Array, secret: Uint8Array): string {
  return createHmac("sha256", key).update(secret).digest("hex").slice(0, FINGERPRINT_DIGITS);
}
