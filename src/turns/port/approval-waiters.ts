import { sessionFact, sessionStream } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import type { Reply } from "../questions.ts";
import { replyIn } from "./turn-facts.ts";

/** Callers that wait for a person's answer. The answer is an event; this only wakes callers in this process. */
export interface ApprovalWaiters {
  /** For a question about to be asked. Rejects with the signal's reason when the turn is interrupted first. */
  readonly wait: (approvalId: string, signal: AbortSignal) => Promise<Reply>;
  /** For a question already in the log: its answer may be there too. */
  readonly waitOrRead: (put: PutQuestion, signal: AbortSignal) => Promise<Reply>;
  /** Answers are still recorded, but wake no caller here any more. */
  readonly stop: () => void;
}

export interface PutQuestion {
  readonly sessionId: string;
  readonly turnId: string;
  readonly approvalId: string;
}

export function createApprovalWaiters(store: Store): ApprovalWaiters {
  /** Several calls may wait for one answer: the same question may have been asked again. */
  const waiting = new Map<string, Set<(reply: Reply) => void>>();
  let isStopped = false;
  const tell = (approvalId: string, reply: Reply): void => {
    for (const resolve of waiting.get(approvalId) ?? []) resolve(reply);
    waiting.delete(approvalId);
  };
  const hear = (events: readonly RecordedEvent[]): void => {
    if (waiting.size === 0) return;
    for (const event of events) {
      const fact = sessionFact(event);
      const said = fact === null ? null : replyIn(fact);
      if (said !== null) tell(said.approvalId, said.reply);
    }
  };
  const stopHearing = store.onAppend(hear);

  const wait: ApprovalWaiters["wait"] = (approvalId, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    waiting.set(approvalId, (waiting.get(approvalId) ?? new Set()).add(resolve));
    return promise.finally(() => {
      const others = waiting.get(approvalId);
      others?.delete(resolve);
      if (others?.size === 0) waiting.delete(approvalId);
      signal.removeEventListener("abort", onAbort);
    });
  };

  return {
    wait,
    waitOrRead: async (put, signal) => {
      // Listens first, then reads, so that no answer in between is missed.
      const heard = wait(put.approvalId, signal);
      heard.catch(() => undefined);
      const reply = await recordedReply(store, put);
      if (reply !== null && !isStopped) tell(put.approvalId, reply);
      return heard;
    },
    stop: () => {
      isStopped = true;
      stopHearing();
    },
  };
}

const PAGE = 200;
const APPROVAL_TYPES = ["approval.requested@1", "approval.answered@1", "approval.closed@1"];

/** Reads backwards from the end to the question: an answer cannot be before it. */
async function recordedReply(store: Store, { sessionId, turnId, approvalId }: PutQuestion): Promise<Reply | null> {
  for (let before: number | undefined; ; ) {
    const { events, next } = await store.readStream(sessionStream(sessionId), {
      descending: true,
      limit: PAGE,
      types: APPROVAL_TYPES,
      turnId,
      ...(before === undefined ? {} : { before }),
    });
    for (const fact of events.map(sessionFact)) {
      const said = fact === null ? null : replyIn(fact);
      if (said?.approvalId === approvalId) return said.reply;
      if (fact?.type === "approval.requested@1" && fact.data.approvalId === approvalId) return null;
    }
    if (next === null) return null;
    before = next;
  }
}
