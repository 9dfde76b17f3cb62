import { type By, subjectOf } from "../../../commit/index.ts";
import { NomosError, toNomosError } from "../../../contract/index.ts";
import {
  assignWork,
  denialsOf,
  dropWork,
  planWork,
  recordTicketLease,
  type TicketState,
  TicketStream,
  ticketStreamId,
  type WorkOrder,
  type WorkRole,
  type WorkState,
  WorkStream,
} from "../../../domains/index.ts";
import type { HeldLease } from "../../../governance/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import type { Supervisor } from "../../../supervisor/index.ts";
import { worksOn } from "./find-work.ts";
import { type ReadyTicket, readyTicket, scopeOfWork } from "./plan-work.ts";
import { quoteData } from "./quote-data.ts";
import { DAEMON, leaseOwner, type WorkDeps } from "./work-deps.ts";

type Opening = Parameters<Supervisor["open"]>[0];

export interface WorkWish extends Opening {
  readonly ticket: string;
  readonly role: WorkRole;
  /** The caller has the person's rights: it may name a weaker sandbox. */
  readonly isPerson: boolean;
}

/**
 * Opens a session on a ticket. Each step is recorded before it is taken, so that a daemon that dies in between leaves
 * nothing that the next one does not find: a plan without a session is dropped, and its lease released.
 */
export async function openWork(
  deps: WorkDeps,
  settle: (sessionId: string) => Promise<void>,
  wish: WorkWish,
  by: By,
): Promise<readonly RecordedEvent[]> {
  const { ticket: named, role, isPerson, ...given } = wish;
  if (given.sandbox !== undefined && given.sandbox !== "strict" && !isPerson)
    throw new NomosError("ticket_weak_sandbox", { ticket: named, sandbox: given.sandbox });
  const asked: Opening = { ...given, worktree: true, sandbox: given.sandbox ?? "strict" };
  // Everything that can be refused is refused before anything is recorded.
  const spec = await deps.supervisor.check(asked, by);
  const ready = await readyTicket(deps, spec.cwd, named);
  const { id: ticketId } = ready.ticket;
  const model = given.settings?.model ?? null;
  if (role === "audit") await requireOtherModel(deps, ready, spec.agent, model);
  const scope = scopeOfWork(ready.ticket, ready.law, role, ({ lock }) => denialsOf(lock.rules).write);
  const id = deps.newId();
  const { repoKey } = ready.law.governed;
  const order: WorkOrder = {
    ...{ ticketId, title: ready.ticket.title, repo: repoKey, cwd: spec.cwd, role, agent: spec.agent, model },
    actor: by.actor,
  };
  await deps.committer.change(WorkStream, id, (state) => planWork(state, order), DAEMON);
  try {
    const lease = role === "audit" ? null : await claim(deps, ready, order, id);
    await assign(deps, id, order, lease);
    const opening: Opening = {
      ...asked,
      ...{ scope, base: given.base ?? ready.law.governed.work.tip, title: given.title ?? ready.ticket.title },
      prompt: given.prompt ?? promptOf(ready, role),
      // An audit judges the files, and not what their writer says of them; git's history would tell it too.
      ...(role === "audit" ? { withhold: mementoFolders(ready) } : {}),
    };
    const events = await deps.supervisor.open(opening, by, id);
    if (role === "work") await deps.tickets.setStatus(ready.law.governed, ticketId, "active", by).catch(told(deps, id));
    return events;
  } catch (thrown) {
    const { code, message } = toNomosError(thrown);
    await deps.committer.change(WorkStream, id, (state) => dropWork(state, { code, message }), DAEMON);
    await settle(id);
    throw thrown;
  }
}

/** Where the law lies in the tree, and where it has a branch of its own. */
const mementoFolders = ({ ticket: { id } }: ReadyTicket): readonly string[] => [
  `.nomos/mementos/${id}`,
  `mementos/${id}`,
];

/** The session runs; a status that could not be written is written when the work is settled. */
const told =
  ({ log }: WorkDeps, id: string) =>
  (thrown: unknown): void =>
    log("the status of a ticket could not be written", { sessionId: id, reason: String(thrown) });

/** A lease that the same agent took by hand becomes the session's. Anybody else's is in the way. */
async function claim(deps: WorkDeps, { law }: ReadyTicket, order: WorkOrder, id: string): Promise<HeldLease> {
  const { governed, sound } = law;
  const owner = leaseOwner(order.agent);
  const wish = { owner, sessionId: id, minutes: sound.config.leases.minutes };
  try {
    return await deps.leases.claim(governed, order.ticketId, wish);
  } catch (thrown) {
    if (toNomosError(thrown).code !== "ticket_leased") throw thrown;
    const held = await deps.leases.holder(governed, order.ticketId);
    const isTheirs = held !== null && held.sessionId === null && [owner, order.actor].includes(held.owner);
    if (!isTheirs) throw thrown;
    await deps.leases.release(governed, order.ticketId, { owner: held.owner, fence: held.fence });
    return deps.leases.claim(governed, order.ticketId, wish);
  }
}

async function assign(deps: WorkDeps, id: string, order: WorkOrder, lease: HeldLease | null): Promise<void> {
  const work = { of: subjectOf(WorkStream, id), decide: (state: WorkState) => assignWork(state, lease?.fence ?? null) };
  if (lease === null) return void (await deps.committer.commit([work], { by: DAEMON }));
  const { fence, owner, until } = lease;
  const ticket = {
    of: subjectOf(TicketStream, ticketStreamId(order.repo, order.ticketId)),
    // A ticket that was written by hand may not be in the log yet.
    decide: (state: TicketState) =>
      state.at === "present" ? recordTicketLease(state, { fence, owner, until, sessionId: id }) : [],
  };
  await deps.committer.commit([work, ticket], { by: DAEMON });
}

async function requireOtherModel(
  deps: WorkDeps,
  { law, ticket }: ReadyTicket,
  agent: string,
  model: string | null,
): Promise<void> {
  const works = await worksOn(deps, law.governed.repoKey, ticket.id);
  const writer = works.find(({ order }) => order.role === "work")?.order;
  if (writer !== undefined && writer.agent === agent && writer.model === model)
    throw new NomosError("audit_same_model", { ticket: ticket.id, agent, model });
}

const PROMPT_CHARS = 20_000;

function promptOf({ ticket }: ReadyTicket, role: WorkRole): string {
  const what =
    role === "audit" ? "Audit the work that was done for this ticket." : "Do the work that this ticket asks for.";
  const text = [ticket.title, ticket.body].filter((part) => part.trim() !== "").join("\n\n");
  return [`${what} Lines that begin with \`|\` are its text.`, ...quoteData(text, PROMPT_CHARS)].join("\n");
}
