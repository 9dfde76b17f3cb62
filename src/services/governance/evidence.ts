import type { LandingRow, Ticket, WorkRow } from "../../domains/index.ts";
import type { Governed } from "../../governance/index.ts";
import { openObjectsView, type RepositoryGit, shellQuoted } from "../../host/index.ts";
import type { Json } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { landedBy, worksOn } from "./work/find-work.ts";

export interface ProofWish {
  readonly governed: Governed;
  readonly ticket: Ticket;
  /** Events of the log that somebody names for criteria without a check, by the criterion's id. */
  readonly witnesses: Readonly<Record<string, string>>;
  /** Who closes it. */
  readonly actor: string;
}

export interface Proof {
  /** Null: something is missing. Otherwise what is kept under `refs/nomos/evidence/<ID>`. */
  readonly evidence: { readonly [key: string]: Json } | null;
  /** What is missing, in words for people; empty when it is proven. */
  readonly missing: readonly string[];
}

export interface ProofDeps {
  readonly store: Pick<Store, "rows" | "event" | "readStream">;
  readonly git: RepositoryGit;
  /** For temporary files. */
  readonly scratch: string;
}

type Landed = LandingRow & { readonly at: "landed" };

interface Found {
  readonly work: WorkRow;
  readonly landing: Landed;
}

/** Finds in the log what shows that a ticket is done. What somebody says of it counts for nothing. */
export function createProofs(deps: ProofDeps): { readonly proofOf: (wish: ProofWish) => Promise<Proof> } {
  return {
    proofOf: async (wish) => {
      const { governed, ticket } = wish;
      const landings = await landingsOn(deps, governed, ticket.id);
      const tried = await Promise.all(landings.map((found) => prove(deps, wish, found)));
      const proven = tried.find(({ evidence }) => evidence !== null);
      if (proven !== undefined) return proven;
      // The newest landing is the one that somebody can complete.
      return tried[0] ?? nothing(await worksOn(deps, governed.repoKey, ticket.id), governed);
    },
  };
}

/** Landings of work on the ticket that are on the default branch now, the newest first. */
async function landingsOn(deps: ProofDeps, governed: Governed, ticketId: string): Promise<readonly Found[]> {
  const works = (await worksOn(deps, governed.repoKey, ticketId)).filter(({ order }) => order.role === "work");
  const all: Found[] = [];
  for (const work of works)
    for (const landing of await landedBy(deps, work.id))
      if (landing.order.into === governed.work.branch) all.push({ work, landing });
  const standing: Found[] = [];
  for (const one of all.toSorted((a, b) => (a.landing.changedAt < b.landing.changedAt ? 1 : -1)))
    if (await isOnBranch(deps, governed, one.landing.landed.commit)) standing.push(one);
  return standing;
}

/** A branch that was moved back by force no longer has what landed. */
async function isOnBranch({ git, scratch }: ProofDeps, governed: Governed, commit: string): Promise<boolean> {
  await using view = await openObjectsView(git, governed.repository, scratch);
  const { exitCode } = await view.git.run(["merge-base", "--is-ancestor", commit, governed.work.tip]);
  return exitCode === 0;
}

async function prove(
  { store }: ProofDeps,
  { governed, ticket, witnesses, actor }: ProofWish,
  { work, landing }: Found,
): Promise<Proof> {
  const passed = new Set((landing.checked?.checks ?? []).map((argv) => JSON.stringify(argv)));
  const hasPassed = (argv: readonly string[]): boolean => passed.has(JSON.stringify(argv));
  const missing: string[] = ticket.checks
    .filter((argv) => !hasPassed(argv))
    .map((argv) => `the check \`${spelled(argv)}\` passing in a landing`);
  const criteria: Json[] = [];
  for (const { id, text, check } of ticket.acceptance) {
    const eventId = witnesses[id] ?? null;
    if (check !== null && hasPassed(check)) criteria.push({ id, text, witness: { check: [...check] } });
    else if (check !== null)
      missing.push(`the check \`${spelled(check)}\` of the criterion ${id} passing in a landing`);
    else if (eventId === null) missing.push(`a witness of the criterion ${id}`);
    else {
      const event = await eventNamed(store, eventId, work);
      if (event === null)
        missing.push(`the event ${eventId}, which is named for ${id}, in the log since the work began`);
      else
        criteria.push({ id, text, witness: { event: event.id, type: event.type, hash: event.hash, namedBy: actor } });
    }
  }
  if (missing.length > 0) return { evidence: null, missing };
  const landedEvent = await landedEventOf(store, landing);
  const evidence = {
    version: 1,
    ticket: ticket.id,
    repo: governed.repoKey,
    branch: governed.work.branch,
    session: work.id,
    agent: work.order.agent,
    model: work.order.model,
    fence: work.fence,
    landing: landing.id,
    commit: landing.landed.commit,
    base: landing.landed.base,
    checkedCommit: landing.checked?.commit ?? null,
    checks: (landing.checked?.checks ?? []).map((argv) => [...argv]),
    criteria,
    event: landedEvent === null ? null : { id: landedEvent.id, hash: landedEvent.hash, at: landedEvent.at },
    closedBy: actor,
  };
  return { evidence, missing: [] };
}

/** What happened before the work began, or was erased, is no witness of it. */
async function eventNamed(store: ProofDeps["store"], id: string, work: WorkRow): Promise<RecordedEvent | null> {
  const event = await store.event(id).catch(() => null);
  return event === null || event.data === null || event.at < work.since ? null : event;
}

async function landedEventOf(store: ProofDeps["store"], { id }: Landed): Promise<RecordedEvent | null> {
  const { events } = await store.readStream(`landing/${id}`, { types: ["landing.landed@1"], limit: 1 });
  return events[0] ?? null;
}

function nothing(works: readonly WorkRow[], { branch }: Governed): Proof {
  const what = works.length === 0 ? "work on it by a session" : "a landing of its work";
  return { evidence: null, missing: [`${what}, landed on ${branch}`] };
}

function spelled(argv: readonly string[]): string {
  return argv.map(shellQuoted).join(" ");
}
