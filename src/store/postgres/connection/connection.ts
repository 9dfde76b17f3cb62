import { Socket } from "node:net";
import { Client } from "pg";
import { StoreError } from "../../port.ts";
import type { PostgresAddress } from "./address.ts";
import { isUnreachable, translate } from "./translate-error.ts";

export type Row = Record<string, unknown>;
export type Given = string | number | boolean | Uint8Array | null;
/** One session with the database. Whatever it throws is a `StoreError`. */
export interface Connection {
  readonly processId: number;
  /** A standby, or a role that may only read: as it was when the connection was made. */
  readonly isReadOnly: boolean;
  /** A statement with parameters is prepared at its first use, and known by its text from then on. */
  readonly query: (sql: string, ...given: readonly Given[]) => Promise<readonly Row[]>;
  /** Several statements in one message; the rows of each. */
  readonly script: (sql: string) => Promise<readonly (readonly Row[])[]>;
  readonly onNotification: (heard: (message: { readonly processId: number; readonly payload: string }) => void) => void;
  readonly isOpen: () => boolean;
  /** Resolves when it is over, however it ended. */
  readonly ended: Promise<void>;
  readonly close: () => Promise<void>;
  /** At once, in the middle of whatever it does. */
  readonly drop: () => void;
}

export interface ConnectionLimits {
  /** PostgreSQL itself stops a statement that takes longer. */
  readonly statementMs: number;
  readonly lockWaitMs: number;
  /** A writer that vanished in the middle of a transaction holds up everybody for so long and no longer. */
  readonly idleInTransactionMs: number;
  /** How much longer than PostgreSQL's own limit an answer may take to get here; past that the network is dead. */
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
      bytea_output: "hex",
    }),
  });
  // What went wrong is told to whoever waits for an answer; nobody may be waiting.
  client.on("error", () => socket.destroy());
  client.setTypeParser(BIGINT, parsePosition);
  await client.connect();
  return client;
}

/** PostgreSQL's bigint comes as text; no position that we ever gave is beyond what a number holds exactly. */
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
