import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { createCommitter, subjectOf, UNBOUNDED } from "../commit/index.ts";
import { NomosError } from "../contract/index.ts";
import {
  AccessToken,
  acquireLease,
  HOME_LEASE,
  type LeaseState,
  type Restored,
  revokeToken,
  SYSTEM_STREAM,
  System,
  type SystemState,
  systemFact,
  type TokenState,
} from "../domains/index.ts";
import { systemClock } from "../host/index.ts";
import { type Decision, hex, isRefusal, uuidv7Maker } from "../kernel/index.ts";
import {
  type EventPage,
  loadCopy,
  lockHome,
  logPath,
  type Manifest,
  makeFolders,
  openSqliteStore,
  openStore,
  readManifest,
  rootOfLog,
  type Store,
  type StoreError,
  type StoreSettings,
  shownAddress,
  takeCopy,
  verifyBackup,
} from "../store/index.ts";
import { allTokens } from "../supervisor/index.ts";
import { newestKnownCheckpoint } from "./newest-checkpoint.ts";
import { placeRestored, RESTORING } from "./restored-files.ts";
import { openSettings, storeSettings } from "./settings.ts";

export interface RestoreOptions {
  readonly home: string;
  readonly from: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly progress: (message: string) => void;
}

export interface RestoreReport {
  readonly home: string;
  readonly from: string;
  readonly store: string;
  readonly madeAt: string;
  readonly size: number;
  readonly root: string;
  readonly fence: number;
  /** A checkpoint that was signed after the backup was made: what it covers beyond the backup is lost. */
  readonly newer: { readonly size: number; readonly root: string } | null;
  readonly missingBlobs: number;
  /** Scoped tokens that were good in the backup. None of them is good in what was made of it. */
  readonly tokensEnded: number;
  /** Where what lay in the home before has gone; null when there was nothing in the way. */
  readonly movedTo: string | null;
}

/**
 * A home out of a backup. All of it is made and verified under another name in the home; the log comes to its place last,
 * so that a restore that is cut short leaves no log, and a daemon refuses to start on it.
 */
export async function restoreHome(options: RestoreOptions): Promise<RestoreReport> {
  const from = await realpath(options.from).catch((cause: unknown) => {
    throw new NomosError("backup_invalid", { from: options.from, problem: "the path does not exist" }, { cause });
  });
  const manifest = await readManifest(from);
  const madeHome = makeFolders(options.home);
  const home = await realpath(options.home);
  try {
    return await locked(home, () => restoreLocked({ ...options, from, home }, manifest));
  } catch (thrown) {
    // Where nothing was before, nothing is left.
    if (madeHome !== undefined) await rm(home, { recursive: true, force: true });
    throw thrown;
  }
}

async function locked<T>(home: string, work: () => Promise<T>): Promise<T> {
  const lock = lockHome(join(home, "lock.db"));
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function restoreLocked(options: RestoreOptions, manifest: Manifest): Promise<RestoreReport> {
  const { home, from } = options;
  if (existsSync(logPath(home))) throw new NomosError("home_not_empty", { home });
  const folder = join(home, RESTORING);
  const isSecond = existsSync(folder);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  const made = await restoreInto(options, folder, manifest, isSecond).catch(async (thrown: unknown) => {
    // A restore that was refused leaves nothing; one that was killed leaves a folder that says so.
    await rm(folder, { recursive: true, force: true });
    throw thrown;
  });
  const movedTo = await placeRestored(home, folder);
  await chmod(home, 0o700);
  return { home, from, ...made, movedTo };
}

async function restoreInto(
  { home, from, environment, progress }: RestoreOptions,
  folder: string,
  manifest: Manifest,
  isSecond: boolean,
): Promise<Omit<RestoreReport, "home" | "from" | "movedTo">> {
  progress("copying the backup");
  await takeCopy(from, manifest, folder);
  progress("verifying every event and every blob");
  const { key, kept } = await verifyBackup(from, folder, manifest);
  const settings = storeSettings(home, await openSettings(folder), environment);
  const remembered = await newestKnownCheckpoint(home, key.verifier);
  if (remembered !== null && remembered.size <= kept.size) await expectSame(folder, from, remembered);
  const newer =
    remembered !== null && remembered.size > kept.size ? { size: remembered.size, root: hex(remembered.root) } : null;
  const { madeAt, size, root } = manifest;
  progress("going on from it");
  const isElsewhere = await loadCopy(settings, folder).catch(async (thrown: unknown) => {
    if (!isSecond || !(await isLoaded({ ...settings, home }, manifest))) throw thrown;
    return true;
  });
  const target = isElsewhere ? { ...settings, home } : { ...settings, home: folder };
  const went = await withStore(target, (store) => goOn(store, { from, madeAt, size, root, newer }));
  if (isElsewhere) for (const name of ["log.db", "blobs"]) await rm(join(folder, name), { recursive: true });
  const shown = shownAddress(settings.address ?? "sqlite");
  return { store: shown, madeAt, size, root, ...went, newer, missingBlobs: manifest.missingBlobs.length };
}

/** What the home remembers of an earlier time must be a part of what is restored, or it is another log's. */
async function expectSame(
  folder: string,
  from: string,
  remembered: { readonly size: number; readonly root: Uint8Array },
): Promise<void> {
  const copy = await openSqliteStore({ home: folder, onFatal: ignore });
  try {
    const found = hex(await rootOfLog(copy, remembered.size));
    if (found === hex(remembered.root)) return;
    const problem = "the home's checkpoint belongs to another log: this backup does not begin with the signed events";
    throw new NomosError("backup_invalid", { from, problem, checkpointSize: remembered.size });
  } finally {
    await copy.close();
  }
}

/** A restore that was killed when the database had it all already, and nothing but that: it is gone on with. */
async function isLoaded(settings: StoreSettings, { size, root }: Manifest): Promise<boolean> {
  return withStore(settings, async (store) => {
    if ((await store.lastSeq()) < size || hex(await rootOfLog(store, size)) !== root) return false;
    let at = 0;
    for (let after: number | null = size; after !== null; ) {
      const page: EventPage = await store.readAll({ after, limit: PAGE });
      for (const { type, actor } of page.events) {
        if (actor !== RESTORER || type !== (RESTORED[at] ?? "token.revoked@1")) return false;
        at += 1;
      }
      after = page.next;
    }
    return true;
  });
}

const PAGE = 500;

/** Behind these come the ends of tokens. */
const RESTORED: readonly string[] = ["lease.acquired@1", "log.restored@1", "lease.released@1"];
/** Whoever can restore has the home's files in their hands. */
const RESTORER = "operator";

async function withStore<T>(settings: StoreSettings, work: (store: Store) => Promise<T>): Promise<T> {
  let failed: StoreError | null = null;
  const store = await openStore(settings, (error) => {
    failed = error;
  });
  try {
    return await work(store);
  } catch (thrown) {
    throw failed ?? thrown;
  } finally {
    await store.close();
  }
}

/**
 * The new epoch and the fact that it is one, in one append. The fence is at least the time in seconds: fences rise by one
 * a start, so that no copy of this log, however long it went on after the backup, has come so far.
 */
async function goOn(
  store: Store,
  restored: Omit<Restored, "fence">,
): Promise<{ readonly fence: number; readonly tokensEnded: number }> {
  const clock = systemClock();
  const newId = uuidv7Maker({ nowMs: clock.nowMs, random: () => randomBytes(10) });
  // As of a version: by that, nothing is asked of what is derived from the log, which is made anew first of all.
  const { lease } = await store.fold(System, "", await store.version(SYSTEM_STREAM));
  await store.rebuild({ fence: lease.lastFence });
  const fence = Math.max(lease.lastFence + 1, Math.floor(clock.nowMs() / 1000));
  const tokens = await validTokens(store);
  const ends = tokens.map(({ token: { tokenId } }) => ({
    of: subjectOf(AccessToken, tokenId),
    decide: (now: TokenState) => revokeToken(now, tokenId),
  }));
  const begins = {
    of: subjectOf(System, ""),
    decide: (now: SystemState) => beginEpoch(now.lease, { ...restored, fence }),
  };
  const committer = createCommitter({ store, clock, newId, fence, bounds: UNBOUNDED });
  await committer.commit([begins, ...ends], { by: { actor: RESTORER } });
  return { fence, tokensEnded: tokens.length };
}

/** Takes the lease over, says why, and leaves it free for the daemon that comes. */
function beginEpoch(lease: LeaseState, restored: Restored): Decision {
  const { fence } = restored;
  const holder = `restore:${process.pid}`;
  const taken = acquireLease(lease, { resource: HOME_LEASE, holder, deadHolder: true, atLeast: fence });
  if (isRefusal(taken)) return taken;
  return [
    ...taken,
    systemFact("log.restored@1", restored),
    systemFact("lease.released@1", { resource: HOME_LEASE, fence }),
  ];
}

/** Which of them were revoked after the backup nobody can tell here: so all of them end. */
async function validTokens(store: Store): Promise<readonly Extract<TokenState, { at: "valid" }>[]> {
  return (await allTokens(store)).filter((state) => state.at === "valid");
}

function ignore(): void {
  return;
}
