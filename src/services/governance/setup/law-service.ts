import type { By, Committer } from "../../../commit/index.ts";
import {
  collectLaw,
  compileLaws,
  GOVERNED,
  type GovernedRow,
  type GovernedState,
  GovernedStream,
  importLaw,
  initialiseLaw,
  type LawVerdict,
  offerLaw,
  removeLaw,
  upgradeLaw,
} from "../../../domains/index.ts";
import {
  type BuiltLaw,
  type ComposedLaw,
  createLawSetup,
  createOfflineLaw,
  findTip,
  type ImportedLaw,
  type InitDone,
  type LawReport,
  type LawSetup,
  type PathQuestion,
} from "../../../governance/index.ts";
import { createGitRunner } from "../../../host/index.ts";
import type { Decision } from "../../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../../store/index.ts";
import { knownLaws } from "../laws/known-law.ts";
import type { LawCache } from "../laws/law-cache.ts";

type Events = Promise<readonly RecordedEvent[]>;

/** The laws of repositories: what is done to them is recorded, whoever asks for it. */
export interface LawService extends Pick<LawSetup, "scan" | "config" | "examine"> {
  readonly init: (wish: Parameters<LawSetup["init"]>[0], by: By) => Events;
  readonly deinit: (wish: Parameters<LawSetup["deinit"]>[0], by: By) => Events;
  readonly upgrade: (wish: Parameters<LawSetup["upgrade"]>[0], by: By) => Events;
  readonly collect: (wish: Parameters<LawSetup["collect"]>[0], by: By) => Events;
  readonly build: (cwd: string, by: By) => Events;
  readonly compose: (cwd: string, by: By) => Events;
  /** From another program's law, which is checked out too. */
  readonly importFrom: (cwd: string, by: By) => Events;
  /** The same without recording; what `init`, `deinit` and so on would do. */
  readonly plan: Pick<LawSetup, "init" | "deinit" | "upgrade" | "collect">;
  readonly planImport: (cwd: string) => Promise<ImportedLaw>;
  /** What was built or composed last, again: nothing changes by it. */
  readonly built: (cwd: string) => Promise<BuiltLaw>;
  readonly composed: (cwd: string) => Promise<ComposedLaw>;
  readonly verify: (cwd: string) => Promise<LawReport>;
  readonly check: (question: PathQuestion) => Promise<LawVerdict>;
  readonly list: (limit: number) => Promise<readonly GovernedRow[]>;
  /** Tells a person once that the repository of a folder could have a law; null: it has one, or they were told. */
  readonly offer: (cwd: string) => Promise<string | null>;
}

export interface LawServiceDeps {
  readonly store: Pick<Store, "rows" | "row">;
  readonly committer: Pick<Committer, "change">;
  readonly home: string;
  readonly scratch: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly nowMs: () => number;
  /** Laws that are kept: a check asks them, and starts no git. */
  readonly kept: LawCache;
}

const OFFER = "This repository has no law yet. `nomos init` gives it one: scope, checks and leases for agents.";

const FOLDERS_MAX = 10_000;

export function createLawService(deps: LawServiceDeps): LawService {
  const { store, committer, home, scratch, environment, nowMs, kept } = deps;
  const setup = createLawSetup({ environment, home, scratch, nowMs });
  const law = createOfflineLaw({ environment, home, nowMs, known: knownLaws(kept) });
  const git = createGitRunner(environment);
  const inTurn = oneAtATime();
  const lookedAt = new Set<string>();
  const record = async (repoKey: string, decide: (state: GovernedState) => Decision, by: By) =>
    (await committer.change(GovernedStream, repoKey, decide, by)).events;
  /** What lies compiled in the checkout becomes known to the log. */
  const recordCompiled = async (cwd: string, because: string, by: By): Events => {
    const { repoKey, ...compiled } = await setup.compiled(cwd);
    return record(repoKey, (state) => compileLaws(state, compiled, because), by);
  };
  return {
    ...{ scan: setup.scan, config: setup.config, examine: setup.examine, plan: setup },
    ...{ verify: law.verify, check: law.check, built: law.build, composed: law.compose },
    planImport: (cwd) => law.importExo(cwd, true),
    init: (wish, by) => inTurn(async () => recordInit(await setup.init(wish), record, by)),
    deinit: (wish, by) =>
      inTurn(async () => {
        const { repoKey, commit, files, refs } = await setup.deinit(wish);
        return record(repoKey, (state) => removeLaw(state, { commit, files, refs }), by);
      }),
    upgrade: (wish, by) =>
      inTurn(async () => {
        const { repoKey, files, commit, made } = await setup.upgrade(wish);
        return made === null ? [] : record(repoKey, (state) => upgradeLaw(state, { files, commit }, made), by);
      }),
    collect: (wish, by) =>
      inTurn(async () => {
        const { repoKey, files, refs } = await setup.collect(wish);
        return record(repoKey, (state) => collectLaw(state, { files, refs }), by);
      }),
    importFrom: (cwd, by) =>
      inTurn(async () => {
        const { written: files, leftOut } = await law.importExo(cwd);
        const { repoKey } = await setup.compiled(cwd);
        return record(repoKey, (state) => importLaw(state, { from: "exo", files, leftOut }), by);
      }),
    build: (cwd, by) => inTurn(() => law.build(cwd).then(() => recordCompiled(cwd, "build", by))),
    compose: (cwd, by) => inTurn(() => law.compose(cwd).then(() => recordCompiled(cwd, "compose", by))),
    // Their ids are hashes, whose order tells nothing.
    list: async (limit) => (await store.rows(GOVERNED, { limit })).toSorted(byRoot),
    offer: async (cwd) => {
      // Each folder is looked at once: git is asked for it, and a session should start at once.
      if (lookedAt.has(cwd)) return null;
      if (lookedAt.size < FOLDERS_MAX) lookedAt.add(cwd);
      const found = await findTip(git, cwd, scratch).catch(() => null);
      if (found === null || found.root === null || found.isGoverned) return null;
      if ((await store.row(GOVERNED, found.repoKey)) !== null) return null;
      const { root } = found;
      const offered = await record(found.repoKey, (state) => offerLaw(state, root), { actor: "system" });
      return offered.length === 0 ? null : OFFER;
    },
  };
}

function byRoot(one: GovernedRow, other: GovernedRow): number {
  const [a, b] = [one, other].map(({ root, id }) => `${root ?? ""} ${id}`);
  return (a ?? "") < (b ?? "") ? -1 : 1;
}

type Note = (repoKey: string, decide: (state: GovernedState) => Decision, by: By) => Events;

async function recordInit(done: InitDone, record: Note, by: By): Events {
  const { repoKey, root, branch, mode, commit, recorded: files, created, made } = done;
  if (created.length === 0 && commit === null) return [];
  const initialised = { root, branch, mode, commit, files };
  return record(repoKey, (state) => initialiseLaw(state, initialised, made ?? {}), by);
}

/** Two of them at once would meet in the files of one repository. */
function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
