import type { OutputOf } from "../../../src/client/index.ts";
import { fromHex, toHex } from "./bytes.ts";
import { isPrefix } from "./merkle.ts";
import { parseCheckpoint } from "./signed-note.ts";
import { signatureStep } from "./verify-event.ts";

/** What this browser verified and remembers: the key it saw first, and the newest log under it. */
export interface Remembered {
  readonly key: string;
  readonly size: number;
  readonly root: string;
  readonly at: string;
}

export interface Witnessed {
  /** `alarm`: the log is not the one this browser saw. `unknown`: it could not be checked. */
  readonly is: "first" | "same" | "grown" | "alarm" | "unknown";
  readonly says: string;
  /** What to remember from now on; an alarm changes nothing. */
  readonly remembered: Remembered | null;
}

interface Newest extends Pick<OutputOf<"audit.checkpoint">, "checkpoint" | "key"> {
  readonly now: string;
}

type AskConsistency = (from: number) => Promise<Pick<OutputOf<"audit.consistency">, "hashes" | "checkpoint">>;

/** Compares the daemon's newest checkpoint with what this browser saw before. */
export async function witness(before: Remembered | null, newest: Newest, ask: AskConsistency): Promise<Witnessed> {
  const stay = (is: "alarm" | "unknown", says: string): Witnessed => ({ is, says, remembered: before });
  if (before !== null && before.key !== newest.key)
    return stay("alarm", "The daemon signs with another key than the one this browser saw first.");
  const checkpoint = parseCheckpoint(newest.checkpoint);
  const signed = await signatureStep(checkpoint, newest.key);
  if (checkpoint === null || signed.is !== "good")
    return stay(signed.is === "unknown" ? "unknown" : "alarm", signed.says);
  const head = { key: newest.key, size: checkpoint.size, root: toHex(checkpoint.root), at: newest.now };
  if (before === null || before.size === 0)
    return {
      is: "first",
      says: "First look: this browser remembers the key and the log from now on.",
      remembered: head,
    };
  if (checkpoint.size < before.size)
    return stay("alarm", `The log has ${checkpoint.size} events. The one this browser saw had ${before.size}.`);
  if (checkpoint.size === before.size)
    return head.root === before.root
      ? { is: "same", says: "The log is the one this browser saw.", remembered: head }
      : stay("alarm", "The log has as many events as this browser saw, but others.");
  return isGrown(before, newest, ask);
}

async function isGrown(before: Remembered, newest: Newest, ask: AskConsistency): Promise<Witnessed> {
  const stay = (says: string): Witnessed => ({ is: "alarm", says, remembered: before });
  const answer = await ask(before.size);
  const checkpoint = parseCheckpoint(answer.checkpoint);
  const signed = await signatureStep(checkpoint, newest.key);
  if (checkpoint === null || signed.is !== "good") return stay(signed.says);
  const [root, proof] = [fromHex(before.root), answer.hashes.map(fromHex).filter((hash) => hash !== null)];
  const older = { size: before.size, root: root ?? new Uint8Array() };
  if (proof.length !== answer.hashes.length || !(await isPrefix(older, checkpoint, proof)))
    return stay(`The log does not begin with the ${before.size} events this browser saw.`);
  const head = { key: newest.key, size: checkpoint.size, root: toHex(checkpoint.root), at: newest.now };
  const more = checkpoint.size - before.size;
  const says = `The log still begins with the ${before.size} events this browser saw, and has ${more} more.`;
  return { is: "grown", says, remembered: head };
}
