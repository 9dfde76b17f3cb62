import { setTimeout as sleep } from "node:timers/promises";
import type { WriteReply, WriteRequest } from "../../log/write-request.ts";
import { StoreError } from "../../port.ts";
import type { Connection } from "../connection/connection.ts";
import { asStoreError, isDuplicate, isPassing, isUnreachable } from "../connection/translate-error.ts";
import type { Attempt, Commit } from "./commit.ts";

export type Written = Extract<WriteReply, { ok: unknown }>;

/** The one queue of writes. Requests that arrive during a commit form the next batch: one transaction, one flush. */
export interface Writer {
  /** `take` is called synchronously and in commit order. Its result is the answer. */
  readonly write: <T>(request: WriteRequest, take: (written: Written) => T) => Promise<T>;
  /** Refuses new requests and those not yet sent. */
  readonly fail: (error: StoreError) => void;
  /** Whether this database session is one of the writer's own. */
  readonly isOwn: (processId: number) => boolean;
  /** Waits a bounded time for pending requests; refuses new ones. */
  readonly close: () => Promise<void>;
}

export interface WriterDeps {
  readonly connect: () => Promise<Connection>;
  readonly commit: Commit;
  readonly onFatal: (error: StoreError) => void;
  /** How long a write waits for an unreachable database, when it is certain that nothing was written. */
  readonly reachMaxMs: number;
}

interface Waiting {
  readonly request: WriteRequest;
  readonly bytes: number;
  readonly settle: (reply: WriteReply) => void;
  readonly reject: (error: unknown) => void;
}

const BATCH_MAX = 512;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
const BACKLOG_MAX = 20_000;
const BACKLOG_BYTES_MAX = 256 * 1024 * 1024;
const TRY_AGAIN_FIRST_MS = 50;
const TRY_AGAIN_MAX_MS = 1000;
const CLOSE_MAX_MS = 1500;

export function createWriter(deps: WriterDeps): Writer {
  const queue: Waiting[] = [];
  /** The current session and the previous one, whose last notification may still arrive. */
  let ownProcesses: readonly number[] = [];
  let connection: Connection | null = null;
  let backlog = 0;
  let backlogBytes = 0;
  let failure: StoreError | null = null;
  let downSinceMs: number | null = null;
  let running: Promise<void> | null = null;
  let closeByMs: number | null = null;

  const fail = (error: StoreError): void => {
    failure ??= error;
    rejectAll(queue.splice(0), failure);
  };
  const isDownTooLong = (): boolean => downSinceMs !== null && performance.now() - downSinceMs >= deps.reachMaxMs;
  const mayGoOn = (): boolean => failure === null && (closeByMs === null || performance.now() < closeByMs);

  const connected = async (): Promise<Connection> => {
    if (connection?.isOpen() !== true) {
      connection = await deps.connect();
      if (connection.isReadOnly) await turnAway(connection);
      ownProcesses = [connection.processId, ...ownProcesses.slice(0, 1)];
    }
    return connection;
  };
  /** Rolls back the failed transaction. If that fails, closes the connection, which rolls it back too. */
  const undo = async (): Promise<void> => {
    if (connection?.isOpen() === true) await connection.query("ROLLBACK").catch(() => connection?.close());
  };

  /** Rejects requests that have waited too long; nothing of them was sent. */
  const pause = async (error: StoreError, waitMs: number): Promise<void> => {
    if (isDownTooLong()) rejectAll(queue.splice(0), error);
    await sleep(waitMs);
  };

  /** Commits, and retries while the database is unreachable. Every request of the batch gets an answer. */
  const carryOut = async (batch: readonly Waiting[]): Promise<void> => {
    const attempt: Attempt = { requests: batch.map(({ request }) => request), sent: null };
    for (let waitMs = TRY_AGAIN_FIRST_MS; ; waitMs = Math.min(waitMs * 2, TRY_AGAIN_MAX_MS)) {
      try {
        const replies = await deps.commit(await connected(), attempt);
        downSinceMs = null;
        for (const [at, entry] of batch.entries()) settle(entry, replies[at]);
        return;
      } catch (cause) {
        const error = asStoreError(cause);
        await undo();
        if (isUnreachable(error)) downSinceMs ??= performance.now();
        if (!mayTryAgain(error, attempt)) return giveUp(batch, error, attempt);
        await pause(error, waitMs);
      }
    }
  };
  const mayTryAgain = (error: StoreError, { sent }: Attempt): boolean => {
    if (!mayGoOn()) return false;
    // After COMMIT was sent the batch may be in the log, so it must not fail yet. The next attempt looks there first.
    if (sent !== null) return isPassing(error);
    return isUnreachable(error) && !isDownTooLong();
  };
  const giveUp = async (batch: readonly Waiting[], error: StoreError, { sent }: Attempt): Promise<void> => {
    if (isDuplicate(error) && batch.length > 1) for (const entry of batch) await carryOut([entry]);
    else if (isDuplicate(error)) rejectAll(batch, DUPLICATE);
    else if (isPassing(error)) rejectAll(batch, failure ?? (sent === null ? error : unknownOutcome(error)));
    else {
      rejectAll(batch, error);
      deps.onFatal(error);
    }
  };

  const run = async (): Promise<void> => {
    await Promise.resolve();
    while (queue.length > 0) {
      const batch = queue.splice(0, batchLength(queue));
      await carryOut(batch);
      if (failure !== null) fail(failure);
    }
    running = null;
  };

  return {
    write: (request, take) => {
      if (failure !== null) return Promise.reject(failure);
      if (closeByMs !== null) return Promise.reject(new StoreError("store_closed"));
      const bytes = sizeOf(request);
      if (backlog >= BACKLOG_MAX || backlogBytes + bytes > BACKLOG_BYTES_MAX)
        return Promise.reject(new StoreError("overloaded", { requests: backlog, backlogBytes }));
      const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof take>>();
      const settle = (reply: WriteReply): void => {
        try {
          if ("ok" in reply) resolve(take(reply));
          else reject(new StoreError(reply.refused, reply.details));
        } catch (bug) {
          // The events are in the log; an error in `take` does not change that.
          reject(bug);
        }
      };
      queue.push({ request, bytes, settle, reject });
      backlog += 1;
      backlogBytes += bytes;
      running ??= run();
      return promise.finally(() => {
        backlog -= 1;
        backlogBytes -= bytes;
      });
    },
    fail,
    isOwn: (processId) => ownProcesses.includes(processId),
    close: async () => {
      closeByMs ??= performance.now() + CLOSE_MAX_MS;
      await running;
      await connection?.close();
    },
  };
}

/** During a failover the address may still lead to the standby. Treated as unreachable, so that the writer retries. */
async function turnAway(connection: Connection): Promise<never> {
  await connection.close();
  throw new StoreError("store_unreachable", { reason: "the server is read-only" });
}

/** Erasures and repairs run in a batch of their own, which keeps other requests simple. */
function batchLength(queue: readonly Waiting[]): number {
  let bytes = 0;
  for (const [at, entry] of queue.entries()) {
    bytes += entry.bytes;
    const goesAlone = entry.request.erase !== null || entry.request.repair !== null;
    if (goesAlone) return Math.max(at, 1);
    if (at > 0 && (at >= BATCH_MAX || bytes > BATCH_BYTES_MAX)) return at;
  }
  return queue.length;
}

const DUPLICATE = new StoreError("stale_version", { reason: "an event with this id is already in the log" });

function unknownOutcome(error: StoreError): StoreError {
  return new StoreError("store_unreachable", { ...error.details, outcome: "unknown" }, error);
}

function rejectAll(batch: readonly Waiting[], error: StoreError): void {
  for (const entry of batch) entry.reject(error);
}

function settle(entry: Waiting, reply: WriteReply | undefined): void {
  if (reply === undefined) entry.reject(new StoreError("store_failed", { reason: "the writer gave no answer" }));
  else entry.settle(reply);
}

/** Counts the data only; the rest of a request is small. */
function sizeOf(request: WriteRequest): number {
  let bytes = 0;
  for (const part of request.parts) for (const event of part.events) bytes += event.data.length;
  return bytes;
}
