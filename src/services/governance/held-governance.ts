import { hostname } from "node:os";
import { dirname, join } from "node:path";
import type { Committer } from "../../commit/index.ts";
import { toNomosError } from "../../contract/index.ts";
import { findLaw, GOVERNED, GovernedStream, refuseLaw, type Speaker } from "../../domains/index.ts";
import {
  createFileCommits,
  createLeases,
  createRefs,
  createTicketReader,
  explainUngoverned,
  type FileCommits,
  findTip,
  type Governed,
  governedAt,
  type Leases,
  openRemoved,
  type Refs,
  type TicketReader,
} from "../../governance/index.ts";
import { type Clock, createGitRunner, type RepositoryGit } from "../../host/index.ts";
import type { NewId } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import type { SessionTrees } from "../../supervisor/index.ts";
import type { SessionLaw } from "../../turns/index.ts";
import type { LandingLaw } from "../landing/judge.ts";
import { createProofs } from "./evidence.ts";
import { createLandingLaw } from "./landing-law.ts";
import { lawConfig } from "./law-config.ts";
import type { HeldLaw } from "./laws/held-law.ts";
import { createLawCache, type LawCache } from "./laws/law-cache.ts";
import { readLaw } from "./laws/read-law.ts";
import { createSessionLaws } from "./laws/session-laws.ts";
import { createTickets, type TicketService } from "./tickets/create-tickets.ts";
import type { GovernedTickets } from "./tickets/tickets.ts";

/** What the daemon keeps of governed repositories: their laws, leases and tickets. Made before the sessions. */
export interface HeldGovernance {
  readonly git: RepositoryGit;
  /** For temporary files of git, out of any agent's reach. */
  readonly scratch: string;
  readonly laws: LawCache;
  readonly leases: Leases;
  readonly refs: Refs;
  readonly files: FileCommits;
  readonly reader: TicketReader;
  readonly tickets: GovernedTickets;
  readonly ticketService: TicketService;
  readonly open: (cwd: string) => Promise<Governed | null>;
  /** At the gate, beside its rules. */
  readonly speak: Speaker;
  readonly sessionLaw: SessionLaw;
  readonly landingLaw: LandingLaw;
  /** What sessions have to be told is looked at before each of their turns; a lost lease is told at once. */
  readonly tellOf: (listener: WorkListener) => void;
  readonly stop: () => void;
}

export interface WorkListener {
  readonly prepare: (sessionId: string) => Promise<void>;
  readonly lost: () => void;
}

export interface HeldGovernanceDeps {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The person's home, by its real path: what `~` means in a rule. */
  readonly personHome: string | null;
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Made after this. */
  readonly trees: () => Pick<SessionTrees, "repositoryOf">;
  readonly log: (message: string, details: object) => void;
}

const DAEMON = { actor: "daemon" } as const;

export function holdGovernance(deps: HeldGovernanceDeps): HeldGovernance {
  const { home, environment, personHome, store, committer, clock, log } = deps;
  const git = createGitRunner(environment);
  const scratch = join(home, "tmp", "law");
  const open = openIn(store, git, scratch);
  /** What the branch holds, in the log too: a law that was edited by hand is told once. */
  const note = ({ governed, sound, problems }: HeldLaw): void => {
    const { repoKey, root, branch, tip } = governed;
    const found = { root, branch, tip, lockHash: sound?.lock.hash ?? null, rulesHash: sound?.lock.rulesHash ?? null };
    committer
      .change(
        GovernedStream,
        repoKey,
        (state) => (sound === null ? refuseLaw(state, { root, branch, problems }) : findLaw(state, found)),
        DAEMON,
      )
      .catch((thrown: unknown) => log("a law could not be recorded", { root, reason: String(thrown) }));
  };
  const read = (governed: Governed): Promise<HeldLaw> => readLaw({ git, scratch, home: personHome }, governed);
  const laws = createLawCache({ open, read, onRead: note });
  const refs = createRefs({ git, clock, environment });
  const leases = createLeases({
    ...{ refs, clock, host: hostname() },
    remoteOf: async ({ repository }) => leaseRemote(laws.known(repository.commonDir)),
  });
  const reader = createTicketReader(git, scratch);
  const files = createFileCommits({ environment, folder: join(home, "law-commits"), scratch, log });
  const ticketService = createTickets({
    ...{ store, committer, clock, reader, files, documents: refs.documents, leases, log },
    open: async (cwd) => (await laws.at(cwd))?.governed ?? null,
    explain: (cwd) => explainUngoverned(git, cwd, scratch),
    proofs: createProofs({ store, git, scratch }),
  });
  const tickets = ticketService.governed;
  let listener: WorkListener | null = null;
  const sessionLaws = createSessionLaws({
    onLost: () => listener?.lost(),
    ...{ store, laws, worktrees: join(home, "worktrees") },
    repositoryOf: async (worktreeId) => {
      const found = await deps.trees().repositoryOf(worktreeId);
      return found === null ? null : (found.root ?? found.gitDir);
    },
    leaseProblem: async ({ governed }, { order, fence }) => {
      if (order === null || fence === null) return "lease_missing";
      return (await leases.check(governed, order.ticketId, fence))?.refused ?? null;
    },
  });
  return {
    ...{ git, scratch, laws, leases, refs, reader, files, tickets, ticketService, open, speak: sessionLaws.speak },
    sessionLaw: {
      ...sessionLaws,
      ready: async (state) => {
        await sessionLaws.ready(state);
        await listener?.prepare(state.id);
      },
    },
    landingLaw: createLandingLaw({ store, laws, leases, tickets }),
    tellOf: (given) => {
      listener = given;
    },
    stop: sessionLaws.stop,
  };
}

/**
 * Where the log knows of a law, agents that work without walls can have hidden it: by git files that contradict each other,
 * or by a commit that takes it out of its branch. Then it is a law that does not hold, and none that never was.
 */
function openIn(store: Store, git: RepositoryGit, scratch: string): HeldGovernance["open"] {
  return async (cwd) => {
    try {
      const found = await findTip(git, cwd, scratch);
      const governed = found === null ? null : governedAt(git, found, scratch);
      if (found === null || governed !== null) return governed;
      const known = await store.row(GOVERNED, found.repoKey);
      return known?.at === "governed" ? await openRemoved(git, found, scratch) : null;
    } catch (thrown) {
      if (toNomosError(thrown).code !== "repository_invalid" || (await hadLaw(store, cwd))) throw thrown;
      return null;
    }
  };
}

/** What cannot be opened has no key: it is known by where it lies. */
async function hadLaw(store: Store, cwd: string): Promise<boolean> {
  for (let root = cwd; ; root = dirname(root)) {
    if ((await store.rows(GOVERNED, { where: { at: "governed", root }, limit: 1 })).length > 0) return true;
    if (root === dirname(root)) return false;
  }
}

/** Also while the law does not hold: two clones that no longer see each other's leases would both work. */
async function leaseRemote(law: HeldLaw | null): Promise<string | null> {
  if (law === null) return null;
  return (law.sound?.config ?? (await lawConfig(law.governed))).leases.remote;
}
