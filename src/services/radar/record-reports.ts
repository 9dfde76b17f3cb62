import type { By, Committer } from "../../commit/index.ts";
import {
  baseId,
  CONFLICTS,
  type ConflictRow,
  type ConflictState,
  ConflictStream,
  clearConflict,
  FANOUTS,
  type MovedBranch,
  pairId,
  recordConflict,
  recordStaleBase,
} from "../../domains/index.ts";
import type { BaseReport, PairReport } from "../../host/index.ts";
import type { Decision } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import type { LiveTrees } from "./live-trees.ts";

/** Conflicts that hold, as the log says, by the ids of their streams. */
export interface OpenConflicts {
  readonly all: () => readonly ConflictRow[];
  /** The newest, each branch where it was compared last: a move that changes no file of the session is not recorded. */
  readonly list: (limit: number) => Promise<readonly ConflictRow[]>;
  readonly load: () => Promise<void>;
  /** Takes up what somebody else recorded. */
  readonly reload: (id: string) => Promise<void>;
  /** Returns the sessions that it is about, if it is open and has changed. */
  readonly change: (id: string, decide: (state: ConflictState) => Decision) => Promise<readonly string[]>;
  readonly record: (report: PairReport | BaseReport, live: LiveTrees) => Promise<readonly string[]>;
}

/** Candidates of one fan-out do the same on purpose, and one of them lands at most: telling them would only disturb. */
async function areRivals(store: Pick<Store, "rows">, one: string, other: string): Promise<boolean> {
  const rows = await store.rows(FANOUTS, { where: { open: true }, limit: OPEN_MAX });
  return rows.some(({ sessions }) => sessions.includes(one) && sessions.includes(other));
}

const BY: By = { actor: "daemon" };
const OPEN_MAX = 1000;

export function createOpenConflicts(store: Pick<Store, "row" | "rows">, committer: Committer): OpenConflicts {
  const open = new Map<string, ConflictRow>();
  const branches = new Map<string, MovedBranch>();

  const reload = async (id: string): Promise<void> => {
    const row = await store.row(CONFLICTS, id);
    if (row?.isOpen === true) open.set(id, row);
    else {
      open.delete(id);
      branches.delete(id);
    }
  };
  const change: OpenConflicts["change"] = async (id, decide) => {
    const { events } = await committer.change(ConflictStream, id, decide, BY);
    if (events.length === 0) return [];
    await reload(id);
    return open.get(id)?.parties ?? [];
  };
  const pair = async (report: PairReport, { sessionIn }: LiveTrees): Promise<readonly string[]> => {
    const [one, other] = [sessionIn(report.a), sessionIn(report.b)];
    if (one === null || other === null || (await areRivals(store, one, other))) return [];
    const { files, more, repository, because } = report;
    const isTurned = one > other;
    const sessions = isTurned ? ([other, one] as const) : ([one, other] as const);
    const turned = files.map((file) =>
      file.lines === undefined ? file : { ...file, lines: file.lines.map(({ a, b }) => ({ a: b, b: a })) },
    );
    const seen = { sessions, repository, files: isTurned ? turned : files, more };
    return change(pairId(one, other), (state) =>
      files.length === 0 ? clearConflict(state, because) : recordConflict(state, seen),
    );
  };
  const base = async (report: BaseReport, { sessionIn }: LiveTrees): Promise<readonly string[]> => {
    const sessionId = sessionIn(report.tree);
    if (sessionId === null) return [];
    const { branch, files, more, repository, because } = report;
    if (branch !== null) branches.set(baseId(sessionId), branch);
    return change(baseId(sessionId), (state) =>
      branch === null
        ? clearConflict(state, because)
        : recordStaleBase(state, { sessionId, repository, branch, files, more }),
    );
  };

  return {
    all: () => [...open.values()],
    list: async (limit) => {
      const rows = await store.rows(CONFLICTS, { where: { open: true }, limit });
      return rows.map((row) => ({ ...row, branch: branches.get(row.id) ?? row.branch }));
    },
    load: async () => {
      const rows = await store.rows(CONFLICTS, { where: { open: true }, limit: OPEN_MAX });
      for (const row of rows) open.set(row.id, row);
    },
    reload,
    change,
    record: (report, live) => (report.what === "pair" ? pair(report, live) : base(report, live)),
  };
}
