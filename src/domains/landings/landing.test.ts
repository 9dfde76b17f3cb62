import fc from "fast-check";
import { expect } from "vitest";
import { factsAmong } from "../../../test/support/kernel-facts.ts";
import { placed } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { type AnyFact, type Decision, isRefusal, transition } from "../../kernel/index.ts";
import { type Finding, isMendable } from "./finding.ts";
import {
  ejectLanding,
  finishLanding,
  holdLanding,
  isSettled,
  LANDING_LIMITS,
  LandingStream,
  landingLane,
  moveLanding,
  placeBefore,
  prepareLanding,
  pushLanding,
  queueLanding,
  refuseLanding,
  releaseLanding,
  retryLanding,
  returnLanding,
  startLanding,
  tellOfLanding,
} from "./landing.ts";
import {
  evolveLanding,
  LANDING_EVENTS,
  LANDING_TRANSITIONS,
  type LandingOrder,
  type LandingState,
} from "./landing-events.ts";

const ORDER: LandingOrder = {
  sessionId: "s",
  turnId: "t",
  worktreeId: "w",
  repository: { root: "/repo", gitDir: "/repo/.git" },
  into: "main",
  how: "merge",
  message: null,
  checks: [],
  pullRequest: null,
  captured: { head: "h", tree: "t" },
  attempt: 1,
  attemptsMax: 3,
};
const PREPARED = { base: "b", commit: "c", commits: ["c"] };
const LANDED = { ...PREPARED, files: 1, added: 1, removed: 0, checkMs: 5, lines: null };
const FINDING: Finding = { rule: "check", message: "red", remedy: "mend it" };
const PUSHED = { remote: "origin", branch: "b", url: null, next: [] };

const ABSENT = LandingStream.empty("l");

function after(state: LandingState, ...decisions: readonly ((state: LandingState) => Decision)[]): LandingState {
  return decisions.reduce((now, decide) => {
    const decision = decide(now);
    if (isRefusal(decision)) return expect.fail(decision.refused);
    return decision.reduce<LandingState>(
      (before, fact: AnyFact) => LandingStream.evolve(before, placed(before.version + 1, fact)) as LandingState,
      now,
    );
  }, state);
}

const queue = (state: LandingState) => queueLanding(state, ORDER);
const prepare = (state: LandingState) => prepareLanding(state, PREPARED);
const QUEUED = after(ABSENT, queue);
const CHECKING = after(QUEUED, startLanding);
const PREPARING = after(CHECKING, prepare);
const DONE = after(PREPARING, (state) => finishLanding(state, LANDED));
const REFUSED = after(CHECKING, (state) => refuseLanding(state, [FINDING]));
const EJECTED = after(QUEUED, (state) => ejectLanding(state, "no"));

const DECISIONS: readonly (readonly [
  name: string,
  decide: (state: LandingState) => Decision,
  from: readonly LandingState["at"][],
])[] = [
  ["queue", queue, ["absent"]],
  ["start", startLanding, ["queued", "checking"]],
  ["prepare", prepare, ["checking"]],
  ["return", (state) => returnLanding(state, "moved"), ["checking"]],
  ["finish", (state) => finishLanding(state, LANDED), ["checking"]],
  ["push", (state) => pushLanding(state, PUSHED), ["landed"]],
  ["refuse", (state) => refuseLanding(state, [FINDING]), ["checking"]],
  ["tell", (state) => tellOfLanding(state, "t2"), ["refused"]],
  ["retry", (state) => retryLanding(state, "l2"), ["refused"]],
  ["eject", (state) => ejectLanding(state, "no"), ["queued", "checking"]],
  ["hold", (state) => holdLanding(state, "wait"), ["queued"]],
  ["release", releaseLanding, ["queued"]],
  ["move", (state) => moveLanding(state, "a~"), ["queued"]],
];

proves("LAND-39", "each decision is refused everywhere but where the table of transitions has it", () => {
  for (const [name, decide, from] of DECISIONS)
    for (const state of [ABSENT, QUEUED, CHECKING, DONE, REFUSED, EJECTED]) {
      const decision = decide(state);
      expect([name, state.at, isRefusal(decision)]).toEqual([name, state.at, !from.includes(state.at)]);
      if (!isRefusal(decision))
        for (const { type } of decision)
          expect(transition(LANDING_TRANSITIONS, state.at, type as keyof typeof LANDING_EVENTS)).not.toBeNull();
    }
});

proves("LAND-39", "whatever the log holds, a landing folds to a state of the table, and a settled one stays", () => {
  const types = Object.keys(LANDING_EVENTS) as (keyof typeof LANDING_EVENTS)[];
  fc.assert(
    fc.property(fc.array(factsAmong(types), { maxLength: 12 }), (facts) => {
      let state: LandingState = ABSENT;
      for (const fact of facts) {
        const next = evolveLanding(state, placed(state.version + 1, fact));
        const to = transition(LANDING_TRANSITIONS, state.at, fact.type);
        expect(next.at).toBe(to ?? state.at);
        expect(next.version).toBe(state.version + 1);
        if (isSettled(state)) expect(next.at).toBe(state.at);
        state = next;
      }
    }),
  );
});

proves("LAND-39", "once its commit may be on the branch a landing is not ejected; given back, it is", () => {
  expect(ejectLanding(PREPARING, "no")).toMatchObject({ refused: "landing_settled" });
  const back = after(PREPARING, (state) => returnLanding(state, "moved"));
  expect(after(back, (state) => ejectLanding(state, "no"))).toMatchObject({ at: "ejected" });
  // A daemon that takes over what another one left must know what that one had prepared.
  expect(after(PREPARING, startLanding)).toMatchObject({ at: "checking", prepared: PREPARED });
  expect(after(back, startLanding)).toMatchObject({ at: "checking", prepared: null });
});

proves("LAND-39", "a landing is pushed, told and tried again once", () => {
  expect(
    pushLanding(
      after(DONE, (state) => pushLanding(state, PUSHED)),
      PUSHED,
    ),
  ).toEqual([]);
  const told = after(REFUSED, (state) => tellOfLanding(state, "t2"));
  expect(tellOfLanding(told, "t3")).toEqual([]);
  const retried = after(told, (state) => retryLanding(state, "l2"));
  expect(retryLanding(retried, "l3")).toMatchObject({ refused: "landing_exists" });
  expect(retried).toMatchObject({ told: "t2", retriedAs: "l2" });
});

proves(
  "LAND-39",
  "places: in order of arrival; one that is moved stands before the other and behind those moved there",
  () => {
    const ids = ["01", "02", "03", "04", "05"];
    const queued = ids.map((id) => `${id}~`);
    expect(queued.toSorted()).toEqual(queued);
    const first = placeBefore(queued[1] ?? "", "06");
    const second = placeBefore(queued[1] ?? "", "07");
    const between = placeBefore(second, "08");
    expect([...queued, second, first, between].toSorted()).toEqual([
      queued[0],
      first,
      between,
      second,
      ...queued.slice(1),
    ]);
    expect(moveLanding(QUEUED, "x".repeat(2000))).toMatchObject({ refused: "landing_unmovable" });
  },
);

proves("LAND-39", "findings beyond the limit are counted; only rules that an agent can mend make it try again", () => {
  const many = Array.from({ length: LANDING_LIMITS.findings.max + 7 }, () => FINDING);
  expect(after(CHECKING, (state) => refuseLanding(state, many))).toMatchObject({ more: 7 });
  expect(isMendable([])).toBe(false);
  expect(isMendable([FINDING, { ...FINDING, rule: "conflict" }])).toBe(true);
  for (const rule of ["scope", "base", "policy"] as const)
    expect(isMendable([FINDING, { ...FINDING, rule }])).toBe(false);
});

proves("LAND-39", "a held landing waits in its lane with the reason; a settled one is in no lane", () => {
  const held = after(QUEUED, (state) => holdLanding(state, "wait"));
  expect(LandingStream.queued(held)).toMatchObject([{ lane: landingLane(ORDER), at: "waiting", heldBy: "wait" }]);
  expect(LandingStream.queued(after(held, releaseLanding))).toMatchObject([{ heldBy: null }]);
  expect(LandingStream.queued(CHECKING)).toMatchObject([{ at: "running" }]);
  for (const state of [ABSENT, DONE, REFUSED, EJECTED]) expect(LandingStream.queued(state)).toEqual([]);
});
