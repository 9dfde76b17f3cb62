import type { LogTree, SignedCheckpoint, VerifierKey } from "../../store/index.ts";
import { HostError } from "../host-error.ts";

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

export function anchorFailed(message: string, details: HostError["details"] = {}, cause?: unknown): HostError {
  return new HostError("anchor_failed", message, {
    remedy: "correct `anchors` in the configuration, or repair the place it names",
    details,
    cause,
  });
}

export function anchorDisagrees(message: string, details: HostError["details"]): HostError {
  return new HostError("anchor_disagrees", message, { remedy: "compare the anchor with the log", details });
}
