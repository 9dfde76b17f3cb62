import {
  findLines,
  LANDED_COMMITS,
  LANDINGS,
  type LandingRow,
  LandingStream,
  type LineFinder,
  landedCommitPrefix,
  type RecordedLines,
} from "../../domains/index.ts";
import { idIn } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";

export type LandedRow = Extract<LandingRow, { at: "landed" }>;

/** A landing that reached its branch, as the log tells it. */
export interface KnownLanding {
  readonly row: LandedRow;
  /** Its `landing.landed@1`. */
  readonly eventId: string;
  /** The blob with its lines; null when they were not recorded. */
  readonly blob: string | null;
  readonly finder: LineFinder | null;
}

/** Reads landings for blame. */
export interface LandingFacts {
  /** The first landing that brought a commit; null when none did. */
  readonly ofCommit: (commit: string) => Promise<KnownLanding | null>;
  readonly landed: (id: string) => Promise<KnownLanding | null>;
  /** Landings of a session that reached a branch, newest first. */
  readonly ofSession: (sessionId: string) => Promise<readonly KnownLanding[]>;
  /** The newest landings that reached a branch of this repository. */
  readonly ofRepository: (gitDir: string) => Promise<readonly LandedRow[]>;
  /** The lines of a blob; null when it is gone. */
  readonly finder: (blob: string) => Promise<LineFinder | null>;
  readonly event: Store["event"];
  readonly actorOf: (eventId: string) => Promise<string | null>;
}

const OF_SESSION_MAX = 50;
const OF_REPOSITORY_READ = 500;
/** Parsed blobs, because a file is asked for again and again. */
const FINDERS_KEPT = 24;

export function createLandingFacts(store: Pick<Store, "blob" | "event" | "row" | "rows" | "readStream">): LandingFacts {
  const finders = new Map<string, LineFinder>();
  const finderOf = async (blob: string): Promise<LineFinder | null> => {
    const kept = finders.get(blob);
    if (kept !== undefined) return kept;
    const bytes = await store.blob(blob);
    if (bytes === null) return null;
    const recorded: RecordedLines = JSON.parse(Buffer.from(bytes).toString("utf8"));
    const finder = findLines(recorded);
    finders.set(blob, finder);
    const [oldest] = finders.keys();
    if (finders.size > FINDERS_KEPT && oldest !== undefined) finders.delete(oldest);
    return finder;
  };
  const known = async (row: LandingRow | null, eventId: string): Promise<KnownLanding | null> => {
    if (row?.at !== "landed") return null;
    const blob = row.landed.lines?.blob ?? null;
    return { row, eventId, blob, finder: blob === null ? null : await finderOf(blob) };
  };
  const landedEvent = async (id: string): Promise<RecordedEvent | null> => {
    const { events } = await store.readStream(`${LandingStream.kind}/${id}`, { limit: 1, types: ["landing.landed"] });
    return events[0] ?? null;
  };
  const landed = async (id: string): Promise<KnownLanding | null> => {
    const event = await landedEvent(id);
    return event === null ? null : known(await store.row(LANDINGS, id), event.id);
  };
  return {
    landed,
    ofCommit: async (commit) => {
      const [first] = await store.rows(LANDED_COMMITS, { idPrefix: landedCommitPrefix(commit), limit: 1 });
      const event = first === undefined ? null : await store.event(first.eventId);
      const id = event === null ? null : idIn(LandingStream, event.stream);
      return event === null || id === null ? null : known(await store.row(LANDINGS, id), event.id);
    },
    ofSession: async (sessionId) => {
      const rows = await store.rows(LANDINGS, {
        where: { session: sessionId, state: "landed" },
        limit: OF_SESSION_MAX,
      });
      return (await Promise.all(rows.map(({ id }) => landed(id)))).flatMap((one) => one ?? []);
    },
    ofRepository: async (gitDir) => {
      const rows = await store.rows(LANDINGS, { where: { state: "landed" }, limit: OF_REPOSITORY_READ });
      return rows.flatMap((row) => (row.at === "landed" && row.order.repository.gitDir === gitDir ? [row] : []));
    },
    finder: finderOf,
    event: store.event,
    actorOf: async (eventId) => (await store.event(eventId))?.actor ?? null,
  };
}
