import { number } from "../../log/encoding.ts";
import type { WriteReply, WriteRequest } from "../../log/write-request.ts";
import type { Taken } from "../../models/quota.ts";
import { StoreError } from "../../port.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { type ClaimId, readKnown, usageOf } from "./known.ts";
import type { LogHead, Plan, StreamHead } from "./plan.ts";
import { planBatch } from "./plan-batch.ts";
import { type Lists, writePlan } from "./writes.ts";

/** A batch on its way. Between the sending of COMMIT and its answer only the log knows what became of it. */
export interface Attempt {
  readonly requests: readonly WriteRequest[];
  /** Set just before COMMIT is sent, and until it is known what became of it. */
  sent: Plan | null;
}

/** One transaction for a batch. All of it is checked and written under the lock of the log's one head row. */
export type Commit = (connection: Connection, attempt: Attempt) => Promise<readonly WriteReply[]>;

const HEADS_KEPT = 20_000;

export function createCommit(deps: {
  readonly channel: string;
  readonly claim: ClaimId;
  readonly lists: Lists;
  /** The fence that the log has now. */
  readonly onFence: (fence: number) => void;
}): Commit {
  const remembered = new Map<string, StreamHead>();
  /** What is remembered holds as long as nobody else has written: then the log's end is where we left it. */
  let lastSeq = 0;

  const remember = (plan: Plan): void => {
    lastSeq = plan.head.seq;
    for (const [stream, head] of plan.streamHeads) {
      remembered.delete(stream);
      remembered.set(stream, head);
    }
    for (const stream of remembered.keys()) {
      if (remembered.size <= HEADS_KEPT) break;
      remembered.delete(stream);
    }
  };

  const lockHead = async (connection: Connection): Promise<{ readonly head: LogHead; readonly home: Taken }> => {
    const [, rows, used] = await connection.script(
      "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT seq, streams, fence FROM head FOR UPDATE; SELECT events, bytes, blob_bytes FROM usage WHERE stream = 0",
    );
    const [row] = rows ?? [];
    if (row === undefined) throw new StoreError("log_corrupt", { problem: "the log has no head" });
    const head = headOf(row);
    // A server that was put back, or a standby that took over too early: what we acknowledged is not there.
    if (head.seq < lastSeq)
      throw new StoreError("log_corrupt", { problem: "rolled_back", found: head.seq, acknowledged: lastSeq });
    if (head.seq !== lastSeq) remembered.clear();
    deps.onFence(head.fence);
    return { head, home: usageOf(used?.[0]) };
  };

  /** The lock was waited for, so that the transaction in question has ended, one way or the other. */
  const hasHappened = async (connection: Connection, plan: Plan): Promise<boolean> => {
    const first = plan.events[0];
    if (first === undefined) return false;
    return (await connection.query("SELECT 1 FROM events WHERE id = $1", first.event.id)).length > 0;
  };

  return async (connection, attempt) => {
    const { head, home } = await lockHead(connection);
    if (attempt.sent !== null && (await hasHappened(connection, attempt.sent))) {
      const { replies } = attempt.sent;
      await connection.query("COMMIT");
      remembered.clear();
      lastSeq = head.seq;
      return replies;
    }
    attempt.sent = null;
    const known = await readKnown(connection, attempt.requests, head, home, remembered, deps.claim);
    const plan = planBatch(attempt.requests, known);
    await writePlan(connection, plan, deps.channel, deps.lists);
    attempt.sent = plan;
    try {
      await connection.query("COMMIT");
    } catch (cause) {
      if (cause instanceof StoreError && cause.code !== "store_unreachable") attempt.sent = null;
      throw cause;
    }
    remember(plan);
    // What it counted anew, or gave to another stream, is not what is remembered of it.
    if (plan.erasure !== null || plan.repair !== null) remembered.clear();
    return plan.replies;
  };
}

function headOf(row: Row): LogHead {
  return { seq: number(row["seq"]), streams: number(row["streams"]), fence: number(row["fence"]) };
}
