import { toNomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";
import type { SignedCheckpoint } from "../../store/index.ts";
import type { Anchor } from "./anchor.ts";

export interface AnchorStatus {
  readonly kind: Anchor["kind"];
  readonly where: string;
  /** The last checkpoint that was stored; null when none was since the start. */
  readonly size: number | null;
  readonly at: string | null;
  readonly problem: { readonly code: string; readonly message: string } | null;
}

export interface AnchorKeeper {
  /** Returns at once. A checkpoint that was not sent yet is replaced by the newer one. */
  readonly put: (checkpoint: SignedCheckpoint) => void;
  readonly status: () => readonly AnchorStatus[];
  readonly stop: () => Promise<void>;
}

type PutAnchor = Pick<Anchor, "kind" | "where" | "put">;

const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 300_000;

/** Sends each new checkpoint to each anchor; retries at growing intervals until it is stored. */
export function keepAnchored(
  anchors: readonly PutAnchor[],
  options: { readonly clock: Clock; readonly log: (message: string, details: object) => void },
): AnchorKeeper {
  const stopping = new AbortController();
  const kept = anchors.map((anchor) => keepOne(anchor, stopping.signal, options));
  return {
    put: (checkpoint) => {
      for (const one of kept) one.put(checkpoint);
    },
    status: () => kept.map((one) => one.status()),
    stop: async () => {
      stopping.abort();
      await Promise.all(kept.map((one) => one.ended));
    },
  };
}

function keepOne(
  anchor: PutAnchor,
  signal: AbortSignal,
  { clock, log }: { readonly clock: Clock; readonly log: (message: string, details: object) => void },
) {
  const { kind, where } = anchor;
  let status: AnchorStatus = { kind, where, size: null, at: null, problem: null };
  let waiting: SignedCheckpoint | null = null;
  let wake: () => void = () => undefined;
  let failures = 0;

  const attempt = async (checkpoint: SignedCheckpoint): Promise<void> => {
    try {
      await anchor.put(checkpoint, signal);
      status = { kind, where, size: checkpoint.size, at: clock.iso(clock.nowMs()), problem: null };
      failures = 0;
    } catch (thrown) {
      if (signal.aborted) return;
      const { code, message, details } = toNomosError(thrown);
      const words = thrown instanceof Error ? thrown.message : message;
      if (status.problem?.code !== code)
        log("a checkpoint could not be anchored", { kind, where, code, words, details });
      status = { ...status, problem: { code, message: words } };
      waiting ??= checkpoint;
      failures += 1;
      await clock.sleep(Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_MAX_MS), signal).catch(() => undefined);
    }
  };
  const run = async (): Promise<void> => {
    signal.addEventListener("abort", () => wake(), { once: true });
    while (!signal.aborted) {
      const checkpoint = waiting;
      waiting = null;
      if (checkpoint !== null) await attempt(checkpoint);
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  };

  return {
    put: (checkpoint: SignedCheckpoint): void => {
      waiting = checkpoint;
      wake();
    },
    status: () => status,
    ended: run(),
  };
}
