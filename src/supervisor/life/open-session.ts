import type { By, Committer } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
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
  sessionName,
  sessionStream,
  together,
  type View,
} from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import type { SessionFiles } from "../files/session-files.ts";
import { type MadeTree, type SessionTrees, withTree } from "../files/session-worktrees.ts";
import type { SessionBounds } from "../retention/bounds.ts";
import { type GivenPrompt, keepPrompt } from "../turns/given-prompt.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import { findPoint, viewAt } from "./lineage.ts";
import { snapshotFor } from "./rewind-session.ts";
import { makeSpec, type OpenInput, type SpecSources } from "./session-spec.ts";

type Events = Promise<readonly RecordedEvent[]>;

/** What a session is to be, and what it begins with. */
export interface Opening extends OpenInput {
  readonly prompt?: string | undefined;
  readonly attachments?: GivenPrompt["attachments"];
  readonly settings?: Partial<DriverSettings> | undefined;
}

export interface ForkInput {
  readonly at?: string | undefined;
  readonly label?: string | undefined;
  /** It works on the same directory as the other. */
  readonly talkOnly?: boolean | undefined;
}

/** How sessions come to be, but for those that a session starts. */
export interface Openings {
  readonly open: (input: Opening, by: By) => Events;
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
    /** Told of one that somebody else runs, before anybody waits for its first turn. */
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

  const openOne = async (input: Opening, by: By): Events => {
    const id = newId();
    const planned = await makeSpec(input, deps.specs);
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

  /** A directory of its own with the files as of then; the parent's where there is nothing to tell them apart by. */
  const treeFor = async (born: string, parent: SessionState, view: View): Promise<string | null> => {
    const snapshot = await snapshotFor(store, parent, view);
    return snapshot === null ? null : deps.sessionFiles.grow(born, snapshot);
  };
  /** A fork's git dir is its own, so its first files differ from the point's: they are kept as its beginning. */
  const fillTree = async ({ root }: MadeTree, parent: SessionState, view: View): Promise<readonly Fact[]> => {
    const snapshot = await snapshotFor(store, parent, view);
    if (snapshot === null) return [];
    await deps.sessionFiles.fill(root, snapshot);
    return [await deps.sessionFiles.takenFact(await deps.sessionFiles.keep(root), "restored", null, snapshot)];
  };

  const forkOf = async (born: string, id: string, { at, label, talkOnly }: ForkInput, by: By): Events => {
    const parent = await committer.sessionState(id);
    if (parent.archived !== null) throw new NomosError("session_archived", { id });
    const point = await findPoint(store, parent, at ?? parent.headId ?? "");
    const view = await viewAt(store, parent, point);
    if (parent.spec === null) throw new NomosError("event_not_found", { eventId: point.eventId });
    const name = sessionName(deps.specs.random());
    const tree = await deps.trees.makeFork(born, name, parent);
    const files =
      tree === null || talkOnly === true
        ? []
        : await fillTree(tree, parent, view).catch(async (thrown: unknown) => {
            await deps.trees.drop(born);
            throw thrown;
          });
    const grown = tree !== null || talkOnly === true ? null : await treeFor(born, parent, view);
    const cwd = tree?.cwd ?? grown ?? parent.spec.cwd;
    const spec: SessionSpec = { ...parent.spec, name, cwd, external: null };
    const from = { ...point, sessionId: id };
    const forked = { spec, label: label ?? parent.label, from, root: parent.root, view };
    const settings = parent.driver?.settings ?? null;
    const decide = (state: SessionState): Decision =>
      withTree(
        together(forkSession(state, forked), settings === null ? [] : configureDriver(state, settings), files),
        tree,
      );
    const events = await orDrop(born, create(born, decide, by, point)).catch(async (thrown: unknown) => {
      if (grown !== null) await deps.sessionFiles.fell(grown);
      throw thrown;
    });
    // Somebody was first with the same call: the answer is about the other's.
    if (grown !== null && !events.some(({ stream }) => stream === sessionStream(born)))
      await deps.sessionFiles.fell(grown);
    return events;
  };

  /** A session that did not come to be leaves no tree behind. */
  const orDrop = (id: string, created: Events): Events =>
    created.catch(async (thrown: unknown) => {
      await deps.trees.drop(id);
      throw thrown;
    });

  return {
    open: (input, by) => deps.bounds.forOpening(() => openOne(input, by)),
    fork: async (id, input, by) => {
      const born = newId();
      // What a fork begins with must not leave the log while it is being made.
      const events = await deps.bounds.forOpening(() =>
        committer.alone(Session, id, () => forkOf(born, id, input, by)),
      );
      runner.pump(born);
      return events;
    },
  };
}

/** The first facts of a session: what it is, what its agent is set to, its first turn. What is large is kept before. */
export async function beginning(
  { committer, specs, newId }: Pick<OpeningDeps, "committer" | "specs" | "newId">,
  id: string,
  input: Opening,
): Promise<(state: SessionState, spec: SessionSpec) => Decision> {
  const { prompt, attachments, settings = {}, label = null } = input;
  specs.driver(input.adapter).checkSettings?.(settings);
  const first =
    prompt === undefined
      ? null
      : { turnId: newId(), ...(await keepPrompt(committer.keeper(id, "start"), { prompt, attachments })) };
  return (state, spec) =>
    together(
      openSession(state, { spec, label }),
      Object.keys(settings).length === 0 ? [] : configureDriver(state, settings),
      first === null ? [] : admitTurnWith(state, { ...first, queue: false }, first.items),
    );
}
