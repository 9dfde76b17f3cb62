import type { By } from "../../../commit/index.ts";
import { NomosError, toNomosError } from "../../../contract/index.ts";
import {
  askFinish,
  type Finding,
  type Finished,
  finishWork,
  handWork,
  type Parting,
  refuseFinish,
  type WorkState,
  WorkStream,
} from "../../../domains/index.ts";
import { Session, type SessionState } from "../../../kernel/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import { refuseUnproven } from "../tickets/proofs.ts";
import { landedBy } from "./find-work.ts";
import { mementoPath } from "./memento-text.ts";
import { lawAt, type ReadyTicket } from "./plan-work.ts";
import { DAEMON, type WorkDeps } from "./work-deps.ts";

type Events = Promise<readonly RecordedEvent[]>;

export interface FinishWish extends Parting {
  readonly status: Finished["status"];
  readonly skipChecks: boolean;
}

export interface HandoffWish extends Parting {
  readonly to: string | null;
}

type Checks = Finished["checks"];

/**
 * Finishes the work of a session. Called by the agent itself, in the turn that does the work, it is only asked for: the
 * files can be checked when the turn has ended.
 */
export async function finish(
  deps: WorkDeps,
  sessionId: string,
  wish: FinishWish,
  by: By,
  signal?: AbortSignal,
): Events {
  if (wish.skipChecks && wish.reason === null) throw new NomosError("reason_required", { id: sessionId });
  const { work, law, session } = await openWorkOf(deps, sessionId);
  if (session.phase.at === "busy" && !wish.skipChecks && work.order.role === "work") {
    const asked = { ...wish, actor: by.actor };
    return (await deps.committer.change(WorkStream, sessionId, (state) => askFinish(state, asked), by)).events;
  }
  await requireProof(deps, law, work, wish, by);
  const checks = await checksOf(deps, sessionId, work, wish, signal);
  const drift = await driftNow(deps, law, session, work);
  const { status, skipChecks: _skip, ...parting } = wish;
  const memento = mementoPath(work.order.ticketId, sessionId);
  const closing = { status, checks, drift, memento, actor: by.actor };
  return (await deps.committer.change(WorkStream, sessionId, (state) => finishWork(state, parting, closing), by))
    .events;
}

/** One append: the summary, who gets it, and that this session's work is over. */
export async function handOver(deps: WorkDeps, sessionId: string, wish: HandoffWish, by: By): Events {
  const { work, law, session } = await openWorkOf(deps, sessionId);
  const drift = await driftNow(deps, law, session, work);
  const { to, ...parting } = wish;
  const reason = parting.reason ?? `handed over to ${to ?? "whoever is next"}`;
  const memento = mementoPath(work.order.ticketId, sessionId);
  const closing = { to, checks: "bypassed", drift, memento, actor: by.actor } as const;
  const decide = (state: WorkState) => handWork(state, { ...parting, reason }, closing);
  return (await deps.committer.change(WorkStream, sessionId, decide, by)).events;
}

/** What an agent asked for during its turn, now that the turn has ended. What cannot be done is recorded. */
export async function finishAsked(deps: WorkDeps, sessionId: string): Promise<void> {
  const { asked } = await deps.store.fold(WorkStream, sessionId);
  if (asked === null) return;
  const { actor, ...wish } = asked;
  try {
    await finish(deps, sessionId, wish, { actor });
  } catch (thrown) {
    const { code, message, details } = toNomosError(thrown);
    const findings = Array.isArray(details["findings"]) ? details["findings"] : [];
    const more = findings.map((one) => JSON.stringify(one)).join("\n");
    const why = { code, message: `${message}\n${more}`.trim().slice(0, WHY_CHARS) };
    await deps.committer.change(WorkStream, sessionId, (state) => refuseFinish(state, why), DAEMON);
  }
}

const WHY_CHARS = 4000;

interface OpenWork {
  readonly work: WorkState & { readonly order: NonNullable<WorkState["order"]> };
  readonly law: ReadyTicket["law"];
  readonly session: SessionState;
}

/** Refuses a session whose work is over, whose law does not hold, or that lost its lease. */
export async function openWorkOf(deps: WorkDeps, sessionId: string): Promise<OpenWork> {
  const state = await deps.store.fold(WorkStream, sessionId);
  const { order } = state;
  if (order === null) throw new NomosError("work_not_found", { id: sessionId });
  const details = { id: sessionId, ticket: order.ticketId, state: state.at };
  if (state.at === "suspended") throw new NomosError("work_suspended", details);
  if (state.at !== "active") throw new NomosError("work_over", details);
  const law = await lawAt(deps, order.cwd);
  if (order.role === "work") {
    const refusal = await deps.leases.check(law.governed, order.ticketId, state.fence ?? 0);
    if (refusal !== null) throw new NomosError("lease_lost", { ...refusal.details, ticket: order.ticketId });
  }
  return { work: { ...state, order }, law, session: await deps.store.fold(Session, sessionId) };
}

/** `done` is no claim: it needs what closing the ticket needs. Skipped checks prove nothing. */
async function requireProof(
  deps: WorkDeps,
  { governed }: ReadyTicket["law"],
  { order }: OpenWork["work"],
  { status }: FinishWish,
  by: By,
): Promise<void> {
  const missing = status === "done" ? await deps.tickets.missing(governed, order.ticketId, by) : [];
  if (missing.length > 0) refuseUnproven(order.ticketId, missing);
}

async function checksOf(
  deps: WorkDeps,
  sessionId: string,
  { order }: OpenWork["work"],
  { skipChecks }: FinishWish,
  signal?: AbortSignal,
): Promise<Checks> {
  if (order.role === "audit") return "none";
  if (skipChecks) return "bypassed";
  try {
    const { findings, checkMs } = await deps.landings.tryOut(sessionId, {}, signal);
    if (findings.length === 0) return checkMs === null ? "none" : "passed";
    throw failed(sessionId, findings);
  } catch (thrown) {
    if (toNomosError(thrown).code !== "nothing_to_land") throw thrown;
    // All of it has landed already, through the same checks; or nothing was done.
    return (await landedBy(deps, sessionId)).some(({ checked }) => checked !== null) ? "passed" : "none";
  }
}

function failed(id: string, findings: readonly Finding[]): NomosError {
  const shown = findings.slice(0, FINDINGS_SHOWN).map((finding) => ({ ...finding }));
  return new NomosError("checks_failed", { id, findings: shown, more: findings.length - shown.length });
}

const FINDINGS_SHOWN = 50;

/** A measurement that fails keeps nobody from finishing. */
async function driftNow(
  deps: WorkDeps,
  law: ReadyTicket["law"],
  session: SessionState,
  { order }: OpenWork["work"],
): Promise<Finished["drift"]> {
  if (order.role === "audit") return null;
  try {
    const ticket = await deps.tickets.read(law.governed, order.ticketId);
    const { paths: _paths, ...figures } = await deps.measures.drift(law, session, ticket);
    return figures;
  } catch (thrown) {
    deps.log("the drift of a session could not be measured", { sessionId: session.id, reason: String(thrown) });
    return null;
  }
}
