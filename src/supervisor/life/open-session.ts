import type { By, Committer } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import { sessionName } from "../../domains/index.ts";
import type { OnBytes } from "../../host/index.ts";
import {
  admitTurnWith,
  configureDriver,
  type Decision,
  type DriverSettings,
  type Fact,
  forkSession,
  openSession,
  Session,
  type SessionSpec,
  type SessionState,
  sessionStream,
  titleSession,
  together,
  type View,
} from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import type { SessionFiles } from "../files/session-files.ts";
import { type MadeTree, type SessionTrees, withTree } from "../files/session-worktrees.ts";
import type { SessionBounds } from "../retention/bounds.ts";
import { type GivenPrompt, keepPrompt } from "../turns/given-prompt.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import { viewAt } from "./lineage.ts";
import { pointNamed } from "./point-labels.ts";
import { snapshotFor } from "./rewind-session.ts";
import { makeSpec, type OpenInput, type SpecSources } from "./session-spec.ts";

type Events = Promise<readonly RecordedEvent[]>;

/** The spec of a new session, and its first prompt. */
export interface Opening extends OpenInput {
  readonly prompt?: string | undefined;
  readonly attachments?: GivenPrompt["attachments"];
  readonly settings?: Partial<DriverSettings> | undefined;
}

export interface ForkInput {
  /** An event id or a label. */
  readonly at?: string | undefined;
  readonly label?: string | undefined;
  /** Another driver and agent for the fork. */
  readonly driver?: { readonly adapter: string; readonly agent: string } | undefined;
  readonly settings?: Partial<DriverSettings> | undefined;
  /** The fork works in the same directory as its parent. */
  readonly talkOnly?: boolean | undefined;
  /** Told how much of a large tree is copied. */
  readonly onBytes?: OnBytes | undefined;
}

/** Opens and forks sessions. Sessions that a session starts go through delegation. */
export interface Openings {
  /** `id`: chosen before, by somebody who recorded it. */
  readonly open: (input: Opening, by: By, id?: string) => Events;
  /** Refuses an opening that cannot work. Makes nothing. */
  readonly check: (input: Opening, by: By) => Promise<SessionSpec>;
  readonly fork: (id: string, input: ForkInput, by: By) => Events;
}

export interface OpeningDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly runner: Pick<TurnRunner, "pump">;
  readonly newId: () => string;
  readonly specs: SpecSources;
  readonly bounds: Pick<SessionBounds, "forOpening">;
  readonly trees: Pick<SessionTrees, "make" | "makeFork" | "drop">;
}

export function createOpenings(
  deps: OpeningDeps & {
    readonly sessionFiles: SessionFiles;
    /** Called for a session that somebody else runs, before its first turn. */
    readonly onExternal: (id: string, process: NonNullable<SessionSpec["external"]>) => Promise<void>;
  },
): Openings {
  const { store, committer, runner, newId } = deps;

  const create = async (
    id: string,
    decide: (state: SessionState) => Decision,
    by: By,
    continues?: { readonly stream: string; readonly version: number },
  ): Events => (await committer.change(Session, id, decide, by, continues)).events;

  const check = async (input: Opening, by: By): Promise<SessionSpec> => {
    const planned = await makeSpec(input, deps.specs);
    await deps.specs.requireSecrets(planned, by.actor);
    deps.specs.driver(input.adapter).checkSettings?.(input.settings ?? {});
    return planned;
  };

  const openOne = async (input: Opening, by: By, id: string): Events => {
    const planned = await check(input, by);
    const begin = await beginning(deps, id, input);
    const tree = await deps.trees.make(id, planned, input);
    const spec = tree === null ? planned : { ...planned, cwd: tree.cwd };
    const events = await orDrop(
      id,
      create(id, (state) => withTree(begin(state, spec), tree), by),
    );
    if (spec.external !== null) await deps.onExternal(id, spec.external);
    runner.pump(id);
    return events;
  };

  /** A new directory with the files of that point; null when there is no snapshot to fill it from. */
  const treeFor = async (born: string, parent: SessionState, view: View, onBytes?: OnBytes): Promise<string | null> => {
    const snapshot = await snapshotFor(store, parent, view);
    return snapshot === null ? null : deps.sessionFiles.grow(born, snapshot, parent, onBytes);
  };
  /** A fork has its own git dir, so its first files differ from the point's. They get a snapshot of their own. */
  const fillTree = async (
    { root }: MadeTree,
    parent: SessionState,
    view: View,
    onBytes?: OnBytes,
  ): Promise<readonly Fact[]> => {
    const snapshot = await snapshotFor(store, parent, view);
    if (snapshot === null) return [];
    await deps.sessionFiles.fill(root, snapshot, parent, onBytes);
    return [await deps.sessionFiles.takenFact(await deps.sessionFiles.keep(root), "restored", null, snapshot)];
  };

  const forkOf = async (
    born: string,
    id: string,
    { at, label, talkOnly, onBytes, driver, settings: chosen }: ForkInput,
    by: By,
  ): Events => {
    const parent = await committer.sessionState(id);
    if (parent.archived !== null) throw new NomosError("session_archived", { id });
    const point = await pointNamed(store, parent, at ?? parent.headId ?? "");
    const view = await viewAt(store, parent, point);
    if (parent.spec === null) throw new NomosError("event_not_found", { eventId: point.eventId });
    const name = sessionName(deps.specs.random());
    const tree = await deps.trees.makeFork(born, name, parent);
    const files =
      tree === null || talkOnly === true
        ? []
        : await fillTree(tree, parent, view, onBytes).catch(async (thrown: unknown) => {
            await deps.trees.drop(born);
            throw thrown;
          });
    const grown = tree !== null || talkOnly === true ? null : await treeFor(born, parent, view, onBytes);
    const cwd = tree?.cwd ?? grown ?? parent.spec.cwd;
    const spec: SessionSpec = { ...parent.spec, ...driver, name, cwd, external: null };
    if (driver !== undefined) await deps.specs.driver(driver.adapter).check(spec);
    const from = { ...point, sessionId: id };
    const forked = { spec, label: label ?? parent.label, from, root: parent.root, view };
    const settings = settingsOfFork(parent, driver?.adapter, chosen);
    if (settings !== null) deps.specs.driver(spec.adapter).checkSettings?.(settings);
    const decide = (state: SessionState): Decision =>
      withTree(
        together(forkSession(state, forked), settings === null ? [] : configureDriver(state, settings), files),
        tree,
      );
    const events = await orDrop(born, create(born, decide, by, point)).catch(async (thrown: unknown) => {
      if (grown !== null) await deps.sessionFiles.fell(grown);
      throw thrown;
    });
    // Another call with the same idempotency key came first; its session is the answer.
    if (grown !== null && !events.some(({ stream }) => stream === sessionStream(born)))
      await deps.sessionFiles.fell(grown);
    return events;
  };

  /** Removes the worktree of a session that was not created. */
  const orDrop = (id: string, created: Events): Events =>
    created.catch(async (thrown: unknown) => {
      await deps.trees.drop(id);
      throw thrown;
    });

  return {
    check,
    open: (input, by, id = newId()) => deps.bounds.forOpening(() => openOne(input, by, id)),
    fork: async (id, input, by) => {
      const born = newId();
      // The fork's ancestor must not be archived while the fork is made.
      const events = await deps.bounds.forOpening(() =>
        committer.alone(Session, id, () => forkOf(born, id, input, by)),
      );
      runner.pump(born);
      return events;
    },
  };
}

/** The first facts of a session: spec, agent settings, first turn. Large values are stored as blobs first. */
export async function beginning(
  { committer, specs, newId }: Pick<OpeningDeps, "committer" | "specs" | "newId">,
  id: string,
  input: Opening,
): Promise<(state: SessionState, spec: SessionSpec) => Decision> {
  const { prompt, attachments, settings = {}, label = null, title } = input;
  specs.driver(input.adapter).checkSettings?.(settings);
  const first =
    prompt === undefined
      ? null
      : { turnId: newId(), ...(await keepPrompt(committer.keeper(id, "start"), { prompt, attachments })) };
  const named = title === undefined || title.trim() === "" ? null : title.trim();
  return (state, spec) =>
    together(
      openSession(state, { spec, label }),
      named === null ? [] : titleSession(state, named),
      Object.keys(settings).length === 0 ? [] : configureDriver(state, settings),
      first === null
        ? []
        : admitTurnWith(named === null ? state : { ...state, title: named }, { ...first, queue: false }, first.items),
    );
}

/** A fork keeps its parent's settings, unless another driver runs it: that one names its models by itself. */
function settingsOfFork(
  { spec, driver }: SessionState,
  adapter: string | undefined,
  chosen: Partial<DriverSettings> = {},
): Partial<DriverSettings> | null {
  const isSame = adapter === undefined || adapter === spec?.adapter;
  const settings = { ...(isSame ? driver?.settings : {}), ...chosen };
  return Object.keys(settings).length === 0 ? null : settings;
}
