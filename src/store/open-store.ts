import { randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, openSync, readSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Progress, type Store, StoreError } from "./port.ts";
import { isPostgresUrl, withoutPassword } from "./postgres/connection/address.ts";
import { logPath, openSqliteStore } from "./sqlite/store.ts";

export interface StoreSettings {
  /** Whoever opens a store holds this home's lock. */
  readonly home: string;
  /** `sqlite` or nothing: a file in the home. `postgres://...`: that database. */
  readonly address: string | undefined;
  /** PostgreSQL only: how long a daemon that is not heard of keeps its right to the log. */
  readonly leaseMs: number;
  /** PostgreSQL only: how long to wait for another daemon to let go of it. */
  readonly waitMs: number;
  /** The module with the list of aggregates, when it is not the house's own. */
  readonly definitions?: string;
}

const SQLITE = "sqlite";

/** The store that the settings name, for the one daemon that may write it. */
export async function openStore(settings: StoreSettings, onFatal: (error: StoreError) => void): Promise<Store> {
  const { home, address = SQLITE, leaseMs, waitMs, definitions = null } = settings;
  if (address === SQLITE) return openSqliteStore({ home, onFatal, definitions });
  if (!isPostgresUrl(address))
    throw new StoreError("store_unsuitable", { problem: "a store is `sqlite` or `postgres://...`" });
  // Loaded when it is wanted: the driver is no part of a daemon that has its log in a file.
  const { openPostgresStore } = await import("./postgres/store.ts");
  return openPostgresStore({
    url: address,
    onFatal,
    definitions,
    lease: { holder: holderOf(home), ttlMs: leaseMs, waitMs },
  });
}

/**
 * Puts a copy of a log where the settings say the log is, when that is not a file of the home: then it is the home's
 * folder that takes it, and false is the answer. Refuses `home_not_empty`.
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

/** Whether there may be something in it already. What is in a database, only the database knows. */
export function mayHaveLog({ home, address = SQLITE }: Pick<StoreSettings, "home" | "address">): boolean {
  return existsSync(address === SQLITE ? logPath(home) : home);
}

/** An address as it may be shown. */
export function shownAddress(address: string): string {
  return address === SQLITE ? address : withoutPassword(address);
}

/**
 * Who holds the lease: this home on this machine, and no copy of it elsewhere. Two daemons of one name cannot be alive
 * at once, because the home has a lock.
 */
function holderOf(home: string): string {
  const path = join(home, "home-id");
  if (!existsSync(path)) writeFileSync(path, `${randomBytes(8).toString("hex")}\n`, { mode: 0o600 });
  return `${hostname()} ${home} ${startOf(path).trim()}`;
}

const ID_BYTES_MAX = 64;

/** Whatever was written over it, what is read stays short. */
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
