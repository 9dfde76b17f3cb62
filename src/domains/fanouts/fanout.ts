import {
  type Decision,
  defineAggregate,
  defineList,
  factsOf,
  putRow,
  refuse,
  type TextOrBlob,
} from "../../kernel/index.ts";
import {
  evolveFanout,
  FANOUT_EVENTS,
  type FanoutOrder,
  type FanoutState,
  type Fault,
  type Judgement,
  type KnownFanout,
  type Tried,
} from "./fanout-events.ts";

const fact = factsOf(FANOUT_EVENTS);

/** Fewer is no comparison. */
export const CANDIDATES_MIN = 2;

export const FANOUT_LIMITS = {
  candidates: { max: 32, of: "candidates of one fan-out, whatever the configuration says" },
  findings: { max: 20, of: "findings listed for a judged candidate" },
  paths: { max: 200, of: "changed paths listed for a judged candidate" },
} as const;

export function startFanout(state: FanoutState, order: FanoutOrder, prompt: TextOrBlob): Decision {
  if (state.at !== "absent") return refuse("fanout_exists", { name: order.name });
  return [fact("fanout.started@1", order), fact("fanout.asked@1", { prompt })];
}

/** Candidates that run, or may still: they were opened and nobody dropped them. */
export function standing(state: FanoutState): readonly Tried[] {
  return state.at === "absent" ? [] : state.tried.filter(({ failed, drop }) => failed === null && drop === null);
}

/** Once every candidate was opened or has failed. With fewer than two the fan-out is over before it began. */
export function beginFanout(state: FanoutState): Decision {
  if (state.at !== "starting") return [];
  return standing(state).length < CANDIDATES_MIN
    ? [fact("fanout.settled@1", { reason: "too_few" })]
    : [fact("fanout.begun@1", {})];
}

export function failCandidate(state: FanoutState, sessionId: string, fault: Fault): Decision {
  const one = triedIn(state, sessionId);
  return one === null || one.failed !== null || one.drop !== null
    ? []
    : [fact("fanout.failed@1", { sessionId, ...fault })];
}

/** Each state of the work is judged once. */
export function judgeCandidate(state: FanoutState, judgement: Judgement): Decision {
  const one = triedIn(state, judgement.sessionId);
  if (one === null || one.drop !== null || one.judged?.turnId === judgement.turnId) return [];
  const findings = judgement.findings.slice(0, FANOUT_LIMITS.findings.max);
  const more = judgement.more + judgement.findings.length - findings.length;
  const paths = judgement.paths.slice(0, FANOUT_LIMITS.paths.max);
  return [fact("fanout.judged@1", { ...judgement, findings, more, paths })];
}

/** Its work was given to a branch's queue. A later choice stands over an earlier one. */
export function chooseCandidate(state: FanoutState, sessionId: string, landingId: string): Decision {
  if (state.at === "absent" || triedIn(state, sessionId) === null) return [];
  const isKnown = state.chosen?.landingId === landingId;
  return isKnown ? [] : [fact("fanout.chosen@1", { sessionId, landingId })];
}

export function dropCandidates(state: FanoutState, sessions: readonly string[]): Decision {
  if (state.at === "absent") return refuse("fanout_not_found");
  const left = sessions.filter((id) => triedIn(state, id)?.drop === null);
  return left.length === 0 ? [] : [fact("fanout.dropped@1", { sessions: left })];
}

export function removeCandidate(state: FanoutState, sessionId: string, gone: NonNullable<Tried["removed"]>): Decision {
  return triedIn(state, sessionId)?.drop === "asked" ? [fact("fanout.removed@1", { sessionId, ...gone })] : [];
}

/** `landed`: sessions whose work is on a branch, or that nobody lists any more. */
export function settleFanout(state: FanoutState, over: readonly string[]): Decision {
  if (state.at !== "running") return [];
  const open = state.tried.filter(
    ({ sessionId, failed, drop }) => failed === null && drop !== "done" && !over.includes(sessionId),
  );
  return open.length === 0 ? [fact("fanout.settled@1", { reason: "done" })] : [];
}

function triedIn(state: FanoutState, sessionId: string): Tried | null {
  return state.at === "absent" ? null : (state.tried.find((one) => one.sessionId === sessionId) ?? null);
}

/** Short: what the candidates did stands in the fold. */
export interface FanoutRow {
  readonly id: string;
  readonly name: string;
  readonly at: KnownFanout["at"];
  readonly repository: string;
  readonly agents: readonly string[];
  readonly sessions: readonly string[];
  readonly judged: number;
  readonly chosen: KnownFanout["chosen"];
  readonly startedAt: string;
  readonly changedAt: string;
}

export const FANOUTS = defineList<FanoutRow>()({
  name: "fanout",
  table: "fanouts",
  newestFirst: true,
  keys: {
    name: { text: ({ name }) => name, indexed: true },
    open: { flag: ({ at }) => at !== "settled", indexed: true },
  },
});

export const FanoutStream = defineAggregate({
  kind: "fanout",
  events: FANOUT_EVENTS,
  lists: [FANOUTS],
  limits: FANOUT_LIMITS,
  empty: (): FanoutState => ({ at: "absent", version: 0 }),
  evolve: evolveFanout,
  ownRows: (state, id) => (state.at === "absent" ? [] : [putRow(FANOUTS, id, rowOf(state, id))]),
});

function rowOf({ at, order, tried, chosen, startedAt, changedAt }: KnownFanout, id: string): FanoutRow {
  return {
    ...{ id, at, chosen, startedAt, changedAt, name: order.name, repository: order.repository },
    agents: tried.map(({ agent }) => agent),
    sessions: tried.map(({ sessionId }) => sessionId),
    judged: tried.filter(({ judged }) => judged !== null).length,
  };
}
