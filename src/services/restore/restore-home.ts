import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { createCommitter, subjectOf, UNBOUNDED } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import {
  AccessToken,
  type AnchorAnswer,
  acquireLease,
  type Compared,
  HOME_LEASE,
  hex,
  type LeaseState,
  type Restored,
  revokeToken,
  SYSTEM_STREAM,
  System,
  type SystemState,
  systemFact,
  type TokenState,
  uuidv7Maker,
} from "../../domains/index.ts";
import { systemClock } from "../../host/index.ts";
import { type Decision, isRefusal } from "../../kernel/index.ts";
import { createRedactor } from "../../redaction/index.ts";
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
} from "../../store/index.ts";
import { allTokens } from "../../supervisor/index.ts";
import { openSettings, storeSettings } from "../config/settings.ts";
import { newestKnownCheckpoint } from "./newest-checkpoint.ts";
import { compareWithAnchors, newestKnown, withRoot } from "./restore-anchors.ts";
import { placeRestored, RESTORING } from "./restored-files.ts";

export interface RestoreOptions {
  readonly home: string;
  readonly from: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Further anchors to ask, in the form of the configuration's `anchors`. */
  readonly anchors?: unknown;
  /** Restores although an anchor contradicts the backup. */
  readonly despiteAnchors?: boolean;
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
  /** A checkpoint that was signed after the backup was made: the events it covers beyond the backup are lost. */
  readonly newer: { readonly size: number; readonly root: string | null } | null;
  /** What each anchor answered. */
  readonly anchors: readonly AnchorAnswer[];
  readonly missingBlobs: number;
  /** Number of scoped tokens that were valid in the backup; all of them are revoked. */
  readonly tokensEnded: number;
  /** Folder with the earlier files of the home; null when there were none. */
  readonly movedTo: string | null;
}

/**
 * Makes a home from a backup. Everything is written and verified in another folder of the home. The log is moved into place
 * last: an interrupted restore leaves no log, and a daemon refuses to start on it.
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
    // The home was made for this restore: remove it again.
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
    // A refused restore leaves nothing; a killed one leaves this folder, which stops the next start.
    await rm(folder, { recursive: true, force: true });
    throw thrown;
  });
  const movedTo = await placeRestored(home, folder);
  await chmod(home, 0o700);
  return { home, from, ...made, movedTo };
}

async function restoreInto(
  options: RestoreOptions,
  folder: string,
  manifest: Manifest,
  isSecond: boolean,
): Promise<Omit<RestoreReport, "home" | "from" | "movedTo">> {
  const { home, from, environment, progress } = options;
  progress("copying the backup");
  await takeCopy(from, manifest, folder);
  progress("verifying every event and every blob");
  const { key, kept } = await verifyBackup(from, folder, manifest);
  const settings = storeSettings(home, await openSettings(folder), environment);
  const remembered = await newestKnownCheckpoint(home, key.verifier);
  if (remembered !== null && remembered.size <= kept.size) await expectSame(folder, from, remembered);
  const compared = await compareWithAnchors(options, folder, { key: key.verifier, kept });
  const anchors = compared?.answers ?? [];
  const newer = newestKnown(kept.size, remembered, anchors);
  const { madeAt, size, root } = manifest;
  progress("going on from it");
  const isElsewhere = await loadCopy(settings, folder).catch(async (thrown: unknown) => {
    if (!isSecond || !(await isLoaded({ ...settings, home }, manifest))) throw thrown;
    return true;
  });
  const target = isElsewhere ? { ...settings, home } : { ...settings, home: folder };
  const went = await withStore(target, (store) =>
    goOn(store, { from, madeAt, size, root, newer: withRoot(newer) }, compared),
  );
  if (isElsewhere) for (const name of ["log.db", "blobs"]) await rm(join(folder, name), { recursive: true });
  const shown = shownAddress(settings.address ?? "sqlite");
  return { store: shown, madeAt, size, root, ...went, newer, anchors, missingBlobs: manifest.missingBlobs.length };
}

/** A checkpoint in the home must cover a part of the restored log; otherwise it belongs to another log. */
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

/** Whether the database holds exactly what a killed restore loaded. If so, this restore continues it. */
async function isLoaded(settings: StoreSettings, { size, root }: Manifest): Promise<boolean> {
  return withStore(settings, async (store) => {
    if ((await store.lastSeq()) < size || hex(await rootOfLog(store, size)) !== root) return false;
    let at = 0;
    for (let after: number | null = size; after !== null; ) {
      const page: EventPage = await store.readAll({ after, limit: PAGE });
      for (const { type, actor } of page.events) {
        if (actor === RESTORER && type === "log.compared@1") continue;
        if (actor !== RESTORER || type !== (RESTORED[at] ?? "token.revoked@1")) return false;
        at += 1;
      }
      after = page.next;
    }
    return true;
  });
}

const PAGE = 500;

/** The first events of a restore; revoked tokens follow. */
const RESTORED: readonly string[] = ["lease.acquired@1", "log.restored@1", "lease.released@1"];
/** Restoring needs access to the home's files, which only the operator has. */
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
 * Takes a new epoch and records the restore in one append. The fence is at least the time in seconds: fences rise by one per
 * start, so no copy of this log that ran on after the backup has a higher one.
 */
async function goOn(
  store: Store,
  restored: Omit<Restored, "fence">,
  compared: Compared | null,
): Promise<{ readonly fence: number; readonly tokensEnded: number }> {
  const clock = systemClock();
  const newId = uuidv7Maker({ nowMs: clock.nowMs, random: () => randomBytes(10) });
  // With a version the fold uses events alone, not the read models, which are rebuilt next.
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
    decide: (now: SystemState) => beginEpoch(now.lease, { ...restored, fence }, compared),
  };
  const committer = createCommitter({
    store,
    clock,
    newId,
    fence,
    bounds: UNBOUNDED,
    redactor: createRedactor({ fingerprintKey: randomBytes(32) }),
  });
  await committer.commit([begins, ...ends], { by: { actor: RESTORER } });
  return { fence, tokensEnded: tokens.length };
}

/** Takes the lease, records the restore, and releases the lease for the next daemon. */
function beginEpoch(lease: LeaseState, restored: Restored, compared: Compared | null): Decision {
  const { fence } = restored;
  const holder = `restore:${process.pid}`;
  const taken = acquireLease(lease, { resource: HOME_LEASE, holder, deadHolder: true, atLeast: fence });
  if (isRefusal(taken)) return taken;
  return [
    ...taken,
    systemFact("log.restored@1", restored),
    ...(compared === null ? [] : [systemFact("log.compared@1", compared)]),
    systemFact("lease.released@1", { resource: HOME_LEASE, fence }),
  ];
}

/** All tokens are revoked, because it is unknown which were revoked after the backup. */
async function validTokens(store: Store): Promise<readonly Extract<TokenState, { at: "valid" }>[]> {
  return (await allTokens(store)).filter((state) => state.at === "valid");
}

function ignore(): void {
  return;
}
