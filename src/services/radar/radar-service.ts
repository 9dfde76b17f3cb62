import { join } from "node:path";
import { type Committer, subjectOf } from "../../commit/index.ts";
import { type ConflictRow, ConflictStream, clearConflict, tellOfConflict, untold } from "../../domains/index.ts";
import { type Clock, openRadar, type Radar } from "../../host/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import type { Advice, Advisories } from "../../supervisor/index.ts";
import type { ConfigService } from "../config/settings.ts";
import { adviceText } from "./advice-text.ts";
import { type LiveTrees, liveTrees, NO_TREES } from "./live-trees.ts";
import { radarSettings } from "./radar-settings.ts";
import { createOpenConflicts } from "./record-reports.ts";

/** Tells sessions early that their work collides. */
export interface RadarService {
  /** Collisions that hold now, newest first. */
  readonly conflicts: (limit: number) => Promise<readonly ConflictRow[]>;
  /** Takes up what an earlier daemon knew, and watches from now on. Returns at once. */
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

export interface RadarDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly config: Pick<ConfigService, "show">;
  readonly advisories: Pick<Advisories, "add" | "tell">;
  readonly log: { readonly write: (message: string, details: object) => void };
}

/** Sessions often begin together. */
const GATHER_MS = 200;
const SESSION = "session/";
const CONFLICT = "conflict/";
const REASON_CHARS = 500;
/** After these, other worktrees may be there to compare. */
const LIFE = /^(session\.(opened|forked|exited|killed|failed|forgotten)|worktree\.\w+)@/;
/** After these, files may have changed. */
const WORK = /^(turn\.ended|effect\.settled|tool\.ended|snapshot\.taken|restore\.settled)@/;

export function createRadarService(deps: RadarDeps): RadarService {
  const { store, clock, home, config, advisories } = deps;
  const settings = () => radarSettings(config);
  const log = deps.log.write;
  const folder = join(home, "worktrees");
  const open = createOpenConflicts(store, deps.committer);
  let live: LiveTrees = NO_TREES;
  let radar: Radar | null = null;
  let isEnabled = true;
  let isStopped = false;
  let cancel: (() => void) | null = null;
  let unsubscribe = (): void => undefined;
  /** One after another, in the order of the reports. */
  let last: Promise<void> = Promise.resolve();

  const inOrder = (work: () => Promise<void>): void => {
    last = last
      .then(() => (isStopped ? undefined : work()))
      .catch((thrown: unknown) => log("the radar could not record what it saw", { reason: String(thrown) }));
  };
  const tell = async (sessions: readonly string[]): Promise<void> => {
    for (const one of settings().advise ? sessions : []) await advisories.tell(one);
  };

  const gather = async (): Promise<void> => {
    const { enabled, treesMax, ...limits } = settings();
    isEnabled = enabled;
    live = enabled ? await liveTrees(store, folder, treesMax) : NO_TREES;
    const because = enabled ? "ended" : "off";
    for (const { id, parties } of open.all())
      if (parties.some((party) => live.treeOf(party) === null))
        await open.change(id, (state) => clearConflict(state, because));
    const known = open.all().map(({ parties }) => parties.flatMap((party) => live.treeOf(party) ?? []));
    radar?.watch(live.trees, known, limits);
  };
  const gatherSoon = (): void => {
    cancel ??= clock.after(GATHER_MS, () => {
      cancel = null;
      inOrder(gather);
    });
  };
  const hear = (events: readonly RecordedEvent[]): void => {
    if (settings().enabled !== isEnabled) gatherSoon();
    for (const { stream, type } of events) {
      if (type === "conflict.told@1") inOrder(() => open.reload(stream.slice(CONFLICT.length)));
      if (!stream.startsWith(SESSION)) continue;
      if (LIFE.test(type)) gatherSoon();
      const tree = WORK.test(type) ? live.treeOf(stream.slice(SESSION.length)) : null;
      if (tree !== null) radar?.nudge(tree);
    }
  };
  const adviceFor = (sessionId: string): readonly Advice[] => {
    const about = settings().advise ? open.all().filter(({ parties }) => parties.includes(sessionId)) : [];
    return about.filter((row) => untold(row, sessionId).length > 0).map((row) => adviceOn(row, sessionId, live));
  };

  return {
    conflicts: open.list,
    start: () => {
      radar = openRadar({
        environment: deps.environment,
        worktrees: folder,
        scratch: join(home, "tmp", "radar"),
        onReport: (report) => inOrder(async () => tell(await open.record(report, live))),
        onTrouble: (tree, reason) =>
          log("the radar could not compare a worktree", { tree, reason: reason.slice(0, REASON_CHARS) }),
      });
      advisories.add(adviceFor);
      unsubscribe = store.onAppend(hear);
      inOrder(async () => {
        await open.load();
        await gather();
      });
    },
    stop: async () => {
      isStopped = true;
      unsubscribe();
      cancel?.();
      await radar?.close();
      await last;
    },
  };
}

function adviceOn(row: ConflictRow, sessionId: string, { nameOf }: LiveTrees): Advice {
  const of = subjectOf(ConflictStream, row.id);
  return {
    text: adviceText({ ...row, sessionId, files: untold(row, sessionId) }, nameOf),
    isDue: (seen) => untold(seen(of), sessionId).length > 0,
    changes: (told) => [{ of, decide: (_state, seen) => tellOfConflict(seen(of), told) }],
  };
}
