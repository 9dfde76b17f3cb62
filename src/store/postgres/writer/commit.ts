import { number } from "../../log/encoding.ts";
import type { WriteReply, WriteRequest } from "../../log/write-request.ts";
import type { Taken } from "../../models/quota.ts";
import type { RowWrite } from "../../models/rows.ts";
import { createWrittenRows } from "../../models/written-rows.ts";
import { StoreError } from "../../port.ts";
import { createRecent } from "../../recent.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { isDuplicate } from "../connection/translate-error.ts";
import { type ClaimId, readKnown, usageOf } from "./known.ts";
import type { Known, LogHead, MarkedHead, Plan, StreamHead } from "./plan.ts";
import { planBatch } from "./plan-batch.ts";
import { hasMoved, type Lists, writeAtOnce, writePlan } from "./writes.ts";

/** A batch being committed. Between sending COMMIT and its answer, only the log knows the outcome. */
export interface Attempt {
  readonly requests: readonly WriteRequest[];
  /** Set just before what may commit is sent, and cleared when the outcome is known. */
  sent: Plan | null;
}

/**
 * Commits a batch in one transaction. Checks and writes happen under the lock of the head row. While nobody else writes,
 * what they depend on is in memory: then one statement both makes sure of that and writes.
 */
export type Commit = (connection: Connection, attempt: Attempt) => Promise<readonly WriteReply[]>;

/** The end of the log, with what it takes up. */
interface LogEnd extends MarkedHead {
  readonly home: Taken;
}

const HEADS_KEPT = 20_000;

export function createCommit(deps: {
  readonly channel: string;
  readonly claim: ClaimId;
  readonly lists: Lists;
  /** Called with the log's current fence. */
  readonly onFence: (fence: number) => void;
}): Commit {
  const remembered = createRecent<string, StreamHead>(HEADS_KEPT);
  const written = createWrittenRows();
  /** What is kept in memory is valid only while the log still ends here, that is, while nobody else has written. */
  let lastSeq = 0;
  /** The end of the log, when all of it is known. */
  let end: LogEnd | null = null;

  const forget = (): void => {
    remembered.clear();
    written.forget();
    end = null;
  };
  const remember = ({ head, home, streamHeads, rows, erasure, repair }: Plan, mark: string): void => {
    lastSeq = head.seq;
    // Erasures and repairs change the usage of other streams.
    if (erasure !== null || repair !== null) {
      forget();
      return;
    }
    end = { head, home, mark };
    for (const [stream, streamHead] of streamHeads) remembered.set(stream, streamHead);
    for (const row of rows) written.note(row);
  };
  const planFor = (requests: readonly WriteRequest[], known: Known): Plan => {
    const plan = planBatch(requests, known);
    // An erasure removes rows before it writes them again.
    const isNeeded = (row: RowWrite) => plan.erasure !== null || !written.isSame(row);
    return { ...plan, rows: plan.rows.filter(isNeeded) };
  };
  /** Marks the plan as sent until it is certain that nothing of it was written. */
  const sending = async <T>(attempt: Attempt, plan: Plan, work: () => Promise<T>): Promise<T> => {
    attempt.sent = plan;
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof StoreError && cause.code !== "store_unreachable") attempt.sent = null;
      throw cause;
    }
  };

  const lockHead = async (connection: Connection): Promise<LogEnd> => {
    const [, rows, used] = await connection.script(
      "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT seq, streams, fence, xmin::text AS mark FROM head FOR UPDATE; SELECT events, bytes, blob_bytes FROM usage WHERE stream = 0",
    );
    const [row] = rows ?? [];
    if (row === undefined) throw new StoreError("log_corrupt", { problem: "the log has no head" });
    const head = headOf(row);
    // The server was restored from a backup, or a standby took over too early: acknowledged events are missing.
    if (head.seq < lastSeq)
      throw new StoreError("log_corrupt", { problem: "rolled_back", found: head.seq, acknowledged: lastSeq });
    if (head.seq !== lastSeq) forget();
    deps.onFence(head.fence);
    return { head, home: usageOf(used?.[0]), mark: String(row["mark"]) };
  };

  /** The caller holds the head's lock, so the earlier transaction has ended, with or without success. */
  const hasHappened = async (connection: Connection, plan: Plan): Promise<boolean> => {
    const first = plan.events[0];
    if (first === undefined) return false;
    return (await connection.query("SELECT 1 FROM events WHERE id = $1", first.event.id)).length > 0;
  };

  /** Null when the batch needs the lock first, or when somebody else has written. */
  const commitAtOnce = async (connection: Connection, attempt: Attempt): Promise<readonly WriteReply[] | null> => {
    if (end === null || !attempt.requests.every(isPlain)) return null;
    const from = end;
    const known = await readKnown(connection, attempt.requests, from.head, from.home, remembered, deps.claim);
    const plan = planFor(attempt.requests, known);
    // A refusal is certain only together with a write, which shows that memory was right.
    if (plan.events.length === 0) return null;
    try {
      remember(plan, await sending(attempt, plan, () => writeAtOnce(connection, plan, from, deps.channel, deps.lists)));
      return plan.replies;
    } catch (cause) {
      if (cause instanceof StoreError && (hasMoved(cause) || isDuplicate(cause))) return null;
      throw cause;
    }
  };

  /**
   * Answers for an attempt whose outcome is unknown. Null when nothing of it was written; then nothing of it ever will
   * be, also if its statement arrives late: the head no longer has the mark that it expects.
   */
  const findOutcome = async (connection: Connection, sent: Plan): Promise<readonly WriteReply[] | null> => {
    const { head } = await lockHead(connection);
    const isWritten = await hasHappened(connection, sent);
    if (!isWritten) await connection.query("UPDATE head SET seq = seq");
    await connection.query("COMMIT");
    forget();
    lastSeq = head.seq;
    return isWritten ? sent.replies : null;
  };

  return async (connection, attempt) => {
    if (attempt.sent !== null) {
      const replies = await findOutcome(connection, attempt.sent);
      if (replies !== null) return replies;
      attempt.sent = null;
    }
    const replies = await commitAtOnce(connection, attempt);
    if (replies !== null) return replies;
    const { head, home, mark } = await lockHead(connection);
    const known = await readKnown(connection, attempt.requests, head, home, remembered, deps.claim);
    const plan = planFor(attempt.requests, known);
    const moved = await writePlan(connection, plan, deps.channel, deps.lists, written);
    await sending(attempt, plan, () => connection.query("COMMIT"));
    remember(plan, moved ?? mark);
    return plan.replies;
  };
}

/** Whether everything that a request depends on changes only with the end of the log. Blobs and leases do not. */
function isPlain({ parts, erase, repair, cursor }: WriteRequest): boolean {
  const events = parts.flatMap((part) => part.events);
  const isOfLog = events.every(({ blobs, takesFence }) => blobs.length === 0 && takesFence === null);
  return isOfLog && erase === null && repair === null && cursor === null;
}

function headOf(row: Row): LogHead {
  return { seq: number(row["seq"]), streams: number(row["streams"]), fence: number(row["fence"]) };
}
