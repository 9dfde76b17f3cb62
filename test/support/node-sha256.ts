import { createHash } from "node:crypto";
import type { Sha256 } from "../../src/domains/audit/chain.ts";

/** The hash that the pure code is given. */
export const sha256: Sha256 = (...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};
