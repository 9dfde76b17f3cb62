import { sessionFact, sessionStream } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import type { Reply } from "../questions.ts";
import { replyIn } from "./turn-facts.ts";

/** Those who wait for a person's answer. The answer itself is an event; this only wakes whoever waits in this process. */
export interface ApprovalWaiters {
  /** For a question that is about to be put. Rejects with the signal's reason when the turn is interrupted first. */
  readonly wait: (approvalId: string, signal: AbortSignal) => Promise<Reply>;
  /** For a question that stands in the log: its answer may stand there too. */
  readonly waitOrRead: (put: PutQuestion, signal: AbortSignal) => Promise<Reply>;
  /** Answers are recorded as ever, but nobody here is woken by them any more. */
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
      // First heard, then read: an answer that comes in between is not missed.
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

/** Read from the end, up to the question itself: behind it there is no answer. */
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
