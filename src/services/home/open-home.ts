import { realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import {
  type Clock,
  type Fingerprints,
  openFingerprints,
  openTrash,
  systemClock,
  type Trash,
} from "../../host/index.ts";
import { createRedactor, type LearningRedactor } from "../../redaction/index.ts";
import { makeFolders, openStore, type Store, type StoreError, shownAddress } from "../../store/index.ts";
import { type Audit, openAudit } from "../audit/open-audit.ts";
import { refusingSecrets } from "../config/refuse-secrets.ts";
import { openSettings, type Settings, storeSettings } from "../config/settings.ts";
import { createInstruments, type Instruments } from "../metrics/instruments.ts";
import { RESTORING, refuseBackup, refuseUnfinished } from "../restore/restored-files.ts";
import { type DaemonLog, openDaemonLog } from "./daemon-log.ts";
import { type HomeIdentity, homeIdentity } from "./home-identity.ts";
import { endWhenFenced, watchLock } from "./one-daemon.ts";
import { prepareHome, takeLock } from "./prepare-home.ts";

/** An open home: configuration, log, audit. */
export interface OpenedHome {
  readonly home: string;
  readonly config: Settings;
  readonly fingerprints: Fingerprints;
  /** What everything passes that is written or sent. The vault teaches it its values. */
  readonly redactor: LearningRedactor;
  readonly log: DaemonLog;
  readonly clock: Clock;
  readonly identity: HomeIdentity;
  readonly store: Store;
  /** The store's address without its password. */
  readonly address: string;
  readonly instruments: Instruments;
  readonly audit: Audit;
  /** Deletes files that agents left, in the background. */
  readonly trash: Trash;
  /** Call it last: it releases the home lock. */
  readonly close: () => Promise<void>;
}

export const TRASH = "trash";

export interface HomeOptions {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly echo: (line: string) => void;
  readonly die: (exitCode: number) => void;
  readonly definitions?: string;
  /** A program's own configuration, over that of the home's file. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The thread of a SQLite log, started early. */
  readonly thread?: Worker;
}

/** A home that is locked for this daemon and ready to be opened. */
export interface LockedHome {
  readonly home: string;
  readonly lock: ReturnType<typeof takeLock>;
  readonly config: Settings;
  readonly fingerprints: Fingerprints;
  readonly redactor: LearningRedactor;
  readonly log: DaemonLog;
  readonly clock: Clock;
  readonly trash: Trash;
}

/** Takes the home lock and makes the home usable; the log is not touched. */
export async function takeHome({ home: given, echo, environment, config: own }: HomeOptions): Promise<LockedHome> {
  makeFolders(given);
  const home = await realpath(given);
  refuseBackup(home);
  const lock = takeLock(home);
  try {
    refuseUnfinished(home);
    const aside = [...lock.aside, ...prepareHome(home)];
    let unkept: unknown = null;
    const fingerprints = await openFingerprints(home, (reason) => {
      unkept = reason;
    });
    const redactor = createRedactor({ fingerprintKey: fingerprints.key });
    const config = refusingSecrets(await openSettings(home, environment, own), redactor);
    const log = openDaemonLog(home, { echo, redact: redactor.text });
    if (unkept !== null) log.write("the key of fingerprints was not kept", { reason: String(unkept) });
    for (const one of aside) log.write("a file in the home blocked the start and was moved aside", { ...one });
    const clock = systemClock();
    const trash = openTrash({ folder: join(home, TRASH), clock, log: log.write });
    await trash.discard(join(home, RESTORING));
    return { home, lock, config, fingerprints, redactor, log, clock, trash };
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

/** Opens the log of a locked home and releases the lock if that fails. The log's threads start before this returns. */
export async function openHome(locked: LockedHome, options: HomeOptions): Promise<OpenedHome> {
  return openLog(locked, options).catch((thrown: unknown) => {
    locked.lock.release();
    throw thrown;
  });
}

async function openLog(locked: LockedHome, options: HomeOptions): Promise<OpenedHome> {
  const { home, lock, config, fingerprints, redactor, log, clock, trash } = locked;
  const identity = homeIdentity(home);
  const { definitions, environment, thread } = options;
  const given = { ...(definitions === undefined ? {} : { definitions }), ...(thread === undefined ? {} : { thread }) };
  const settings = { ...storeSettings(home, config, environment), ...given };
  const instruments = createInstruments(() => performance.now());
  const stopNow = ({ code, details }: StoreError): void => {
    const said = JSON.stringify({ message: "the log can no longer be written; stopping", code, details });
    options.echo(redactor.text(said));
    options.die(6);
  };
  const opened = endWhenFenced(await openStore(settings, stopNow), stopNow);
  const store: Store = { ...opened, append: (...given) => instruments.timeAppend(() => opened.append(...given)) };
  const lockWatch = watchLock({ lock, clock, log: log.write, onLost: stopNow });
  store.onAppend(instruments.appended);
  const audit = await openAudit({
    home,
    store,
    config: config.show(),
    environment: options.environment,
    clock,
    log: log.write,
  }).catch(async (thrown: unknown) => {
    lockWatch.stop();
    await store.close();
    throw thrown;
  });
  return {
    home,
    trash,
    config,
    fingerprints,
    redactor,
    log,
    clock,
    identity,
    store,
    address: shownAddress(settings.address ?? "sqlite"),
    instruments,
    audit,
    close: async () => {
      await trash.stop();
      await audit.stop();
      await store.close();
      lockWatch.stop();
      await rm(join(home, "daemon.json"), { force: true });
      log.write("down");
      await log.close();
      lock.release();
    },
  };
}
