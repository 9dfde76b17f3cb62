import { NomosError } from "../../contract/index.ts";
import type { AnchorAnswer } from "../../domains/index.ts";
import type { LogTree, SignedCheckpoint, VerifierKey } from "../../store/index.ts";

/**
 * A place that keeps checkpoints and that the log's writer cannot change. It reveals when somebody replaced a log together
 * with everything beside it.
 */
export interface Anchor {
  readonly kind: AnchorAnswer["kind"];
  readonly where: string;
  /** Stores the checkpoint. Refuses with `anchor_disagrees` when the anchor holds another log's. */
  readonly put: (checkpoint: SignedCheckpoint, signal: AbortSignal) => Promise<void>;
  /** Compares the checkpoint with the one the anchor holds. Refuses with `anchor_failed` when it gives no answer. */
  readonly ask: (checkpoint: SignedCheckpoint, signal: AbortSignal) => Promise<Finding>;
}

export type Finding = Pick<AnchorAnswer, "size" | "root"> & {
  readonly verdict: Exclude<AnchorAnswer["verdict"], "unreachable">;
};

export const KNOWS_NOTHING: Finding = { verdict: "knows nothing", size: null, root: null };

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
