import {
  type Decision,
  defineAggregate,
  defineList,
  type FactOf,
  type Folding,
  factsOf,
  type Placed,
  putRow,
  type Refusal,
  refuse,
} from "../../kernel/index.ts";
import { ticketStreamId } from "../tickets/ticket-stream.ts";
import {
  type AskedFinish,
  type DriftFigures,
  type Finished,
  type Handed,
  type Parting,
  type ToldWork,
  WORK_EVENTS,
  type WorkOrder,
} from "./work-events.ts";

const fact = factsOf(WORK_EVENTS);

type WorkPhase = "absent" | "planned" | "active" | "suspended" | "finished" | "handed" | "dropped";

/** One session's assignment to a ticket. The stream has the session's id. */
export interface WorkState extends Folding {
  readonly id: string;
  readonly at: WorkPhase;
  readonly order: WorkOrder | null;
  /** Of the lease as it was claimed last; null: none was. */
  readonly fence: number | null;
  readonly lost: { readonly holder: string | null; readonly fence: number | null } | null;
  readonly isTold: boolean;
  readonly isWarned: boolean;
  readonly keepsLease: boolean;
  /** What the session said last; null when it said nothing, or when it was erased. */
  readonly parting: Parting | null;
  /** The last one: after a `keep` the work goes on. */
  readonly finished: Finished | null;
  readonly handed: Handed | null;
  readonly receivedBy: string | null;
  readonly asked: AskedFinish | null;
  /** Why the last finish that the agent asked for did not happen. */
  readonly refused: { readonly code: string; readonly message: string } | null;
  readonly drift: DriftFigures | null;
  /** False while memento, ticket status or lease may differ from what is recorded here. */
  readonly isSettled: boolean;
  readonly since: string;
  readonly changedAt: string;
}

type Known = WorkState & { readonly order: WorkOrder };

/** Whether the session may still write for its ticket, or could after it is resumed. */
export function isOpenWork({ at }: Pick<WorkState, "at">): boolean {
  return at === "planned" || at === "active" || at === "suspended";
}

export function planWork(state: WorkState, order: WorkOrder): Decision {
  return state.at === "absent" ? [fact("work.planned@1", order)] : refuse("work_exists", { ticket: order.ticketId });
}

export function assignWork(state: WorkState, fence: number | null): Decision {
  if (state.at !== "planned" || state.order === null) return [];
  const { ticketId, repo, role } = state.order;
  return [fact("work.assigned@1", { ticketId, repo, fence, role })];
}

export function tellWork(state: WorkState, { turnId, steerId, receivedFrom }: ToldWork): Decision {
  return state.at === "absent" || state.isTold ? [] : [fact("work.told@1", { turnId, steerId, receivedFrom })];
}

export function loseWork(state: WorkState, to: NonNullable<WorkState["lost"]>): Decision {
  const isKnown = state.lost !== null && state.lost.holder === to.holder && state.lost.fence === to.fence;
  return state.at !== "active" || isKnown ? [] : [fact("work.lost@1", to)];
}

export function warnWork(state: WorkState, told: { readonly turnId: string; readonly steerId: string }): Decision {
  const { turnId, steerId } = told;
  return state.lost === null || state.isWarned ? [] : [fact("work.warned@1", { turnId, steerId })];
}

/** The same figures again are no news. */
export function measureWork(state: WorkState, figures: DriftFigures): Decision {
  if (!isOpenWork(state)) return [];
  return JSON.stringify(state.drift) === JSON.stringify(figures) ? [] : [fact("work.measured@1", figures)];
}

export function suspendWork(state: WorkState, reason: string, keepsLease: boolean): Decision {
  return state.at === "active" ? [fact("work.suspended@1", { reason, keepsLease })] : [];
}

export function resumeWork(state: WorkState, fence: number | null): Decision {
  return state.at === "suspended" ? [fact("work.resumed@1", { fence })] : [];
}

export function askFinish(state: WorkState, asked: AskedFinish): Decision {
  return state.at === "active" ? [fact("work.asked@1", asked)] : refuseClosed(state);
}

export function refuseFinish(state: WorkState, why: { readonly code: string; readonly message: string }): Decision {
  return state.asked === null ? [] : [fact("work.refused@1", why)];
}

export function finishWork(state: WorkState, parting: Parting, closing: Finished): Decision {
  if (state.at !== "active") return refuseClosed(state);
  return [fact("work.summarised@1", parting), fact("work.finished@1", closing)];
}

export function handWork(state: WorkState, parting: Parting, closing: Handed): Decision {
  if (state.at !== "active") return refuseClosed(state);
  return [fact("work.summarised@1", parting), fact("work.handed@1", closing)];
}

/** Nothing when another starter was faster. */
export function receiveWork(state: WorkState, sessionId: string): Decision {
  return state.at === "handed" && state.receivedBy === null ? [fact("work.received@1", { sessionId })] : [];
}

export function dropWork(state: WorkState, why: { readonly code: string; readonly message: string }): Decision {
  return isOpenWork(state) ? [fact("work.dropped@1", why)] : [];
}

export function settleWork(state: WorkState, commit: string | null): Decision {
  return state.isSettled ? [] : [fact("work.settled@1", { commit })];
}

function refuseClosed({ at, order }: WorkState): Refusal {
  if (order === null) return refuse("work_not_found");
  return refuse(at === "suspended" ? "work_suspended" : "work_over", { ticket: order.ticketId, state: at });
}

function evolve(before: WorkState, { fact: given, version, at }: Placed<FactOf<typeof WORK_EVENTS>>): WorkState {
  const state = { ...before, version, ...(given === null ? {} : { changedAt: at }) };
  if (given?.type === "work.planned@1") return { ...state, at: "planned", order: given.data, since: at };
  return given === null || state.order === null ? state : { ...state, ...changeOf(given, state) };
}

function changeOf(given: FactOf<typeof WORK_EVENTS>, state: WorkState): Partial<WorkState> {
  switch (given.type) {
    case "work.assigned@1":
      return { at: "active", fence: given.data.fence };
    case "work.told@1":
      return { isTold: true };
    case "work.lost@1":
      return { lost: given.data, isWarned: false };
    case "work.warned@1":
      return { isWarned: true };
    case "work.measured@1":
      return { drift: given.data };
    case "work.suspended@1":
      return { at: "suspended", keepsLease: given.data.keepsLease, isSettled: false };
    case "work.resumed@1":
      return { at: "active", fence: given.data.fence, lost: null, isWarned: false, isSettled: false };
    case "work.asked@1":
      return { asked: given.data, refused: null };
    case "work.refused@1":
      return { asked: null, refused: given.data };
    case "work.summarised@1":
      return { parting: given.data };
    case "work.finished@1":
      return {
        ...{ finished: given.data, drift: given.data.drift ?? state.drift, asked: null, refused: null },
        ...{ at: given.data.status === "keep" ? "active" : "finished", isSettled: false },
      };
    case "work.handed@1":
      return {
        at: "handed",
        handed: given.data,
        drift: given.data.drift ?? state.drift,
        asked: null,
        isSettled: false,
      };
    case "work.received@1":
      return { receivedBy: given.data.sessionId };
    case "work.dropped@1":
      return { at: "dropped", isSettled: false, asked: null };
    case "work.settled@1":
      return { isSettled: true };
    default:
      return {};
  }
}

/** A row is the state: what a session left behind is read from here for the next one. */
export type WorkRow = Omit<Known, "version">;

export const WORK = defineList<WorkRow>()({
  name: "work",
  table: "works",
  newestFirst: true,
  keys: {
    ticket: { text: ({ order }) => ticketStreamId(order.repo, order.ticketId), indexed: true },
    repo: { text: ({ order }) => order.repo, indexed: true },
    open: { flag: isOpenWork, indexed: true },
    /** Something is left to do outside of the log. */
    unsettled: { flag: ({ isSettled, at, asked }) => !isSettled || at === "planned" || asked !== null, indexed: true },
    at: { text: ({ at }) => at },
  },
});

export interface DriftSample extends DriftFigures {
  readonly id: string;
  readonly sessionId: string;
  readonly order: WorkOrder;
  readonly at: string;
}

/** How drift went, by session, ticket and repository. */
export const DRIFTS = defineList<DriftSample>()({
  name: "drift",
  table: "drifts",
  newestFirst: true,
  keys: {
    session: { text: ({ sessionId }) => sessionId, indexed: true },
    ticket: { text: ({ order }) => ticketStreamId(order.repo, order.ticketId), indexed: true },
    repo: { text: ({ order }) => order.repo, indexed: true },
  },
});

export const WorkStream = defineAggregate({
  kind: "work",
  events: WORK_EVENTS,
  lists: [WORK, DRIFTS],
  empty: (id): WorkState => ({
    ...{ id, version: 0, at: "absent", order: null, fence: null, lost: null, isTold: false, isWarned: false },
    ...{ keepsLease: false, finished: null, handed: null, receivedBy: null, asked: null, refused: null },
    ...{ parting: null, drift: null, isSettled: true, since: "", changedAt: "" },
  }),
  evolve,
  rowsOfEvent: ({ id: sessionId, order }, { fact: given, id, at }) => {
    const figures = given === null ? null : figuresIn(given);
    if (order === null || figures === null) return [];
    return [putRow(DRIFTS, id, { ...figures, id, sessionId, at, order })];
  },
  ownRows: ({ version: _version, ...state }, id) =>
    state.order === null ? [] : [putRow(WORK, id, { ...state, order: state.order })],
});

function figuresIn({ type, data }: FactOf<typeof WORK_EVENTS>): DriftFigures | null {
  if (type === "work.measured@1") return data;
  return type === "work.finished@1" || type === "work.handed@1" ? data.drift : null;
}
