import { createHash } from "node:crypto";
import { hashedText, LINE_HASH_DIGITS } from "../../domains/index.ts";

/** `line`: its bytes, one character each. */
export function lineHash(line: string): string {
  return createHash("sha256").update(hashedText(line), "latin1").digest("hex").slice(0, LINE_HASH_DIGITS);
}
