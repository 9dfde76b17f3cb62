import type { RecordedEvent, Store } from "../../store/index.ts";
import type { Reply } from "../questions.ts";

/** Those who wait for a person's answer. The answer itself is an event; this only wakes whoever waits in this process. */
export interface ApprovalWaiters {
  /** Rejects with the signal's reason when the turn is interrupted first. */
  readonly wait: (approvalId: string, signal: AbortSignal) => Promise<Reply>;
  /** Answers are recorded as ever, but nobody here is woken by them any more. */
  readonly stop: () => void;
}

export function createApprovalWaiters(store: Store): ApprovalWaiters {
  const waiting = new Map<string, (reply: Reply) => void>();
  const hear = (events: readonly RecordedEvent[]): void => {
    for (const event of events) {
      const reply = replyIn(event);
      if (reply === null) continue;
      waiting.get(reply.approvalId)?.(reply.reply);
      waiting.delete(reply.approvalId);
    }
  };
  const stop = store.onAppend(hear);
  return {
    wait: (approvalId, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<Reply>();
      const onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      waiting.set(approvalId, resolve);
      return promise.finally(() => {
        waiting.delete(approvalId);
        signal.removeEventListener("abort", onAbort);
      });
    },
    stop,
  };
}

function replyIn(event: RecordedEvent): { readonly approvalId: string; readonly reply: Reply } | null {
  const { type, data } = event;
  if (data === null || typeof data !== "object" || !("approvalId" in data)) return null;
  const approvalId = String(data["approvalId"]);
  const text = (key: string) => (typeof data[key] === "string" ? data[key] : null);
  if (type === "approval.closed@1") return { approvalId, reply: { approved: false, reason: text("status") } };
  if (type !== "approval.answered@1") return null;
  if (data["status"] === "approved") return { approvalId, reply: { approved: true, option: text("option") } };
  return { approvalId, reply: { approved: false, reason: text("reason") } };
}
