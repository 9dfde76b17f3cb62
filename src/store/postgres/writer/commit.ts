import { number } from "../../log/encoding.ts";
import type { WriteReply, WriteRequest } from "../../log/write-request.ts";
import type { Taken } from "../../models/quota.ts";
import { StoreError } from "../../port.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { type ClaimId, readKnown, usageOf } from "./known.ts";
import type { LogHead, Plan, StreamHead } from "./plan.ts";
import { planBatch } from "./plan-batch.ts";
import { type Lists, writePlan } from "./writes.ts";

/** A batch being committed. Between sending COMMIT and its answer, only the log knows the outcome. */
export interface Attempt {
  readonly requests: readonly WriteRequest[];
  /** Set just before COMMIT is sent, and cleared when the outcome is known. */
  sent: Plan | null;
}

/** Commits a batch in one transaction. Checks and writes happen under the lock of the head row. */
export type Commit = (connection: Connection, attempt: Attempt) => Promise<readonly WriteReply[]>;

const HEADS_KEPT = 20_000;

export function createCommit(deps: {
  readonly channel: string;
  readonly claim: ClaimId;
  readonly lists: Lists;
  /** Called with the log's current fence. */
  readonly onFence: (fence: number) => void;
}): Commit {
  const remembered = new Map<string, StreamHead>();
  /**
   * The stream heads kept in memory are valid only while the log still ends here, that is, while nobody else has
   * written.
   */
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
    // The server was restored from a backup, or a standby took over too early: acknowledged events are missing.
    if (head.seq < lastSeq)
      throw new StoreError("log_corrupt", { problem: "rolled_back", found: head.seq, acknowledged: lastSeq });
    if (head.seq !== lastSeq) remembered.clear();
    deps.onFence(head.fence);
    return { head, home: usageOf(used?.[0]) };
  };

  /** The caller holds the head's lock, so the earlier transaction has ended, with or without success. */
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
    // Erasures and repairs change the usage of other streams, so the kept heads are outdated.
    if (plan.erasure !== null || plan.repair !== null) remembered.clear();
    return plan.replies;
  };
}

function headOf(row: Row): LogHead {
  return { seq: number(row["seq"]), streams: number(row["streams"]), fence: number(row["fence"]) };
}
