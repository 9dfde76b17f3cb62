import fc from "fast-check";
import { expect } from "vitest";
import { instant } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import type { AnyFact, Decision } from "../../kernel/index.ts";
import { evolveBy, foldAll } from "../../kernel/index.ts";
import {
  beginFanout,
  chooseCandidate,
  dropCandidates,
  FANOUT_LIMITS,
  FanoutStream,
  failCandidate,
  judgeCandidate,
  removeCandidate,
  settleFanout,
  standing,
  startFanout,
} from "./fanout.ts";
import type { FanoutOrder, FanoutState, Judgement } from "./fanout-events.ts";

const SESSIONS = ["s1", "s2", "s3"];
const ORDER: FanoutOrder = {
  ...{ name: "brave-otter-01", actor: "operator", repository: "/repo", base: "abc", into: null, checks: [] },
  start: {
    ...{ cwd: "/repo", ground: null, sandbox: null, scope: null, network: null, secrets: [], mode: null },
    ...{ label: "fan-out brave-otter-01", title: null, floor: null, onlyRegistered: false },
  },
  candidates: SESSIONS.map((sessionId) => ({ sessionId, agent: "demo", driver: "demo", model: null })),
};
const PROMPT = { text: "do it", blob: null, bytes: 5 };
const JUDGED: Judgement = {
  ...{
    sessionId: "s1",
    turnId: "t1",
    outcome: "completed",
    into: "main",
    checks: 0,
    checkMs: 1,
    findings: [],
    more: 0,
  },
  ...{ files: 1, added: 1, removed: 0, paths: ["a"], turnMs: 1, spent: null, error: null },
};
const FAULT = { code: "not_installed", message: "claude is not installed" };
const GONE = { files: ["a"], more: 0, snapshot: null };

function after(...steps: readonly ((state: FanoutState) => Decision)[]): FanoutState {
  let state = FanoutStream.empty("f");
  for (const step of [(now: FanoutState) => startFanout(now, ORDER, PROMPT), ...steps])
    state = apply(state, step(state));
  return state as FanoutState;
}

function apply(state: FanoutState, decision: Decision): FanoutState {
  if ("refused" in decision) return state;
  return decision.reduce((now: FanoutState, fact: AnyFact) => {
    const version = now.version + 1;
    return evolveBy(FanoutStream, now, { id: `e${version}`, version, at: instant(version), fact });
  }, state);
}

proves("FAN-2", "with fewer than two candidates a fan-out is over before anybody gets the prompt", () => {
  const fail = (id: string) => (state: FanoutState) => failCandidate(state, id, FAULT);
  expect(after(fail("s1"), beginFanout)).toMatchObject({ at: "running" });
  expect(after(fail("s1"), fail("s2"), beginFanout)).toMatchObject({ at: "settled", reason: "too_few" });
  expect(standing(after(fail("s1"), fail("s1"))).map(({ sessionId }) => sessionId)).toEqual(["s2", "s3"]);
});

proves("FAN-3", "each state of the work is judged once, and its lists are bounded", () => {
  const judge = (part: Partial<Judgement>) => (state: FanoutState) => judgeCandidate(state, { ...JUDGED, ...part });
  const once = after(beginFanout, judge({}));
  expect(judgeCandidate(once, JUDGED)).toEqual([]);
  expect(judgeCandidate(once, { ...JUDGED, turnId: "t2" })).toHaveLength(1);
  expect(judgeCandidate(once, { ...JUDGED, sessionId: "other" })).toEqual([]);
  const finding = { rule: "check", message: "no", remedy: "mend it" } as const;
  const many = { findings: Array(50).fill(finding), more: 2, paths: Array(5000).fill("p") };
  expect(judgeCandidate(once, { ...JUDGED, turnId: "t2", ...many })).toMatchObject([
    {
      data: { findings: { length: FANOUT_LIMITS.findings.max }, more: 32, paths: { length: FANOUT_LIMITS.paths.max } },
    },
  ]);
});

proves("FAN-4", "only what a person dropped is removed, once, and what landed or went settles the fan-out", () => {
  const begun = after(beginFanout);
  expect(removeCandidate(begun, "s1", GONE)).toEqual([]);
  const dropped = after(beginFanout, (state) => dropCandidates(state, ["s1", "s2", "nobody"]));
  expect(dropCandidates(dropped, ["s1"])).toEqual([]);
  expect(judgeCandidate(dropped, JUDGED)).toEqual([]);
  expect(settleFanout(dropped, ["s3"])).toEqual([]);
  const removed = apply(apply(dropped, removeCandidate(dropped, "s1", GONE)), removeCandidate(dropped, "s2", GONE));
  expect(removeCandidate(removed, "s1", GONE)).toEqual([]);
  expect(settleFanout(removed, [])).toEqual([]);
  expect(settleFanout(removed, ["s3"])).toMatchObject([{ type: "fanout.settled@1", data: { reason: "done" } }]);
  expect(chooseCandidate(removed, "s3", "l1")).toHaveLength(1);
  expect(chooseCandidate(removed, "nobody", "l1")).toEqual([]);
});

const STEPS: readonly ((state: FanoutState, session: string) => Decision)[] = [
  (state) => startFanout(state, ORDER, PROMPT),
  (state) => beginFanout(state),
  (state, session) => failCandidate(state, session, FAULT),
  (state, session) => judgeCandidate(state, { ...JUDGED, sessionId: session }),
  (state, session) => chooseCandidate(state, session, `l-${session}`),
  (state, session) => dropCandidates(state, [session]),
  (state, session) => removeCandidate(state, session, GONE),
  (state, session) => settleFanout(state, [session]),
];

proves("FAN-6", "whatever is decided in whatever order: the fold is total, and deciding again changes nothing", () => {
  const step = fc.record({ at: fc.nat({ max: STEPS.length - 1 }), session: fc.constantFrom(...SESSIONS, "other") });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let state = FanoutStream.empty("f") as FanoutState;
      for (const { at, session } of steps) {
        const decide = STEPS[at] ?? beginFanout;
        state = apply(state, decide(state, session));
        const again = decide(state, session);
        expect("refused" in again || again.length === 0).toBe(true);
        expect(foldAll(FanoutStream, "f", state, []).rows.length).toBe(state.at === "absent" ? 0 : 1);
      }
    }),
    { numRuns: 300 },
  );
});
