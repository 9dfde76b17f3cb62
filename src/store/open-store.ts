import { randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, openSync, readSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { type Progress, type Store, StoreError } from "./port.ts";
import { isPostgresUrl, withoutPassword } from "./postgres/connection/address.ts";
import { logPath, openSqliteStore } from "./sqlite/store.ts";

export interface StoreSettings {
  /** The caller holds this home's lock. */
  readonly home: string;
  /** `sqlite` or undefined: a file in the home. `postgres://...`: that database. */
  readonly address: string | undefined;
  /** PostgreSQL only: how long a daemon that stops renewing its lease keeps it. */
  readonly leaseMs: number;
  /** PostgreSQL only: how long to wait for another daemon to release the lease. */
  readonly waitMs: number;
  /** A module with other aggregates than the built-in ones. */
  readonly definitions?: string;
  /** SQLite only: the writer's thread, started early. */
  readonly thread?: Worker;
}

const SQLITE = "sqlite";

/** Opens the store that the settings name. Only the home's one daemon may call it. */
export async function openStore(settings: StoreSettings, onFatal: (error: StoreError) => void): Promise<Store> {
  const { home, address = SQLITE, leaseMs, waitMs, definitions = null, thread } = settings;
  if (address === SQLITE)
    return openSqliteStore({ home, onFatal, definitions, ...(thread === undefined ? {} : { thread }) });
  await thread?.terminate();
  if (!isPostgresUrl(address))
    throw new StoreError("store_unsuitable", { problem: "a store is `sqlite` or `postgres://...`" });
  // Imported on demand: a daemon with a SQLite log does not need the PostgreSQL driver.
  const { openPostgresStore } = await import("./postgres/store.ts");
  return openPostgresStore({
    url: address,
    onFatal,
    definitions,
    lease: { holder: holderOf(home), ttlMs: leaseMs, waitMs },
  });
}

/**
 * Loads a copy of a log into the database that the settings name. Returns false for SQLite: the caller then puts the
 * file into the home. Refuses `home_not_empty`.
 */
export async function loadCopy(
  { address = SQLITE }: Pick<StoreSettings, "address">,
  folder: string,
  progress?: Progress,
): Promise<boolean> {
  if (address === SQLITE) return false;
  const { loadLog } = await import("./postgres/writer/load.ts");
  await loadLog(address, folder, progress);
  return true;
}

/** Whether a log may exist already. For PostgreSQL it depends on the home alone; the database is not asked. */
export function mayHaveLog({ home, address = SQLITE }: Pick<StoreSettings, "home" | "address">): boolean {
  return existsSync(address === SQLITE ? logPath(home) : home);
}

/** The address without its password. */
export function shownAddress(address: string): string {
  return address === SQLITE ? address : withoutPassword(address);
}

/**
 * The name of the lease's holder: this home on this machine. A copy of the home elsewhere has another name. The home
 * lock makes sure that only one daemon uses the name at a time.
 */
function holderOf(home: string): string {
  const path = join(home, "home-id");
  if (!existsSync(path)) writeFileSync(path, `${randomBytes(8).toString("hex")}\n`, { mode: 0o600 });
  return `${hostname()} ${home} ${startOf(path).trim()}`;
}

const ID_BYTES_MAX = 64;

/** Reads a bounded prefix, however large the file is. */
function startOf(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(ID_BYTES_MAX);
    return bytes
      .subarray(0, readSync(file, bytes))
      .toString("latin1")
      .replaceAll(/[^\x21-\x7e]/g, "");
  } finally {
    closeSync(file);
  }
}
