import { NomosError } from "../../contract/index.ts";
import {
  FanoutStream,
  type Fault,
  type Judgement,
  type KnownFanout,
  LANDINGS,
  type LandingRow,
  overlaps,
  type Ranked,
  rankCandidates,
  type Tried,
} from "../../domains/index.ts";
import { SESSIONS, Session, type SessionRow } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { judgeable } from "./judge-candidates.ts";

export type CandidateStateName =
  | "opening"
  | "working"
  | "waiting"
  | "judging"
  | "judged"
  | "failed"
  | "ended"
  | "landing"
  | "landed"
  | "dropping"
  | "dropped";

/** A candidate as it is now: what its fan-out, its session and its landing say. */
export interface ShownCandidate extends Tried {
  readonly state: CandidateStateName;
  /** Null before the session exists. */
  readonly session: SessionRow | null;
  readonly landing: LandingRow | null;
  /** The newest judgement; of an earlier turn while the session works again. */
  readonly judged: Judgement | null;
  readonly ranked: Ranked | null;
  /** Why a dropped one is still there. */
  readonly stuck: Fault | null;
}

export interface ShownFanout {
  readonly id: string;
  readonly state: "starting" | "working" | "judged" | "settled" | "failed";
  readonly fanout: KnownFanout;
  /** The best first, then those without a rank in the order they were named. */
  readonly candidates: readonly ShownCandidate[];
  /** The one that `best` names; null while some work, and when none could land. */
  readonly best: string | null;
  readonly overlap: ReturnType<typeof overlaps>;
}

const OVERLAP_LISTED_MAX = 50;
/** Nothing more comes of these by itself. */
const DONE: readonly CandidateStateName[] = ["judged", "failed", "ended", "landing", "landed", "dropped"];

export async function showFanout(
  store: Pick<Store, "fold" | "row" | "rows">,
  id: string,
  stuckOf: (sessionId: string) => Fault | null,
): Promise<ShownFanout> {
  const fanout = await store.fold(FanoutStream, id);
  if (fanout.at === "absent") throw new NomosError("fanout_not_found", { id });
  const shown = await Promise.all(fanout.tried.map((one) => showCandidate(store, one, stuckOf)));
  const compared = shown.filter(({ state, drop }) => drop === null && ["judged", "landing", "landed"].includes(state));
  const judgements = compared.flatMap(({ judged }) => judged ?? []);
  const ranks = new Map(rankCandidates(judgements).map((one) => [one.sessionId, one]));
  const candidates = shown
    .map((one) => ({ ...one, ranked: ranks.get(one.sessionId) ?? null }))
    .toSorted((a, b) => (a.ranked?.rank ?? Number.MAX_VALUE) - (b.ranked?.rank ?? Number.MAX_VALUE));
  const isDone = shown.every(({ state }) => DONE.includes(state));
  const first = candidates[0]?.ranked ?? null;
  return {
    ...{ id, fanout, candidates },
    state: stateOf(fanout, isDone),
    best: isDone && first?.passes === true ? first.sessionId : null,
    overlap: overlaps(judgements, OVERLAP_LISTED_MAX),
  };
}

function stateOf(fanout: KnownFanout, isDone: boolean): ShownFanout["state"] {
  if (fanout.at === "settled") return fanout.reason === "too_few" ? "failed" : "settled";
  if (fanout.at === "starting") return "starting";
  return isDone ? "judged" : "working";
}

async function showCandidate(
  store: Pick<Store, "fold" | "row" | "rows">,
  one: Tried,
  stuckOf: (sessionId: string) => Fault | null,
): Promise<Omit<ShownCandidate, "ranked">> {
  const session = await store.row(SESSIONS, one.sessionId);
  const [landing = null] = await store.rows(LANDINGS, { limit: 1, where: { session: one.sessionId } });
  const turnId = session === null ? null : judgeable(await store.fold(Session, one.sessionId));
  const state = candidateState(one, session, landing, turnId);
  return { ...one, session, landing, state, stuck: stuckOf(one.sessionId) };
}

/** `turnId`: the turn whose work can be judged. */
function candidateState(
  { failed, drop, judged }: Tried,
  session: SessionRow | null,
  landing: LandingRow | null,
  turnId: string | null,
): CandidateStateName {
  if (drop !== null) return drop === "done" ? "dropped" : "dropping";
  if (failed !== null) return "failed";
  if (session === null) return "opening";
  if (landing?.at === "landed") return "landed";
  if (landing?.at === "queued" || landing?.at === "checking") return "landing";
  if (session.forgotten) return "ended";
  if (session.waitingFor !== null) return "waiting";
  if (turnId !== null) return judged?.turnId === turnId ? "judged" : "judging";
  return session.endedAt === null ? "working" : "ended";
}
