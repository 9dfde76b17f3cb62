import type { By, Committer } from "../../commit/index.ts";
import { NomosError, type Progress } from "../../contract/index.ts";
import { recordScan, type Scanned, System } from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";
import { idIn, Session, sessionStream } from "../../kernel/index.ts";
import type { Redactor } from "../../redaction/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import type { BackupService } from "../backup/backups.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { createBreath } from "./breath.ts";
import { type Erasures, eraseFound, type Target } from "./erase-found.ts";
import { createLook, type Look } from "./look.ts";
import { lookThrough } from "./scan-events.ts";
import { createFileScan } from "./scan-files.ts";
import { createTally, type Tally } from "./tally.ts";

export interface ScanAsked {
  /** Null: every session that the asker may read. */
  readonly sessionId: string | null;
  /** Every stream of the log, and the files beside it. */
  readonly all: boolean;
  readonly isErasing: boolean;
  /** Only events after this seq, and no files: the next page of places. */
  readonly after: number;
  readonly placesMax: number;
}

/** What the asker may do with a stream. */
export interface ScanRights {
  readonly mayRead: (stream: string) => boolean;
  readonly mayErase: (stream: string) => boolean;
}

/** Looks for secrets in what is already written. It keeps nothing: a run that is killed is run again. */
export interface SecretScan {
  readonly run: (
    asked: ScanAsked,
    rights: ScanRights,
    call: { readonly by: By; readonly signal: AbortSignal; readonly progress: (progress: Progress) => void },
  ) => Promise<readonly RecordedEvent[]>;
}

export interface SecretScanDeps {
  readonly home: string;
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly secrets: Pick<Secrets, "state">;
  readonly backups: Pick<BackupService, "list">;
}

/** Events that one run erases; the report says when more are left. */
const TARGETS_MAX = 50_000;
const BACKUPS_MAX = 100;

export function createSecretScan(deps: SecretScanDeps): SecretScan {
  const { home, store, committer, clock, redactor, secrets, backups } = deps;
  return {
    run: async (asked, rights, { by, signal, progress }) => {
      const breathe = createBreath(clock.steadyMs, signal);
      const look = createLook(redactor, breathe);
      const tally = createTally(asked.placesMax);
      const { targets, more } = await scanLog({ store, look, tally, progress }, asked, rights);
      if (asked.after === 0) await scanFiles({ home, look, tally, progress, backups }, asked, rights);
      const tell = (done: number) => progress({ message: "erasing", done, total: targets.size });
      const done = asked.isErasing ? await eraseFound(deps, targets, { by, breathe, progress: tell }) : NOTHING_ERASED;
      const { sessionId, all, isErasing } = asked;
      const scanned: Scanned = {
        ...{ sessionId, all, erase: isErasing, vault: secrets.state().at },
        ...tally.report(done.erased),
        erased: { events: done.erased.size, streams: done.streams },
        left: done.left,
        more: isErasing && more,
      };
      return (await committer.change(System, "", (state) => recordScan(state, scanned), by)).events;
    },
  };
}

const NOTHING_ERASED: Erasures = { erased: new Set(), streams: 0, left: [] };

interface Scanning {
  readonly look: Look;
  readonly tally: Tally;
  readonly progress: (progress: Progress) => void;
}

async function scanLog(
  { store, look, tally, progress }: Scanning & { readonly store: Store },
  { sessionId, all, after }: ScanAsked,
  { mayRead, mayErase }: ScanRights,
): Promise<{ readonly targets: ReadonlyMap<string, readonly Target[]>; readonly more: boolean }> {
  const stream = sessionId === null ? null : sessionStream(sessionId);
  if (stream !== null && ((await store.version(stream)) === 0 || !mayRead(stream)))
    throw new NomosError("session_not_found", { id: sessionId ?? "" });
  // What is written from now on passed the doors.
  const upTo = await store.lastSeq();
  const page =
    stream === null ? store.readAll : (query: Parameters<Store["readAll"]>[0]) => store.readStream(stream, query);
  const isWanted = (of: string): boolean => all || (idIn(Session, of) !== null && mayRead(of));
  const targets = new Map<string, Target[]>();
  let count = 0;
  for await (const { event, found } of lookThrough(
    { page, blob: store.blob },
    look,
    { after, upTo },
    isWanted,
    tally,
  )) {
    progress({ message: "reading the log", done: event.seq, total: upTo });
    if (found.length === 0) continue;
    const { seq, id, type } = event;
    const erasable = store.definitions.isErasable(type) && event.data !== null;
    tally.event({ seq, eventId: id, stream: event.stream, type, erasable }, found);
    if (!erasable || found.every(({ where }) => where === "header") || !mayErase(event.stream)) continue;
    count += 1;
    if (count > TARGETS_MAX) continue;
    const known = targets.get(event.stream);
    if (known === undefined) targets.set(event.stream, [{ id, type }]);
    else known.push({ id, type });
  }
  return { targets, more: count > TARGETS_MAX };
}

async function scanFiles(
  {
    home,
    look,
    tally,
    progress,
    backups,
  }: Scanning & { readonly home: string; readonly backups: SecretScanDeps["backups"] },
  { sessionId, all }: ScanAsked,
  { mayRead }: ScanRights,
): Promise<void> {
  const files = createFileScan(home, look, tally);
  progress({ message: "reading archives" });
  await files.archives((id) => (sessionId === null || sessionId === id) && (all || mayRead(sessionStream(id))));
  if (!all) return;
  progress({ message: "reading backups" });
  await files.backups((await backups.list(BACKUPS_MAX)).flatMap(({ path, isThere }) => (isThere ? [path] : [])));
  progress({ message: "reading exports" });
  await files.exports();
  progress({ message: "reading the daemon's log" });
  await files.logs();
}
