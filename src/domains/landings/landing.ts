import {
  type Decision,
  defineAggregate,
  defineList,
  type FactOf,
  factsOf,
  type Placed,
  putRow,
  type Queued,
  refuse,
} from "../../kernel/index.ts";
import type { Finding } from "./finding.ts";
import {
  evolveLanding,
  LANDING_EVENTS,
  type Landed,
  type LandingOrder,
  type LandingState,
  type PassedChecks,
  type Prepared,
  type Pushed,
} from "./landing-events.ts";

const fact = factsOf(LANDING_EVENTS);

export function isSettled(state: LandingState): boolean {
  return state.at === "landed" || state.at === "refused" || state.at === "ejected";
}

const PLACE_CHARS_MAX = 1000;

/** Just before `other`, and behind everything that was moved there earlier: `id` rises with time. */
export function placeBefore(other: string, id: string): string {
  return `${other.slice(0, -1)}!${id}~`;
}

export function queueLanding(state: LandingState, order: LandingOrder): Decision {
  return state.at === "absent" ? [fact("landing.queued@1", order)] : refuse("landing_exists");
}

export function startLanding(state: LandingState): Decision {
  return state.at === "queued" || state.at === "checking" ? [fact("landing.started@1", {})] : settled(state);
}

/** `passed`: null when no checks ran. */
export function prepareLanding(state: LandingState, prepared: Prepared, passed: PassedChecks | null = null): Decision {
  if (state.at !== "checking") return settled(state);
  return [fact("landing.prepared@1", prepared), ...(passed === null ? [] : [fact("landing.checked@1", passed)])];
}

export function returnLanding(state: LandingState, reason: string): Decision {
  return state.at === "checking" ? [fact("landing.returned@1", { reason })] : settled(state);
}

export function finishLanding(state: LandingState, landed: Landed): Decision {
  return state.at === "checking" ? [fact("landing.landed@1", landed)] : settled(state);
}

export function pushLanding(state: LandingState, pushed: Pushed): Decision {
  if (state.at !== "landed") return settled(state);
  return state.pushed === null ? [fact("landing.pushed@1", pushed)] : [];
}

export function refuseLanding(state: LandingState, findings: readonly Finding[]): Decision {
  const listed = findings.slice(0, LANDING_LIMITS.findings.max);
  const more = findings.length - listed.length;
  return state.at === "checking" ? [fact("landing.refused@1", { findings: listed, more })] : settled(state);
}

export function tellOfLanding(state: LandingState, turnId: string): Decision {
  if (state.at !== "refused") return settled(state);
  return state.told === null ? [fact("landing.told@1", { turnId })] : [];
}

export function retryLanding(state: LandingState, landingId: string): Decision {
  if (state.at !== "refused") return settled(state);
  return state.retriedAs === null ? [fact("landing.retried@1", { landingId })] : refuse("landing_exists");
}

/** A landing whose commit may already be on the branch can no longer be ejected. */
export function ejectLanding(state: LandingState, reason: string): Decision {
  if (state.at === "checking" && state.prepared !== null) return refuse("landing_settled", { state: "landing" });
  return state.at === "queued" || state.at === "checking" ? [fact("landing.ejected@1", { reason })] : settled(state);
}

export function holdLanding(state: LandingState, reason: string): Decision {
  if (state.at !== "queued") return settled(state);
  return state.heldBecause === null ? [fact("landing.held@1", { reason })] : [];
}

export function releaseLanding(state: LandingState): Decision {
  if (state.at !== "queued") return settled(state);
  return state.heldBecause === null ? [] : [fact("landing.released@1", {})];
}

export function moveLanding(state: LandingState, place: string): Decision {
  if (state.at !== "queued") return settled(state);
  return place.length > PLACE_CHARS_MAX ? refuse("landing_unmovable") : [fact("landing.moved@1", { place })];
}

function settled(state: LandingState) {
  return state.at === "absent" ? refuse("landing_not_found") : refuse("landing_settled", { state: state.at });
}

/** Landings onto one branch of one repository go one after another, or in a batch. */
export function landingLane({ repository, into }: Pick<LandingOrder, "repository" | "into">): string {
  return `landing/${repository.gitDir}#${into}`;
}

export const LANDING_LIMITS = {
  findings: { max: 100, of: "findings of one refused landing" },
  batch: { max: 8, of: "landings of one branch that are checked at once" },
} as const;

export type LandingRow = Exclude<LandingState, { at: "absent" }> & { readonly id: string };

export const LANDINGS = defineList<LandingRow>()({
  name: "landing",
  table: "landings",
  newestFirst: true,
  isHot: true,
  keys: {
    session: { text: (row) => row.order.sessionId, indexed: true },
    lane: { text: (row) => landingLane(row.order), indexed: true },
    open: { flag: (row) => !isSettled(row), indexed: true },
    state: { text: (row) => row.at },
    /** Its agent mends it. */
    mending: { flag: (row) => row.at === "refused" && row.told !== null && row.retriedAs === null, indexed: true },
  },
});

/** A commit that a landing brought onto a branch. */
export interface LandedCommit {
  readonly commit: string;
  /** Its `landing.landed@1`. */
  readonly eventId: string;
}

/** By commit, then by event: of a commit that was landed onto two branches the first landing comes first. */
export const LANDED_COMMITS = defineList<LandedCommit>()({ name: "landed commit", table: "landed_commits" });

/** What the ids of a commit's rows begin with. */
export function landedCommitPrefix(commit: string): string {
  return `${commit}.`;
}

function commitRows({ fact: given, id: eventId }: Placed<FactOf<typeof LANDING_EVENTS>>) {
  if (given?.type !== "landing.landed@1") return [];
  return given.data.commits.map((commit) =>
    putRow(LANDED_COMMITS, `${landedCommitPrefix(commit)}${eventId}`, { commit, eventId }),
  );
}

export const LandingStream = defineAggregate({
  kind: "landing",
  events: LANDING_EVENTS,
  lists: [LANDINGS, LANDED_COMMITS],
  limits: LANDING_LIMITS,
  empty: (): LandingState => ({ at: "absent", version: 0 }),
  evolve: evolveLanding,
  rowsOfEvent: (_before, placed) => commitRows(placed),
  ownRows: (state, id) => (state.at === "absent" ? [] : [putRow(LANDINGS, id, { id, ...state })]),
  queued: (state): readonly Queued[] => {
    if (state.at !== "queued" && state.at !== "checking") return [];
    const { order, place, heldBecause, at } = state;
    const lane = landingLane(order);
    return [
      {
        item: "land",
        lane,
        priority: 5,
        order: place,
        at: at === "queued" ? "waiting" : "running",
        heldBy: heldBecause,
      },
    ];
  },
  // One at a time. Whoever works on it may start those behind it as well, to check them as a batch.
  laneMax: () => 1,
  start: startLanding,
});
