import { NomosError } from "../../../contract/index.ts";
import type { Proof, ProofWish } from "../evidence.ts";

/** Finds in the log what shows that a task is done. */
export interface Proofs {
  readonly proofOf: (wish: ProofWish) => Promise<Proof>;
}

export function refuseUnproven(ticket: string, missing: readonly string[]): never {
  const [first = "", ...more] = missing;
  const rest = more.length === 0 ? "" : `, and ${more.length} more`;
  const message = `${ticket} is not proven to be done: ${first}${rest} is missing.`;
  throw new NomosError("unproven", { ticket, missing: [...missing] }, { message });
}
