import { Socket } from "node:net";
import { Client } from "pg";
import { StoreError } from "../../port.ts";
import type { PostgresAddress } from "./address.ts";
import { isUnreachable, translate } from "./translate-error.ts";

export type Row = Record<string, unknown>;
export type Given = string | number | boolean | Uint8Array | null;
/** One database session. Everything it throws is a `StoreError`. */
export interface Connection {
  readonly processId: number;
  /** Whether the server was a standby or the role read-only when the connection was made. */
  readonly isReadOnly: boolean;
  /** A statement with parameters is prepared at its first use and then found by its text. */
  readonly query: (sql: string, ...given: readonly Given[]) => Promise<readonly Row[]>;
  /** Sends several statements in one message. Returns the rows of each. */
  readonly script: (sql: string) => Promise<readonly (readonly Row[])[]>;
  readonly onNotification: (heard: (message: { readonly processId: number; readonly payload: string }) => void) => void;
  readonly isOpen: () => boolean;
  /** Resolves when the connection has ended, for whatever reason. */
  readonly ended: Promise<void>;
  readonly close: () => Promise<void>;
  /** Closes at once, even in the middle of a statement. */
  readonly drop: () => void;
}

export interface ConnectionLimits {
  /** PostgreSQL cancels a statement that takes longer. */
  readonly statementMs: number;
  readonly lockWaitMs: number;
  /** Limits how long a writer that vanished inside a transaction can block others. */
  readonly idleInTransactionMs: number;
  /** How much longer than PostgreSQL's own limit an answer may take. After that the connection counts as dead. */
  readonly answerSlackMs: number;
}

const CONNECT_MAX_MS = 5000;
const GOODBYE_MAX_MS = 1000;
const KEEP_ALIVE_MS = 10_000;
const VANISHED_CHECK_MS = 5000;

const STATEMENTS_KEPT = 200;
const BIGINT = 20;

export async function connect(address: PostgresAddress, limits: ConnectionLimits): Promise<Connection> {
  const socket = new Socket();
  const ended = Promise.withResolvers<void>();
  let isOpen = true;
  const drop = (): void => {
    isOpen = false;
    socket.destroy();
  };
  socket.once("close", () => {
    isOpen = false;
    ended.resolve();
  });

  const within = async <T>(limitMs: number, work: Promise<T>): Promise<T> => {
    const late = setTimeout(drop, limitMs);
    try {
      return await work;
    } catch (cause) {
      const error = translate(cause, { store: address.shown });
      if (isUnreachable(error)) drop();
      throw error;
    } finally {
      clearTimeout(late);
    }
  };

  const client = await within(CONNECT_MAX_MS, open(address, limits, socket)).catch((error: unknown) => {
    drop();
    throw error;
  });
  const answerMs = limits.statementMs + limits.answerSlackMs;
  const names = new Map<string, string>();
  const nameOf = (sql: string): string | undefined => {
    if (!names.has(sql) && names.size < STATEMENTS_KEPT) names.set(sql, `nomos_${names.size}`);
    return names.get(sql);
  };
  const query: Connection["query"] = async (sql, ...given) => {
    const name = given.length === 0 ? undefined : nameOf(sql);
    return (await within(answerMs, client.query<Row>({ name, text: sql, values: [...given] }))).rows;
  };
  const script: Connection["script"] = async (sql) => {
    const results: unknown = await within(answerMs, client.query<Row>(sql));
    return (Array.isArray(results) ? results : [results]).map((result) => result.rows);
  };
  const [told] = await query("SELECT pg_backend_pid() AS pid, current_setting('transaction_read_only') AS read_only");
  return {
    processId: Number(told?.["pid"]),
    isReadOnly: told?.["read_only"] === "on",
    query,
    script,
    onNotification: (heard) => {
      client.on("notification", ({ processId, payload }) => heard({ processId, payload: payload ?? "" }));
    },
    isOpen: () => isOpen,
    ended: ended.promise,
    close: async () => {
      const late = setTimeout(drop, GOODBYE_MAX_MS);
      await client.end();
      await ended.promise;
      clearTimeout(late);
    },
    drop,
  };
}

async function open(address: PostgresAddress, limits: ConnectionLimits, socket: Socket): Promise<Client> {
  const client = new Client({
    connectionString: address.connectionString,
    stream: () => socket,
    application_name: "nomos",
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    options: settings({
      search_path: `"${address.schema}",pg_temp`,
      statement_timeout: limits.statementMs,
      lock_timeout: limits.lockWaitMs,
      idle_in_transaction_session_timeout: limits.idleInTransactionMs,
      client_connection_check_interval: VANISHED_CHECK_MS,
      tcp_keepalives_idle: KEEP_ALIVE_MS / 1000,
      synchronous_commit: "on",
      // A statement outside of a transaction sees what is committed when it gets a lock.
      default_transaction_isolation: "read committed",
      bytea_output: "hex",
    }),
  });
  // The pending query reports the error; without a handler an idle connection would crash the process.
  client.on("error", () => socket.destroy());
  client.setTypeParser(BIGINT, parsePosition);
  await client.connect();
  return client;
}

/** PostgreSQL sends bigint as text. All our positions are safe integers. */
function parsePosition(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new StoreError("log_corrupt", { problem: "a number is out of range" });
  return value;
}

function settings(given: Readonly<Record<string, string | number>>): string {
  return Object.entries(given)
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(/[\\ ]/g, "\\$&")}`)
    .join(" ");
}
