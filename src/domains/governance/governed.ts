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
  type FoundLaw,
  GOVERNED_EVENTS,
  type ImportedFiles,
  type Initialised,
  type LawMode,
  type LawProblem,
  type RefusedLaw,
} from "./governed-events.ts";

const fact = factsOf(GOVERNED_EVENTS);

/** A repository that has, had or could have a law. The stream has the key of the repository. */
export interface GovernedState extends Folding {
  readonly at: "absent" | "offered" | "governed" | "removed";
  readonly root: string | null;
  readonly branch: string | null;
  readonly mode: LawMode;
  readonly lockHash: string | null;
  readonly rulesHash: string | null;
  readonly seal: string | null;
  /** Why the law does not hold; none while it does. */
  readonly problems: readonly LawProblem[];
  /** Problems that are not listed. */
  readonly more: number;
  readonly since: string;
  readonly changedAt: string;
}

export const GOVERNED_LIMITS = {
  problems: { max: 20, of: "problems of one law" },
  files: { max: 100, of: "files that one event of a law names" },
} as const;

const MESSAGE_CHARS_MAX = 500;

/** Nothing for a repository that was offered a law before, has one or had one. */
export function offerLaw(state: GovernedState, root: string): Decision {
  return state.at === "absent" ? [fact("governance.offered@1", { root })] : [];
}

export interface LockNames {
  readonly lockHash: string;
  readonly previous: string | null;
  readonly rulesHash: string;
}

/** What is compiled and sealed now; without members that are not there. */
export interface CompiledNames {
  readonly lock?: LockNames;
  readonly seal?: string;
}

export function initialiseLaw(state: GovernedState, done: Initialised, compiled: CompiledNames = {}): Decision {
  const initialised = fact("governance.initialised@1", { ...done, files: named(done.files) });
  return [initialised, ...compileLaws(state, compiled, "init")];
}

export function importLaw(_state: GovernedState, { from, files, leftOut }: ImportedFiles): Decision {
  if (files.length === 0) return [];
  const told = leftOut.slice(0, GOVERNED_LIMITS.files.max).map(({ what, reason }) => ({
    what: what.slice(0, MESSAGE_CHARS_MAX),
    reason: reason.slice(0, MESSAGE_CHARS_MAX),
  }));
  return [fact("governance.imported@1", { from, files: named(files), leftOut: told })];
}

export function upgradeLaw(
  state: GovernedState,
  done: { readonly files: readonly string[]; readonly commit: string | null },
  compiled: CompiledNames = {},
): Decision {
  const upgraded = fact("governance.upgraded@1", { ...done, files: named(done.files) });
  return [upgraded, ...compileLaws(state, compiled, "upgrade")];
}

/** The same lock or seal again is no news. */
export function compileLaws(
  state: GovernedState,
  { lock, seal }: CompiledNames,
  because: string,
): readonly FactOf<typeof GOVERNED_EVENTS>[] {
  return [
    ...(lock === undefined || lock.lockHash === state.lockHash ? [] : [fact("governance.built@1", lock)]),
    ...(seal === undefined || seal === state.seal ? [] : [fact("governance.composed@1", { seal, because })]),
  ];
}

/** A law that is sound. A branch that moved without a change of its law is no news. */
export function findLaw(state: GovernedState, found: FoundLaw): Decision {
  const isKnown =
    state.at === "governed" &&
    state.problems.length === 0 &&
    state.branch === found.branch &&
    state.lockHash === found.lockHash &&
    state.rulesHash === found.rulesHash;
  return isKnown ? [] : [fact("governance.found@1", found)];
}

export function refuseLaw(state: GovernedState, found: Omit<RefusedLaw, "more">): Decision {
  const { root, branch, problems } = found;
  const listed = problems
    .slice(0, GOVERNED_LIMITS.problems.max)
    .map(({ code, message }) => ({ code, message: message.slice(0, MESSAGE_CHARS_MAX) }));
  if (listed.length === 0 || JSON.stringify(state.problems) === JSON.stringify(listed)) return [];
  return [fact("governance.refused@1", { root, branch, problems: listed, more: problems.length - listed.length })];
}

export function removeLaw(
  _state: GovernedState,
  done: { readonly commit: string | null; readonly files: readonly string[]; readonly refs: readonly string[] },
): Decision {
  return [fact("governance.removed@1", { ...done, files: named(done.files), refs: named(done.refs) })];
}

export function collectLaw(
  _state: GovernedState,
  done: { readonly files: readonly string[]; readonly refs: readonly string[] },
): Decision {
  if (done.files.length + done.refs.length === 0) return [];
  return [fact("governance.collected@1", { files: named(done.files), refs: named(done.refs) })];
}

function named(paths: readonly string[]): readonly string[] {
  return paths.slice(0, GOVERNED_LIMITS.files.max);
}

function evolve(before: GovernedState, placed: Placed<FactOf<typeof GOVERNED_EVENTS>>): GovernedState {
  const { fact: given, version, at } = placed;
  if (given === null) return { ...before, version };
  const state = { ...before, version, changedAt: at, since: before.since === "" ? at : before.since };
  return { ...state, ...changeOf(given) };
}

const SOUND = { at: "governed", problems: [], more: 0 } as const;

function changeOf(given: FactOf<typeof GOVERNED_EVENTS>): Partial<GovernedState> {
  switch (given.type) {
    case "governance.offered@1":
      return { at: "offered", root: given.data.root };
    case "governance.initialised@1": {
      const { root, branch, mode } = given.data;
      return { ...SOUND, root, branch, mode };
    }
    case "governance.built@1":
      return { ...SOUND, lockHash: given.data.lockHash, rulesHash: given.data.rulesHash };
    case "governance.composed@1":
      return { ...SOUND, seal: given.data.seal };
    case "governance.found@1": {
      const { root, branch, lockHash, rulesHash } = given.data;
      return { ...SOUND, branch, lockHash, rulesHash, ...(root === null ? {} : { root }) };
    }
    case "governance.refused@1": {
      const { root, branch, problems, more } = given.data;
      return { at: "governed", branch, problems, more, ...(root === null ? {} : { root }) };
    }
    case "governance.removed@1":
      return { ...GONE, at: "removed" };
    case "governance.imported@1":
    case "governance.upgraded@1":
    case "governance.collected@1":
      return {};
  }
}

const GONE = { lockHash: null, rulesHash: null, seal: null, problems: [], more: 0 } as const;

export type GovernedRow = Omit<GovernedState, "version"> & { readonly id: string };

/** Repositories that are known to have a law, or to have had one. */
export const GOVERNED = defineList<GovernedRow>()({
  name: "governed repository",
  table: "governed",
  newestFirst: true,
  keys: {
    at: { text: ({ at }) => at, indexed: true },
    root: { text: ({ root }) => root ?? "", indexed: true },
    troubled: { flag: ({ problems }) => problems.length > 0, indexed: true },
  },
});

export const GovernedStream = defineAggregate({
  kind: "governed",
  events: GOVERNED_EVENTS,
  lists: [GOVERNED],
  limits: GOVERNED_LIMITS,
  empty: (): GovernedState => ({
    ...GONE,
    ...{ version: 0, at: "absent", root: null, branch: null, mode: "tracked", since: "", changedAt: "" },
  }),
  evolve,
  ownRows: ({ version: _version, ...state }, id) =>
    state.at === "absent" ? [] : [putRow(GOVERNED, id, { id, ...state })],
});
