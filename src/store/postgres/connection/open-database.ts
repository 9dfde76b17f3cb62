import type { Definitions } from "../../../domains/index.ts";
import { loadDefinitions } from "../../definitions.ts";
import type { StoreError } from "../../port.ts";
import type { Sql } from "../reads/event-pages.ts";
import { createReader, type Use } from "../reads/reader.ts";
import { prepareLists, prepareSchema } from "../tables/migrate.ts";
import { inspectLog } from "../tables/start-check.ts";
import { createCommit } from "../writer/commit.ts";
import { claimLease, type Lease, type LeaseOptions, RENEWALS_PER_TTL } from "../writer/lease.ts";
import { createWriter, type Writer } from "../writer/writer.ts";
import { parseAddress } from "./address.ts";
import { type Connection, type ConnectionLimits, connect } from "./connection.ts";
import { createPool, type PoolLimits } from "./pool.ts";

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database?schema=nomos` */
  readonly url: string;
  readonly schema?: string;
  /** The log can no longer be written, or another daemon has taken it over: the process must end. */
  readonly onFatal: (error: StoreError) => void;
  /** To become the log's one daemon. A read-only or single user needs none. */
  readonly lease?: LeaseOptions;
  readonly limits?: Partial<PostgresLimits>;
  /** A module with other aggregates than the built-in ones. */
  readonly definitions?: string | null;
}

/** The pool's connections are for reads. The writer, the listener and the lease have one each. */
export interface PostgresLimits extends ConnectionLimits, PoolLimits {
  /** How long a write waits for an unreachable database. */
  readonly reachMaxMs: number;
  /** How long a read waits for an unreachable database. */
  readonly rideOutMs: number;
}

export const LIMITS: PostgresLimits = {
  connectionsMax: 8,
  waitingMax: 5000,
  waitMaxMs: 5000,
  statementMs: 20_000,
  lockWaitMs: 15_000,
  idleInTransactionMs: 10_000,
  answerSlackMs: 3000,
  reachMaxMs: 10_000,
  rideOutMs: 3000,
};

/** The database connections and the parts that use them. */
export interface Database {
  readonly defined: Definitions;
  readonly channel: string;
  readonly connect: () => Promise<Connection>;
  readonly use: Use;
  readonly sql: Sql;
  readonly writer: Writer;
  readonly lease: Lease | null;
  readonly close: (waitMaxMs: number) => Promise<void>;
}

/**
 * Connects, checks server and schema, takes the lease, and checks the end of the log. After that the log may be
 * written.
 */
export async function openDatabase(options: PostgresStoreOptions): Promise<Database> {
  const limits = { ...LIMITS, ...options.limits };
  const address = parseAddress(options.url, options.schema);
  const channel = `nomos_${address.schema}`;
  const defined = await loadDefinitions(options.definitions ?? null);
  const connectOne = (): Promise<Connection> => connect(address, limits);

  const first = await connectOne();
  // A hanging renewal must fail before the lease runs out.
  const renewalMs = Math.min(limits.statementMs, Math.ceil((options.lease?.ttlMs ?? 0) / RENEWALS_PER_TTL));
  const leasing = createPool(() => connect(address, { ...limits, statementMs: renewalMs, answerSlackMs: 0 }), {
    connectionsMax: 1,
    waitingMax: 4,
    waitMaxMs: limits.waitMaxMs,
  });
  let lease: Lease | null = null;
  let isOver = false;
  const fatal = (error: StoreError): void => {
    if (isOver) return;
    isOver = true;
    writer.fail(error);
    options.onFatal(error);
  };
  const writer = createWriter({
    connect: connectOne,
    commit: createCommit({
      channel,
      claim: () => lease?.claim ?? null,
      lists: new Map(defined.lists.map((list) => [list.name, list])),
      onFence: (fence) => lease?.seeFence(fence),
    }),
    onFatal: fatal,
    reachMaxMs: limits.reachMaxMs,
  });
  try {
    await prepareSchema(first, address);
    if (options.lease !== undefined) lease = await claimLease(sqlWith(leasing.use), options.lease, fatal);
    await inspectLog(first, defined);
    // Only after taking the lease: until then another daemon may write the old tables.
    await prepareLists(first, address, defined.lists);
  } catch (cause) {
    await lease?.release().catch(() => undefined);
    await leasing.close(0);
    throw cause;
  } finally {
    await first.close();
  }

  const pool = createPool(connectOne, limits);
  const use = createReader(pool, limits.rideOutMs);
  return {
    defined,
    channel,
    connect: connectOne,
    use,
    sql: sqlWith(use),
    writer,
    lease,
    close: async (waitMaxMs) => {
      isOver = true;
      // A lease that cannot be released expires by itself.
      await lease?.release().catch(() => undefined);
      await Promise.all([pool.close(waitMaxMs), leasing.close(waitMaxMs)]);
    },
  };
}

function sqlWith(use: Use): Sql {
  return (text, ...given) => use(({ query }) => query(text, ...given));
}
