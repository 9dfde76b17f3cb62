import { NomosError } from "../../contract/index.ts";
import type { LogTree, SignedCheckpoint, VerifierKey } from "../../store/index.ts";

/**
 * A place outside of the writer's reach that remembers checkpoints. A log that was exchanged as a whole, with all that
 * lies beside it, is still found out by it.
 */
export interface Anchor {
  readonly kind: "git" | "witness";
  readonly where: string;
  /** Leaves the checkpoint there. Refuses with `anchor_disagrees` when what is there is not of this log. */
  readonly put: (checkpoint: SignedCheckpoint, signal: AbortSignal) => Promise<void>;
}

/** The log that is anchored. */
export interface AnchoredLog {
  readonly tree: Pick<LogTree, "rootAt" | "consistency">;
  readonly key: VerifierKey;
}

type Details = NomosError["details"];

export function anchorFailed(message: string, details: Details = {}, cause?: unknown): NomosError {
  return new NomosError("anchor_failed", details, { message, cause });
}

export function anchorDisagrees(message: string, details: Details): NomosError {
  return new NomosError("anchor_disagrees", details, { message });
}
