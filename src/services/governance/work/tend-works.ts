import { type NomosError, toNomosError } from "../../../contract/index.ts";
import {
  dropWork,
  isOpenWork,
  LANDINGS,
  loseWork,
  measureWork,
  resumeWork,
  suspendWork,
  WORK,
  type WorkRow,
  type WorkState,
  WorkStream,
} from "../../../domains/index.ts";
import { dataIn, isEnded, memberOf, SESSION_EVENTS, Session, type SessionState } from "../../../kernel/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import type { WorkAdvice } from "./advise-work.ts";
import { finishAsked } from "./close-work.ts";
import { createLeaseKeeper, type KeptLease } from "./lease-keeper.ts";
import { settle } from "./settle-work.ts";
import { DAEMON, leaseOwner, type WorkDeps } from "./work-deps.ts";

/** Keeps works going behind their sessions: leases are beaten, ends are noticed, what was cut is settled. */
export interface WorkTending {
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  /** Settles it now; what cannot be is tried again later. */
  readonly settle: (sessionId: string) => Promise<void>;
  /** Looks at all leases now: what was lost is told. */
  readonly look: () => void;
}

const SESSION = "session/";
const LANDING = "landing/";
const LANDED = "landing.landed@1";
const ENDS = /^session\.(exited|killed|failed|forgotten)@/;
const SETTLE_MS = 60_000;
const ROWS_MAX = 1000;

export function createWorkTending(deps: WorkDeps, advice: Pick<WorkAdvice, "prepare" | "forget">): WorkTending {
  const { store, clock, log } = deps;
  let isStopped = false;
  let cancel: () => void = () => undefined;
  let unsubscribe: () => void = () => undefined;
  /** Of each session one after another. Leases are beaten beside them: checks may take minutes. */
  const chains = new Map<string, Promise<void>>();

  const inOrder = (what: string, sessionId: string, work: () => Promise<void>): Promise<void> => {
    const mine = (chains.get(sessionId) ?? Promise.resolve())
      .then(() => (isStopped ? undefined : work()))
      .catch((thrown: unknown) => {
        const { code, message } = toNomosError(thrown);
        log(`a session's work could not be ${what}`, { sessionId, code, reason: message });
      })
      .finally(() => {
        if (chains.get(sessionId) === mine) chains.delete(sessionId);
      });
    chains.set(sessionId, mine);
    return mine;
  };
  const settleOne = (sessionId: string): Promise<void> => inOrder("settled", sessionId, () => settle(deps, sessionId));

  const drop = async (sessionId: string, code: string, message: string): Promise<void> => {
    const decide = (state: Parameters<typeof dropWork>[0]) => dropWork(state, { code, message });
    const { events } = await deps.committer.change(WorkStream, sessionId, decide, DAEMON);
    advice.forget(sessionId);
    if (events.length > 0) await settle(deps, sessionId);
  };
  const ended = (sessionId: string): void =>
    void inOrder("dropped", sessionId, () => drop(sessionId, "session_ended", "Its session ended without a finish."));

  const afterTurn = async (sessionId: string): Promise<void> => {
    const work = await store.fold(WorkStream, sessionId);
    if (work.order === null) return;
    if (work.asked !== null) {
      await finishAsked(deps, sessionId);
      await settle(deps, sessionId);
    }
    await measure(deps, sessionId);
  };
  const afterLanding = async (stream: string): Promise<void> => {
    const row = await store.row(LANDINGS, stream.slice(LANDING.length));
    if (row !== null) await measure(deps, row.order.sessionId);
  };
  const hear = (events: readonly RecordedEvent[]): void => {
    for (const { stream, type } of events) {
      if (type === LANDED) void inOrder("measured", stream, () => afterLanding(stream));
      if (!stream.startsWith(SESSION)) continue;
      const sessionId = stream.slice(SESSION.length);
      if (ENDS.test(type)) ended(sessionId);
      if (type === "turn.ended@1") void inOrder("looked at", sessionId, () => afterTurn(sessionId));
    }
  };

  /** Beside the chains: a remote that hangs is no reason to settle nothing. */
  const keeper = createLeaseKeeper({
    ...{ clock, leases: deps.leases, log },
    kept: () => keptLeases(deps),
    lost: ({ sessionId }, { details }) => inOrder("lost", sessionId, () => lose(deps, advice, sessionId, details)),
  });
  const settleAll = async (): Promise<void> => {
    for (const row of await store.rows(WORK, { where: { unsettled: true }, limit: ROWS_MAX }))
      if (!row.isSettled) await settle(deps, row.id);
  };
  const tick = (): void => {
    cancel = clock.after(SETTLE_MS, () => {
      void inOrder("kept", "", settleAll).finally(() => {
        if (!isStopped) tick();
      });
    });
  };

  return {
    settle: settleOne,
    look: () => void keeper.look(),
    start: () => {
      unsubscribe = store.onAppend(hear);
      void inOrder("taken up", "", async () => {
        await takeUp(deps, drop);
        await settleAll();
        void keeper.look();
      });
      keeper.start();
      tick();
    },
    stop: async () => {
      isStopped = true;
      unsubscribe();
      cancel();
      await Promise.all([keeper.stop(), ...chains.values()]);
    },
  };
}

async function openWorks({ store }: WorkDeps): Promise<readonly WorkRow[]> {
  return store.rows(WORK, { where: { open: true }, limit: ROWS_MAX });
}

/** What a daemon that died has left. */
async function takeUp(
  deps: WorkDeps,
  drop: (sessionId: string, code: string, message: string) => Promise<void>,
): Promise<void> {
  for (const row of await openWorks(deps)) {
    const session = await deps.store.fold(Session, row.id);
    if (row.at === "planned" || session.spec === null)
      await drop(row.id, "daemon_died", "The daemon ended before the session was opened.");
    else if (isEnded(session) || session.forgotten)
      await drop(row.id, "session_ended", "Its session ended without a finish.");
    else await agreeWithSession(deps, row, session);
  }
  for (const row of await deps.store.rows(WORK, { where: { unsettled: true }, limit: ROWS_MAX })) {
    if (row.asked !== null && isOpenWork(row)) await finishAsked(deps, row.id);
    await settle(deps, row.id);
  }
}

/** The daemon died between the session's suspension, or its resumption, and that of its work. */
async function agreeWithSession(deps: WorkDeps, row: WorkRow, { phase }: SessionState): Promise<void> {
  const isAsleep = phase.at === "suspended";
  if ((row.at === "suspended") === isAsleep) return;
  const decide = (state: WorkState) =>
    isAsleep ? suspendWork(state, "its session was suspended", false) : resumeWork(state, state.fence);
  await deps.committer.change(WorkStream, row.id, decide, DAEMON);
}

/** A lease lives as long as its session works. */
async function keptLeases(deps: WorkDeps): Promise<readonly KeptLease[]> {
  const found: KeptLease[] = [];
  for (const { at, order, fence, id } of await openWorks(deps)) {
    if (at !== "active" || order.role !== "work" || fence === null) continue;
    const law = await deps.laws.at(order.cwd).catch(() => null);
    if (law === null) continue;
    const { ticketId } = order;
    found.push({ sessionId: id, ticketId, governed: law.governed, owner: leaseOwner(order.agent), fence });
  }
  return found;
}

/** Whoever has lost the lease stops writing. */
async function lose(
  deps: WorkDeps,
  advice: Pick<WorkAdvice, "prepare">,
  sessionId: string,
  details: NomosError["details"],
): Promise<void> {
  const held = memberOf(details, "now") ?? details;
  const [owner, found] = [memberOf(held, "owner"), memberOf(held, "fence")];
  const holder = typeof owner === "string" ? owner : null;
  const fence = typeof found === "number" ? found : null;
  const running = await turnOf(deps, sessionId);
  const decide = (state: Parameters<typeof loseWork>[0]) => loseWork(state, { holder, fence });
  const { events } = await deps.committer.change(WorkStream, sessionId, decide, DAEMON);
  if (events.length === 0) return;
  await advice.prepare(sessionId);
  // An agent that takes messages learns it at once; the turn of any other ends, because it would go on in vain.
  await deps.advisories.tell(sessionId);
  // A turn that began since was told at its start.
  if (running === null || (await turnOf(deps, sessionId)) !== running) return;
  try {
    const asked = await deps.supervisor.interrupt(sessionId, DAEMON);
    const turn = dataIn(SESSION_EVENTS, asked, "turn.interrupt_requested@1");
    if (turn !== null) await deps.supervisor.settled(sessionId, turn.turnId);
  } catch (thrown) {
    deps.log("a turn without a lease could not be ended", { sessionId, reason: String(thrown) });
  }
}

async function turnOf({ store }: WorkDeps, sessionId: string): Promise<string | null> {
  const { phase } = await store.fold(Session, sessionId);
  return phase.at === "busy" ? phase.turnId : null;
}

/** The figures after a turn, or after a landing has taken the work over. */
async function measure(deps: WorkDeps, sessionId: string): Promise<void> {
  const { at, order } = await deps.store.fold(WorkStream, sessionId);
  if (at !== "active" || order === null || order.role === "audit") return;
  const law = await deps.laws.at(order.cwd);
  if (law === null) return;
  const ticket = await deps.tickets.read(law.governed, order.ticketId);
  const session = await deps.store.fold(Session, sessionId);
  const { paths: _paths, ...figures } = await deps.measures.drift(law, session, ticket);
  await deps.committer.change(WorkStream, sessionId, (state) => measureWork(state, figures), DAEMON);
}
