import { randomBytes } from "node:crypto";
import type { By } from "../../commit/index.ts";
import { FAN_OUT_DEFAULTS, NomosError, toNomosError } from "../../contract/index.ts";
import {
  CANDIDATES_MIN,
  type Candidate,
  dropCandidates,
  type FanoutOrder,
  FanoutStream,
  type Fault,
  type KnownFanout,
  sessionName,
  startFanout,
} from "../../domains/index.ts";
import type { Json, SessionSpec } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { storeText } from "../../turns/index.ts";
import type { LandingService } from "../landing/create-landings.ts";
import type { LandWish } from "../landing/landings.ts";
import type { FanOutDeps } from "./fan-out-deps.ts";
import { candidateOpening } from "./open-candidates.ts";
import { pathsIn } from "./remove-candidates.ts";
import { type ShownCandidate, type ShownFanout, showFanout } from "./show-fan-out.ts";
import { createTending } from "./tend-fan-outs.ts";

type Events = Promise<readonly RecordedEvent[]>;

/** Runs one prompt in several worktrees, compares the work, and lands one of them. */
export interface FanOuts {
  /** Records what is to run. `opened` then waits for it. */
  readonly start: (wish: FanOutWish, by: By) => Events;
  /** Resolves when every candidate has the prompt or has failed. Throws `fanout_too_few`. */
  readonly opened: (id: string) => Promise<void>;
  readonly show: (id: string) => Promise<ShownFanout>;
  /** All candidates, or the one that is named. */
  readonly candidates: (id: string, who: string | undefined) => Promise<readonly ShownCandidate[]>;
  /** The changes of one candidate, as a patch. */
  readonly changes: (sessionId: string, patchBytesMax: number) => ReturnType<FanOutDeps["trees"]["changes"]>;
  /** `who`: a session, its agent, or `best`. */
  readonly land: (id: string, who: string, wish: LandWish, by: By) => Events;
  /** Records which ones go, before anything of them does. */
  readonly drop: (id: string, who: DropWish, by: By) => Events;
  /** What would go. */
  readonly wouldDrop: (id: string, who: DropWish) => Promise<readonly Going[]>;
  /** Resolves when those that were dropped are gone. Throws what is in the way. */
  readonly dropped: (id: string) => Promise<void>;
}

/** Landings, and what is built on them. */
export interface FanOutService extends LandingService {
  readonly fanOuts: FanOuts;
}

export interface FanOutWish extends Pick<FanoutOrder, "into" | "checks"> {
  readonly prompt: string;
  readonly base: string | undefined;
  readonly start: Omit<FanoutOrder["start"], "cwd" | "label"> & {
    readonly cwd: string | undefined;
    readonly label: string | undefined;
  };
  readonly candidates: readonly Omit<Candidate, "sessionId">[];
}

/** A session, or all but the chosen one, or really all. */
export type DropWish = { readonly session: string } | "others" | "all";

export interface Going {
  readonly candidate: ShownCandidate;
  readonly files: readonly string[];
}

const PROMPT_INLINE_BYTES = 4096;
const NAME_BYTES = 3;

export function createFanOuts(parts: Omit<FanOutDeps, "landings">, landing: LandingService): FanOutService {
  const { store, committer } = parts;
  const deps = { ...parts, landings: landing.landings };
  const tending = createTending(deps);
  const stuckOf = (sessionId: string): Fault | null => {
    const error = tending.stuck(sessionId);
    return error === null ? null : { code: toNomosError(error).code, message: error.message };
  };
  const show = (id: string): Promise<ShownFanout> => showFanout(store, id, stuckOf);

  return {
    landings: landing.landings,
    start: () => {
      landing.start();
      tending.begin().catch((thrown: unknown) => deps.log("fan-outs were not taken up", { reason: String(thrown) }));
    },
    stop: async () => {
      await tending.stop();
      await landing.stop();
    },
    fanOuts: {
      start: async (wish, by) => {
        const id = deps.newId();
        const order = await orderOf(deps, wish, by);
        const prompt = await storeText(committer.keeper(id, "start"), wish.prompt, PROMPT_INLINE_BYTES);
        return (await committer.change(FanoutStream, id, (state) => startFanout(state, order, prompt), by)).events;
      },
      opened: async (id) => {
        await tending.tend(id);
        const state = await store.fold(FanoutStream, id);
        if (state.at === "settled" && state.reason === "too_few") throw tooFew(failuresIn(state));
      },
      show,
      candidates: async (id, who) => {
        const shown = await show(id);
        return who === undefined ? shown.candidates : [candidateNamed(shown, who)];
      },
      changes: (sessionId, patchBytesMax) => deps.trees.changes(sessionId, { patchBytesMax }),
      land: async (id, who, wish, by) => {
        const shown = await show(id);
        const { sessionId } = who === "best" ? bestOf(shown) : candidateNamed(shown, who);
        const { into, checks } = shown.fanout.order;
        const all = { ...wish, into: wish.into ?? into ?? undefined, checks: [...checks, ...(wish.checks ?? [])] };
        const events = await deps.landings.land(sessionId, all, by);
        await tending.tend(id);
        return events;
      },
      drop: async (id, who, by) => {
        const going = goingIn(await show(id), who).map(({ sessionId }) => sessionId);
        return (await committer.change(FanoutStream, id, (state) => dropCandidates(state, going), by)).events;
      },
      wouldDrop: async (id, who) => {
        const found: Going[] = [];
        for (const candidate of goingIn(await show(id), who))
          found.push({ candidate, files: await pathsIn(deps.trees, candidate.sessionId) });
        return found;
      },
      dropped: async (id) => {
        await tending.tend(id);
        const { fanout } = await show(id);
        const left = fanout.tried
          .filter(({ drop }) => drop === "asked")
          .map(({ sessionId }) => tending.stuck(sessionId));
        const error = left.find((one) => one !== null);
        if (error !== undefined && error !== null) throw error;
      },
    },
  };
}

/** Checks everything that can be checked before anything is made. */
async function orderOf(deps: FanOutDeps, wish: FanOutWish, by: By): Promise<FanoutOrder> {
  const max = deps.config.show().fanOut?.candidatesMax ?? FAN_OUT_DEFAULTS.candidatesMax;
  const { candidates, into, checks } = wish;
  if (candidates.length > max) throw new NomosError("fanout_too_many", { candidates: candidates.length, max });
  const name = sessionName(randomBytes(NAME_BYTES));
  const label = wish.start.label ?? `fan-out ${name}`;
  const start = { ...wish.start, cwd: wish.start.cwd ?? "", label };
  const asked = { base: wish.base ?? null, start };
  const able: { readonly one: (typeof candidates)[number]; readonly spec: SessionSpec }[] = [];
  const faults: (Fault & { readonly agent: string; readonly thrown: unknown })[] = [];
  for (const one of candidates) {
    const opening = candidateOpening(asked, one);
    const given = wish.start.cwd === undefined && wish.start.ground === null ? { ...opening, cwd: undefined } : opening;
    const spec = await deps.supervisor.check(given, by).catch((thrown: unknown) => {
      const { code, message } = toNomosError(thrown);
      faults.push({ agent: one.agent, code, message, thrown });
      return null;
    });
    if (spec !== null) able.push({ one, spec });
  }
  const [first] = able;
  if (first === undefined || able.length < CANDIDATES_MIN) {
    const [fault] = faults;
    const isOneReason = able.length === 0 && faults.every(({ code }) => code === fault?.code);
    throw isOneReason && fault !== undefined ? fault.thrown : tooFew(faults);
  }
  const { cwd } = first.spec;
  const { commit, repository } = await deps.trees.resolve({ cwd, base: wish.base });
  return {
    ...{ name, actor: by.actor, repository, base: commit, into, checks },
    // The place is fixed here: another workspace may be active when a session is opened.
    start: { ...start, cwd, ground: start.ground },
    candidates: candidates.map((one) => ({ ...one, sessionId: deps.newId() })),
  };
}

function failuresIn({ tried }: KnownFanout): readonly (Fault & { readonly agent: string })[] {
  return tried.flatMap(({ agent, failed }) => (failed === null ? [] : [{ agent, ...failed }]));
}

function tooFew(faults: readonly (Fault & { readonly agent: string })[]): NomosError {
  const failed: Json = faults.map(({ agent, code, message }) => ({ agent, code, message }));
  const reasons = faults.map(({ agent, message }) => `${agent}: ${message}`).join(" ");
  const message = `Fewer than two of the agents could be started, so there is nothing to compare. ${reasons}`;
  return new NomosError("fanout_too_few", { failed }, { message: message.trim() });
}

function bestOf({ state, best, candidates }: ShownFanout): ShownCandidate {
  const found = candidates.find(({ sessionId }) => sessionId === best);
  if (found !== undefined) return found;
  const working = candidates.filter((one) => ["opening", "working", "waiting", "judging"].includes(one.state));
  const names = working.map(({ session, agent }) => session?.name ?? agent);
  if (state === "starting" || working.length > 0) throw new NomosError("fanout_unfinished", { candidates: names });
  const reasons = candidates.map(({ session, agent, ranked }) => `${session?.name ?? agent}: ${ranked?.reason ?? ""}`);
  throw new NomosError("fanout_no_winner", { reasons });
}

/** A session's id, name or the beginning of either; or an agent that only one of them has. */
function candidateNamed({ candidates, id }: ShownFanout, given: string): ShownCandidate {
  const exact = candidates.filter(({ sessionId, session }) => sessionId === given || session?.name === given);
  const ofAgent = candidates.filter(({ agent }) => agent === given);
  const begun = candidates.filter(
    ({ sessionId, session }) => sessionId.startsWith(given) || session?.name.startsWith(given) === true,
  );
  const [found = []] = [exact, ofAgent, begun].filter(({ length }) => length > 0);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const names = (found.length === 0 ? candidates : found).map(({ session, sessionId }) => session?.name ?? sessionId);
  if (found.length === 0) throw new NomosError("fanout_candidate_not_found", { id, given, candidates: names });
  throw new NomosError(
    "ambiguous_id",
    { given, candidates: names },
    { message: `\`${given}\` can mean ${names.join(", ")}.` },
  );
}

function goingIn(shown: ShownFanout, who: DropWish): readonly ShownCandidate[] {
  const { candidates, fanout } = shown;
  const chosen = candidates.find(({ sessionId }) => sessionId === fanout.chosen?.sessionId);
  if (who === "others" && chosen?.state === "landing") throw onItsWay(chosen);
  // Its landing may have been refused: then the others are all there is.
  if (who === "others" && chosen?.landing?.at !== "landed") throw new NomosError("fanout_undecided", { id: shown.id });
  const kept = chosen?.sessionId;
  const wanted = typeof who === "object" ? [candidateNamed(shown, who.session)] : candidates;
  const going = wanted.filter(
    ({ sessionId, drop, failed }) => drop === null && failed === null && (who !== "others" || sessionId !== kept),
  );
  const landing = going.find(({ state }) => state === "landing");
  if (landing !== undefined) throw onItsWay(landing);
  return going;
}

function onItsWay({ sessionId, landing }: ShownCandidate): NomosError {
  return new NomosError("fanout_landing", { session: sessionId, landing: landing?.id ?? null });
}
