import { subjectOf } from "../../../commit/index.ts";
import { toNomosError } from "../../../contract/index.ts";
import {
  isLive,
  releaseTicketLease,
  settleWork,
  type TicketState,
  type TicketStatus,
  TicketStream,
  ticketStreamId,
  type WorkState,
  WorkStream,
} from "../../../domains/index.ts";
import type { HeldLease } from "../../../governance/index.ts";
import { memberOf, Session } from "../../../kernel/index.ts";
import type { HeldLaw } from "../laws/held-law.ts";
import { landedBy } from "./find-work.ts";
import { mementoPath, mementoText } from "./memento-text.ts";
import { DAEMON, leaseOwner, type WorkDeps } from "./work-deps.ts";

type Known = WorkState & { readonly order: NonNullable<WorkState["order"]> };

/**
 * Brings memento, ticket status and lease to what the log says of a session's work. Each step changes nothing when it was
 * done before, so it is tried again after a failure and after a crash.
 */
export async function settle(deps: WorkDeps, sessionId: string): Promise<void> {
  const work = await deps.store.fold(WorkStream, sessionId);
  if (work.order === null || work.isSettled) return;
  const known: Known = { ...work, order: work.order };
  const law = await deps.laws.at(known.order.cwd).catch(nullIfGone);
  const commit = law === null ? null : await inGit(deps, law, sessionId, known);
  await deps.committer.change(WorkStream, sessionId, (state) => settleWork(state, commit), DAEMON);
}

/** A repository that somebody removed has nothing that could be brought up to date. */
function nullIfGone(thrown: unknown): null {
  const code = memberOf(thrown, "code");
  if (code === "ENOENT" || code === "ENOTDIR" || code === "cwd_missing") return null;
  throw thrown;
}

async function inGit(deps: WorkDeps, law: HeldLaw, sessionId: string, work: Known): Promise<string | null> {
  const { order, at } = work;
  const commit = await leaveMemento(deps, law, sessionId, work);
  if (order.role === "audit") return commit;
  const by = { actor: closingOf(work)?.actor ?? order.actor };
  if (work.finished?.status === "done" && at === "finished") {
    const lease = await ownLease(deps, law, sessionId, work);
    const fence = lease !== null && isLive(lease, deps.clock.nowMs()) ? { fence: lease.fence } : {};
    await deps.tickets.close(law.governed, { id: order.ticketId, ...fence }, by);
  } else {
    const status = statusOf(work, await deps.tickets.statusOf(law.governed, order.ticketId));
    if (status !== null) await deps.tickets.setStatus(law.governed, order.ticketId, status, by);
  }
  if (at !== "active" && !(at === "suspended" && work.keepsLease)) await release(deps, law, sessionId, work);
  return commit;
}

const closingOf = ({ at, finished, handed }: Known) => (at === "handed" ? handed : finished);

async function leaveMemento(deps: WorkDeps, law: HeldLaw, sessionId: string, work: Known): Promise<string | null> {
  const closing = closingOf(work);
  if (closing === null || work.at === "dropped") return null;
  const { order, parting, since, changedAt } = work;
  const { spec } = await deps.store.fold(Session, sessionId);
  const landings = (await landedBy(deps, sessionId)).map(({ id, landed, order: { into } }) => ({
    ...{ id, into, commit: landed.commit },
  }));
  const name = spec?.name ?? sessionId;
  const about = { sessionId, name, order, parting, closing, startedAt: since, endedAt: changedAt, landings };
  const text = deps.committer.redactor.text(mementoText(about));
  const { commit } = await deps.files.commit({
    governed: law.governed,
    changes: new Map([[mementoPath(order.ticketId, sessionId), text]]),
    message: `Leave a memento of ${order.ticketId}`,
    actor: closing.actor,
    trailers: [`Nomos-Session: ${sessionId}`, `Nomos-Ticket: ${order.ticketId}`],
  });
  return commit;
}

/** Null: it stays as it is. What a person has decided meanwhile, such as a review, is not taken back. */
function statusOf({ at, finished }: Known, now: TicketStatus): TicketStatus | null {
  if (at === "finished") return finished?.status === "review" ? "review" : null;
  if (at === "active") return now === "todo" || now === "paused" ? "active" : null;
  if (now !== "active" && now !== "paused") return null;
  return at === "suspended" ? "paused" : "todo";
}

/** Null: it is somebody else's by now. It may have ended. */
async function ownLease(deps: WorkDeps, law: HeldLaw, sessionId: string, work: Known): Promise<HeldLease | null> {
  const held = await deps.leases.holder(law.governed, work.order.ticketId);
  // Claimed by a daemon that died before it recorded the fence.
  return held !== null && (held.sessionId === sessionId || held.fence === work.fence) ? held : null;
}

async function release(deps: WorkDeps, law: HeldLaw, sessionId: string, work: Known): Promise<void> {
  const { order } = work;
  const mine = (await ownLease(deps, law, sessionId, work))?.fence;
  if (mine === undefined) return;
  const holder = { owner: leaseOwner(order.agent), fence: mine, sessionId };
  await deps.leases.release(law.governed, order.ticketId, holder).catch((thrown: unknown) => {
    const { code } = toNomosError(thrown);
    if (code !== "lease_lost" && code !== "ticket_leased") throw thrown;
  });
  const of = subjectOf(TicketStream, ticketStreamId(order.repo, order.ticketId));
  await deps.committer.commit([{ of, decide: (state: TicketState) => releaseTicketLease(state, mine) }], {
    by: DAEMON,
  });
}
