import { advisoriesOf, type FellowSession, WorkStream } from "../../../domains/index.ts";
import {
  machineFacts,
  measureCheckout,
  measureWorktree,
  repositoryFacts,
  treeWork,
} from "../../../governance/index.ts";
import type { Clock, RepositoryGit } from "../../../host/index.ts";
import { Session, type SessionState } from "../../../kernel/index.ts";
import type { Store } from "../../../store/index.ts";
import type { SessionTrees } from "../../../supervisor/index.ts";
import { othersIn, worksOn } from "./find-work.ts";
import type { Measures } from "./work-deps.ts";

export interface MeasureDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly git: RepositoryGit;
  /** For temporary files. */
  readonly scratch: string;
  readonly trees: Pick<SessionTrees, "live" | "find" | "list">;
}

/** Of a session's files as they are now, against the branch that holds the law as it is now. */
export function createMeasures(deps: MeasureDeps): Measures {
  const { store, git, scratch, trees } = deps;
  const measure = ({ id, worktree, spec }: SessionState, tip: string, ticket: Parameters<typeof measureWorktree>[2]) =>
    worktree == null
      ? measureCheckout({ git, scratch, tip, root: spec?.cwd ?? "" }, ticket)
      : measureWorktree(trees, { id, tip }, ticket);

  return {
    drift: async ({ governed }, session, ticket) => {
      const { drift, files, filesChanged } = await measure(session, governed.work.tip, ticket);
      const paths = files.map(({ path, inScope }) => ({ path, inScope }));
      return { ...drift, files: filesChanged, paths };
    },
    advisories: async ({ governed, sound }, session, ticket) => {
      const { repository, repoKey } = governed;
      const { branch, tip } = governed.work;
      const nowMs = deps.clock.nowMs();
      const base = { name: branch, tip };
      const { unmerged: branches, baseUpstream } = await repositoryFacts({ git, scratch, repository, base }, nowMs);
      const others = await treeWork({
        ...{ trees: await trees.list(), live: trees.live, about: (id) => about(store, id) },
        ...{ repository, tip, own: session.worktree ?? null },
      });
      const unmerged = [...others, ...branches];
      const { files, ahead, behind } = await measure(session, tip, ticket);
      const own = await branchOf(trees, session.id);
      const distance = ahead === null || behind === null ? null : { name: branch, ahead, behind };
      const told = advisoriesOf({
        ...{ nowMs, ticket, unmerged },
        branch: { name: own, upstream: null, base: distance, baseUpstream },
        siblings: await fellows(store, repoKey, session.id),
        lastBranch: await lastBranch(deps, repoKey, ticket.id, session.id),
        machine: machineFacts(),
        coUpdates: sound?.config.coUpdates ?? [],
        changed: files.map(({ path }) => path),
      });
      return told.map(({ kind, severity, message }) => ({ kind, severity, message }));
    },
  };
}

async function fellows(store: Store, repo: string, sessionId: string): Promise<readonly FellowSession[]> {
  const rows = await othersIn({ store }, repo, sessionId);
  return Promise.all(
    rows.map(async ({ id, order: { agent, ticketId } }) => {
      const { spec } = await store.fold(Session, id);
      return { sessionId: id, agent, ticketId, scope: spec?.scope ?? null };
    }),
  );
}

/** What somebody else's worktree is for: its ticket, or what its session is called. */
async function about(store: Store, id: string): Promise<{ ticketId: string | null; summary: string }> {
  const { order } = await store.fold(WorkStream, id);
  if (order !== null) return { ticketId: order.ticketId, summary: order.title };
  const { spec } = await store.fold(Session, id);
  return { ticketId: null, summary: spec?.name ?? "" };
}

/** Of the last work on the ticket, as long as its worktree is there: then some of it has not landed. */
async function lastBranch(deps: MeasureDeps, repo: string, ticketId: string, sessionId: string) {
  const works = await worksOn(deps, repo, ticketId);
  const last = works.find(({ id, order }) => id !== sessionId && order.role === "work");
  return last === undefined ? null : branchOf(deps.trees, last.id);
}

async function branchOf(trees: MeasureDeps["trees"], sessionId: string): Promise<string | null> {
  const found = await trees.find(sessionId).catch(() => null);
  return found?.branch ?? null;
}
