import { NomosError } from "../../../contract/index.ts";
import type { Ticket } from "../../../domains/index.ts";
import type { Governed } from "../../../governance/index.ts";
import type { Json } from "../../../kernel/index.ts";

/** What a ticket's closing rests on. */
export interface Proof {
  /** Null: something is missing. Otherwise what is kept under `refs/nomos/evidence/<ID>`. */
  readonly evidence: { readonly [key: string]: Json } | null;
  /** What is missing, in words for people; empty when it is proven. */
  readonly missing: readonly string[];
}

export interface ProofWish {
  readonly governed: Governed;
  readonly ticket: Ticket;
  /** Events of the log that somebody names for criteria without a check, by the criterion's id. */
  readonly witnesses: Readonly<Record<string, string>>;
  /** Who closes it. */
  readonly actor: string;
}

/** Finds in the log what shows that a task is done. */
export interface Proofs {
  readonly proofOf: (wish: ProofWish) => Promise<Proof>;
}

/** Until something can look for proof, nothing is proven. */
export const NO_PROOFS: Proofs = {
  proofOf: async () => ({ evidence: null, missing: ["a landing of work on this ticket"] }),
};

export function unproven(ticket: string, missing: readonly string[]): NomosError {
  const [first = "", ...more] = missing;
  const rest = more.length === 0 ? "" : `, and ${more.length} more`;
  const message = `${ticket} is not proven to be done: ${first}${rest} is missing.`;
  return new NomosError("unproven", { ticket, missing: [...missing] }, { message });
}
