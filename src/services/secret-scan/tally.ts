import type { FoundSecret, Scanned, ScannedFile, ScannedPlace, ScannedSecret } from "../../domains/index.ts";
import { idIn, Session } from "../../kernel/index.ts";
import { keyOf } from "./look.ts";

/** Counts what a scan finds. Bounded: a log full of secrets fills neither the memory nor the report. */
export interface Tally {
  readonly event: (at: EventPlace, found: readonly PlacedSecret[]) => void;
  readonly file: (file: Pick<ScannedFile, "path" | "what">, found: readonly FoundSecret[]) => void;
  readonly unread: (as: string, name: string) => void;
  readonly looked: (more: Partial<Scanned["looked"]>) => void;
  readonly report: (erased: ReadonlySet<string>) => Counted;
}

export type EventPlace = Pick<ScannedPlace, "seq" | "eventId" | "stream" | "type"> & {
  /** Its data can be erased. */
  readonly erasable: boolean;
};

export type PlacedSecret = FoundSecret & Pick<ScannedPlace, "where">;

type Counted = Pick<
  Scanned,
  "looked" | "count" | "secrets" | "moreSecrets" | "places" | "next" | "files" | "moreFiles" | "unread"
>;

const SECRETS_MAX = 200;
const SESSIONS_NAMED_MAX = 20;
const FILES_MAX = 100;
const FILE_SECRETS_MAX = 20;
const UNREAD_NAMED_MAX = 10;
const PATH_CHARS_MAX = 1000;

export function createTally(placesMax: number): Tally {
  const secrets = new Map<string, ScannedSecret>();
  const beyond = new Set<string>();
  const places: Omit<ScannedPlace, "erased">[] = [];
  const files: ScannedFile[] = [];
  const unread = new Map<string, { readonly names: string[]; count: number }>();
  const looked = { events: 0, blobs: 0, files: 0, bytes: 0 };
  let [count, moreFiles] = [0, 0];
  let next: number | null = null;
  let listedSeq = 0;

  const total = (one: FoundSecret, change: (before: ScannedSecret) => Partial<ScannedSecret>): void => {
    count += one.count;
    const key = keyOf(one);
    const before = secrets.get(key) ?? { kind: one.kind, fingerprint: one.fingerprint, ...NOWHERE };
    if (!secrets.has(key) && secrets.size >= SECRETS_MAX) {
      if (beyond.size < BEYOND_MAX) beyond.add(key);
      return;
    }
    secrets.set(key, { ...before, count: before.count + one.count, ...change(before) });
  };
  /** All places of one event, or none: the cursor stands between events. */
  const list = (at: EventPlace, found: readonly PlacedSecret[]): void => {
    if (next !== null) return;
    if (places.length > 0 && places.length + found.length > placesMax) {
      next = listedSeq;
      return;
    }
    for (const one of found.slice(0, placesMax))
      places.push({ ...at, ...one, erasable: at.erasable && one.where !== "header" });
    listedSeq = at.seq;
  };

  return {
    event: (at, found) => {
      list(at, found);
      const sessionId = idIn(Session, at.stream);
      const counted = new Set<string>();
      for (const one of found) {
        const isNew = !counted.has(keyOf(one));
        counted.add(keyOf(one));
        total(one, (before) => ({
          events: before.events + (isNew ? 1 : 0),
          erasable: before.erasable + (isNew && at.erasable && one.where !== "header" ? 1 : 0),
          ...withSession(before, sessionId),
        }));
      }
    },
    file: ({ path, what }, found) => {
      for (const one of found) total(one, (before) => ({ files: before.files + 1 }));
      if (found.length === 0) return;
      const sum = found.reduce((all, one) => all + one.count, 0);
      if (files.length >= FILES_MAX) moreFiles += 1;
      else {
        const shown = found.slice(0, FILE_SECRETS_MAX);
        files.push({ path: path.slice(0, PATH_CHARS_MAX), what, count: sum, secrets: shown, remedy: REMEDY[what] });
      }
    },
    unread: (as, name) => {
      const known = unread.get(as) ?? { names: [], count: 0 };
      known.count += 1;
      if (known.names.length < UNREAD_NAMED_MAX) known.names.push(name.slice(0, PATH_CHARS_MAX));
      unread.set(as, known);
    },
    looked: (more) => {
      for (const name of ["events", "blobs", "files", "bytes"] as const) looked[name] += more[name] ?? 0;
    },
    report: (erased) => ({
      ...{ looked, count, next, files, moreFiles },
      secrets: [...secrets.values()].sort((a, b) => b.count - a.count),
      moreSecrets: beyond.size,
      places: places.map((place) => ({ ...place, erased: place.erasable && erased.has(place.eventId) })),
      unread: [...unread].map(([as, { names, count: times }]) => ({ as, count: times, names })),
    }),
  };
}

const NOWHERE = { count: 0, events: 0, erasable: 0, sessions: [], moreSessions: false, files: 0 };
/** Counted up to here only. */
const BEYOND_MAX = 100_000;

function withSession(
  { sessions, moreSessions }: ScannedSecret,
  sessionId: string | null,
): Pick<ScannedSecret, "sessions" | "moreSessions"> {
  if (sessionId === null || sessions.includes(sessionId)) return { sessions, moreSessions };
  if (sessions.length >= SESSIONS_NAMED_MAX) return { sessions, moreSessions: true };
  return { sessions: [...sessions, sessionId], moreSessions };
}

/** These files are the person's: a scan says what to do and does nothing to them. */
const REMEDY: { readonly [what in ScannedFile["what"]]: string } = {
  archive:
    "If nobody needs what the session said, delete the file. Its events stay in the log without their data, and proofs stay valid.",
  backup: "Erase first, make a new backup with `nomos backup`, then delete this folder and every copy of it.",
  export: "Erase first, make a new export with `nomos audit export`, then delete this one and every copy of it.",
  "daemon-log": "Run `nomos down`, delete the file, and start again with `nomos up`.",
};
