import {
  type Decision,
  defineAggregate,
  defineList,
  type FactOf,
  type Folding,
  factsOf,
  type Placed,
  putRow,
} from "../../kernel/index.ts";
import {
  type ClearedBecause,
  CONFLICT_EVENTS,
  type Collided,
  type CollidedFile,
  type MovedBranch,
} from "./conflict-events.ts";

const fact = factsOf(CONFLICT_EVENTS);

/** Two sessions whose work collides, or one session and the branch that its worktree came from. */
export interface ConflictState extends Folding {
  readonly parties: readonly string[];
  readonly repository: string | null;
  /** Null between two sessions. */
  readonly branch: MovedBranch | null;
  readonly isOpen: boolean;
  readonly files: readonly CollidedFile[];
  readonly more: number;
  readonly since: string;
  readonly changedAt: string;
  /** The files that each session was told of, also before the conflict was cleared and came back. */
  readonly told: { readonly [sessionId: string]: readonly string[] };
}

export const CONFLICT_LIMITS = {
  files: { max: 50, of: "files of one conflict" },
  lines: { max: 20, of: "places in one file of a conflict" },
  told: { max: 200, of: "files of one conflict that a session is told of" },
} as const;

const PATH_CHARS_MAX = 1024;

/** The stream of two sessions, whichever is named first. */
export function pairId(a: string, b: string): string {
  return [a, b].toSorted().join(".");
}

/** The stream of a session and the branch that its worktree came from. */
export function baseId(sessionId: string): string {
  return `${sessionId}.base`;
}

/** What the radar saw of two sessions. No files: they can both be merged. */
export function recordConflict(
  state: ConflictState,
  seen: Collided & { readonly sessions: readonly [string, string]; readonly repository: string | null },
): Decision {
  const { sessions, repository, ...collided } = seen;
  if (collided.files.length === 0) return clearConflict(state, "resolved");
  const told = bounded(collided);
  if (!state.isOpen) return [fact("conflict.found@1", { sessions, repository, ...told })];
  return isSame(state, told) ? [] : [fact("conflict.changed@1", told)];
}

/** What the radar saw of a session and its branch. Each move of the branch in other files is no news. */
export function recordStaleBase(
  state: ConflictState,
  seen: Collided & { readonly sessionId: string; readonly repository: string | null; readonly branch: MovedBranch },
): Decision {
  const { files, more, ...about } = seen;
  const told = bounded({ files, more });
  if (state.isOpen && state.branch?.name === about.branch.name && isSame(state, told)) return [];
  return [fact("base.stale@1", { ...about, ...told })];
}

export function clearConflict(state: ConflictState, because: ClearedBecause): Decision {
  return state.isOpen ? [fact("conflict.cleared@1", { because })] : [];
}

/** Files that this session should be told of and was not. */
export function untold(
  state: Pick<ConflictState, "isOpen" | "files" | "told">,
  sessionId: string,
): readonly CollidedFile[] {
  const told = state.told[sessionId] ?? [];
  if (!state.isOpen || told.length >= CONFLICT_LIMITS.told.max) return [];
  return state.files.filter(({ path }) => !told.includes(path));
}

/** Nothing when the conflict is over, or when the session was told meanwhile. */
export function tellOfConflict(
  state: ConflictState,
  told: { readonly sessionId: string; readonly turnId: string; readonly steerId: string },
): Decision {
  const paths = untold(state, told.sessionId).map(({ path }) => path);
  return paths.length === 0 ? [] : [fact("conflict.told@1", { ...told, paths })];
}

function bounded({ files, more }: Collided): Collided {
  const listed = files.slice(0, CONFLICT_LIMITS.files.max).map(({ path, kind, lines }) => ({
    path: path.slice(0, PATH_CHARS_MAX),
    kind,
    ...(lines === undefined || lines.length === 0 ? {} : { lines: lines.slice(0, CONFLICT_LIMITS.lines.max) }),
  }));
  return { files: listed, more: more + files.length - listed.length };
}

function isSame(one: Collided, other: Collided): boolean {
  return one.more === other.more && JSON.stringify(one.files) === JSON.stringify(other.files);
}

function evolve(
  state: ConflictState,
  { fact: given, version, at }: Placed<FactOf<typeof CONFLICT_EVENTS>>,
): ConflictState {
  switch (given?.type) {
    case "conflict.found@1": {
      const { sessions, repository, files, more } = given.data;
      const when = { since: at, changedAt: at };
      return { ...state, ...when, version, parties: sessions, repository, branch: null, files, more, isOpen: true };
    }
    case "base.stale@1": {
      const { sessionId, repository, branch, files, more } = given.data;
      const when = { since: state.isOpen ? state.since : at, changedAt: at };
      return { ...state, ...when, version, parties: [sessionId], repository, branch, files, more, isOpen: true };
    }
    case "conflict.changed@1":
      return { ...state, ...given.data, version, changedAt: at };
    case "conflict.cleared@1":
      return { ...state, version, isOpen: false, files: [], more: 0, changedAt: at };
    case "conflict.told@1": {
      const { sessionId, paths } = given.data;
      const told = [...(state.told[sessionId] ?? []), ...paths].slice(0, CONFLICT_LIMITS.told.max);
      return { ...state, version, told: { ...state.told, [sessionId]: told } };
    }
    default:
      return { ...state, version };
  }
}

export type ConflictRow = Omit<ConflictState, "version"> & { readonly id: string };

export const CONFLICTS = defineList<ConflictRow>()({
  name: "conflict",
  table: "conflicts",
  newestFirst: true,
  keys: {
    open: { flag: ({ isOpen }) => isOpen, indexed: true },
    first: { text: ({ parties }) => parties[0] ?? null, indexed: true },
    second: { text: ({ parties }) => parties[1] ?? null, indexed: true },
  },
});

export const ConflictStream = defineAggregate({
  kind: "conflict",
  events: CONFLICT_EVENTS,
  lists: [CONFLICTS],
  limits: CONFLICT_LIMITS,
  empty: (): ConflictState => ({
    version: 0,
    parties: [],
    repository: null,
    branch: null,
    isOpen: false,
    files: [],
    more: 0,
    since: "",
    changedAt: "",
    told: {},
  }),
  evolve,
  ownRows: ({ version: _version, ...state }, id) =>
    state.parties.length === 0 ? [] : [putRow(CONFLICTS, id, { id, ...state })],
});
