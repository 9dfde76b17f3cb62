import { setTimeout as sleep } from "node:timers/promises";
import type { WriteReply, WriteRequest } from "../../log/write-request.ts";
import { StoreError } from "../../port.ts";
import type { Connection } from "../connection/connection.ts";
import { asStoreError, isDuplicate, isPassing, isUnreachable } from "../connection/translate-error.ts";
import type { Attempt, Commit } from "./commit.ts";

export type Written = Extract<WriteReply, { ok: unknown }>;

/** The one queue of writes. What comes in while a batch is committed becomes the next one: one transaction, one flush. */
export interface Writer {
  /** `take` is called at once and in order of commits; what it returns is the answer. */
  readonly write: <T>(request: WriteRequest, take: (written: Written) => T) => Promise<T>;
  /** Refuses everything from now on, and whatever has not been sent. */
  readonly fail: (error: StoreError) => void;
  /** Whether a message of this session of the database is of our own making. */
  readonly isOwn: (processId: number) => boolean;
  /** Waits for what has been asked for, within bounds; what is asked for from now on is refused. */
  readonly close: () => Promise<void>;
}

export interface WriterDeps {
  readonly connect: () => Promise<Connection>;
  readonly commit: Commit;
  readonly onFatal: (error: StoreError) => void;
  /** How long a write waits for a database that cannot be reached, when it is known that nothing was written. */
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
  /** The session of now and the one before: its last message may still be on its way. */
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
  /** A transaction that failed is undone; one that does not let itself be undone goes with its connection. */
  const undo = async (): Promise<void> => {
    if (connection?.isOpen() === true) await connection.query("ROLLBACK").catch(() => connection?.close());
  };

  /** Who has waited for too long is told, since nothing of theirs was ever sent. */
  const pause = async (error: StoreError, waitMs: number): Promise<void> => {
    if (isDownTooLong()) rejectAll(queue.splice(0), error);
    await sleep(waitMs);
  };

  /** Commits, and tries again while the database cannot be reached. Everybody of the batch has an answer in the end. */
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
    // Nobody may be told that it failed, for it may be in the log. Whoever is back first looks there.
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
          // It is in the log; that is not to be doubted because of what came after.
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

/** While a standby takes over, the address may lead to one that has not yet: as good as not reached at all. */
async function turnAway(connection: Connection): Promise<never> {
  await connection.close();
  throw new StoreError("store_unreachable", { reason: "the server is read-only" });
}

/** Erasures and repairs go alone: nothing else of their batch has to think of them. */
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

/** What counts is the data; the rest of a request is small beside it. */
function sizeOf(request: WriteRequest): number {
  let bytes = 0;
  for (const part of request.parts) for (const event of part.events) bytes += event.data.length;
  return bytes;
}
