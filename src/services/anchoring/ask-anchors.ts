import { NomosError } from "../../contract/index.ts";
import type { AnchorAnswer } from "../../domains/index.ts";
import type { SignedCheckpoint } from "../../store/index.ts";
import type { Anchor } from "./anchor.ts";

/** Longest time that an unreachable anchor may delay a restore. */
const ASK_MAX_MS = 60_000;

/** Asks all anchors at once. One that gives no usable answer is reported as unreachable, and the others still count. */
export function askAnchors(anchors: readonly Anchor[], checkpoint: SignedCheckpoint): Promise<readonly AnchorAnswer[]> {
  return Promise.all(anchors.map((anchor) => askOne(anchor, checkpoint)));
}

async function askOne({ kind, where, ask }: Anchor, checkpoint: SignedCheckpoint): Promise<AnchorAnswer> {
  try {
    return { kind, where, ...(await ask(checkpoint, AbortSignal.timeout(ASK_MAX_MS))), problem: null };
  } catch (thrown) {
    return { kind, where, verdict: "unreachable", size: null, root: null, problem: wordsOf(thrown) };
  }
}

function wordsOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const reason = thrown instanceof NomosError ? thrown.details["reason"] : undefined;
  return reason === undefined ? thrown.message : `${thrown.message}: ${String(reason)}`;
}
