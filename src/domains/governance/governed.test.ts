import { expect } from "vitest";
import { placed } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { type AnyFact, type Decision, foldAll, isRefusal } from "../../kernel/index.ts";
import {
  collectLaw,
  compileLaws,
  findLaw,
  GOVERNED_LIMITS,
  type GovernedState,
  GovernedStream,
  initialiseLaw,
  offerLaw,
  refuseLaw,
  removeLaw,
} from "./governed.ts";

const ABSENT = GovernedStream.empty("k");
const DONE = { root: "/r", branch: "main", mode: "tracked", commit: "c", files: [".nomos/config.yaml"] } as const;
const PLACE = { root: "/r", branch: "main" };
const LOCK = { lockHash: "l1", previous: null, rulesHash: "r1" };
const FOUND = { root: "/r", branch: "main", tip: "t", lockHash: "l1", rulesHash: "r1" };

function after(...steps: readonly ((state: GovernedState) => Decision)[]): GovernedState {
  return steps.reduce((state, decide) => {
    const facts = decide(state);
    if (isRefusal(facts)) return expect.fail(facts.refused);
    const events = facts.map((fact: AnyFact, at) => placed(state.version + at + 1, fact));
    return foldAll(GovernedStream, "k", state, events).state;
  }, ABSENT);
}

proves("GS-1", "a repository without a law: it is offered once, and never after it had one", () => {
  const offer = (state: GovernedState) => offerLaw(state, "/r");
  expect(offer(ABSENT)).toHaveLength(1);
  expect(offer(after(offer))).toEqual([]);
  expect(offer(after((state) => initialiseLaw(state, DONE)))).toEqual([]);
  const removed = after(
    (state) => initialiseLaw(state, DONE),
    (state) => removeLaw(state, { commit: "d", files: [], refs: [] }),
  );
  expect(removed.at).toBe("removed");
  expect(offer(removed)).toEqual([]);
});

proves("GS-2", "the same lock, seal or law again: nothing is recorded; another one is", () => {
  const built = after(
    (state) => initialiseLaw(state, DONE),
    (state) => compileLaws(state, { lock: LOCK, seal: "s1" }, "build"),
  );
  expect(compileLaws(built, { lock: LOCK, seal: "s1" }, "again")).toEqual([]);
  expect(compileLaws(built, {}, "again")).toEqual([]);
  expect(findLaw(built, FOUND)).toEqual([]);
  expect(findLaw(built, { ...FOUND, tip: "moved" })).toEqual([]);
  expect(findLaw(built, { ...FOUND, lockHash: "l2" })).toHaveLength(1);
});

proves("GS-2", "a law that does not hold: recorded once, until it holds again", () => {
  const refuse = (state: GovernedState) =>
    refuseLaw(state, { ...PLACE, problems: [{ code: "governance_drift", message: "edited" }] });
  const refused = after((state) => findLaw(state, FOUND), refuse);
  expect(refused.problems).toHaveLength(1);
  expect(after(refuse)).toMatchObject(PLACE);
  expect(refuse(refused)).toEqual([]);
  expect(findLaw(refused, FOUND)).toHaveLength(1);
  expect(
    after(
      (state) => findLaw(state, FOUND),
      refuse,
      (state) => findLaw(state, FOUND),
    ).problems,
  ).toEqual([]);
});

proves("GS-2", "events stay small: at most 20 problems and 100 files are named", () => {
  const problems = Array.from({ length: 50 }, (_, n) => ({ code: `c${n}`, message: "x".repeat(9999) }));
  const refused = after((state) => refuseLaw(state, { ...PLACE, problems }));
  expect([refused.problems.length, refused.more]).toEqual([GOVERNED_LIMITS.problems.max, 30]);
  const files = Array.from({ length: 500 }, (_, n) => `f${n}`);
  expect(collectLaw(ABSENT, { files, refs: [] })).toMatchObject([{ data: { files: files.slice(0, 100) } }]);
  expect(collectLaw(ABSENT, { files: [], refs: [] })).toEqual([]);
});
