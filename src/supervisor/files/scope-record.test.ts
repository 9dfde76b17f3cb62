import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { SPEC } from "../../../test/support/store-home.ts";
import { NomosError } from "../../contract/index.ts";
import { fact, LIMITS, newSessionState, refuse, type SessionState } from "../../kernel/index.ts";
import { type Reverted, unjudged, withReverted } from "./scope-judge.ts";

const TURN = fact("turn.ended@1", { turnId: "turn", outcome: "completed", error: null });

proves("WT-14", "the record of a judged turn: what was put back, its end, and a question where there is room", () => {
  const state: SessionState = { ...newSessionState("one"), spec: SPEC };
  const reverted: Reverted = { files: [{ path: "docs/a b", rule: "no_rule" }], more: 0 };
  const typesOf = (given: SessionState, what: Reverted | null) => {
    const decided = withReverted(given, "turn", "approval", what, [TURN]);
    return "refused" in decided ? decided.refused : decided.map(({ type }) => type);
  };
  const asked = ["scope.reverted@1", "turn.ended@1", "approval.requested@1"];
  expect(typesOf(state, reverted)).toEqual(asked);
  expect(typesOf(state, null)).toEqual(["turn.ended@1"]);
  expect(typesOf(state, { files: [{ path: "a\nb", rule: "path_invalid" }], more: 3 })).toEqual(asked.slice(0, 2));
  expect(typesOf({ ...state, phase: { at: "exited" } as SessionState["phase"] }, reverted)).toEqual(asked.slice(0, 2));
  const pending = (count: number) => ({
    ...state,
    approvals: Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, {}])) as SessionState["approvals"],
  });
  expect(typesOf(pending(LIMITS.pendingApprovalsMax - 1), reverted)).toEqual(asked);
  expect(typesOf(pending(LIMITS.pendingApprovalsMax), reverted)).toEqual(asked.slice(0, 2));
  const refused = refuse("session_ended");
  expect(withReverted(state, "turn", "approval", reverted, refused)).toBe(refused);
  const decided = withReverted(state, "turn", "approval", reverted, []);
  expect("refused" in decided ? null : decided.map(({ data }) => data)).toEqual([
    { turnId: "turn", ...reverted },
    {
      approvalId: "approval",
      turnId: "turn",
      question: "Put back because it lies outside of the scope: 'docs/a b'. Allow it from now on?",
      options: [],
      action: { verb: "scope.widen", resource: "docs/a b" },
      effectId: null,
      checkpoint: null,
    },
  ]);
});

proves("WT-14", "a question counts the reverted files that it does not offer, from the first one on", () => {
  const state: SessionState = { ...newSessionState("one"), spec: SPEC };
  const files = [
    { path: "docs", rule: "no_rule" },
    { path: "a\nb", rule: "path_invalid" },
  ];
  const asked = JSON.stringify(withReverted(state, "turn", "approval", { files, more: 0 }, []));
  expect(asked).toContain("scope: docs (and 1 more, which stay denied). Allow it from now on?");
});

proves("WT-14", "the error of a turn that could not be judged names the cause, cut to a length", () => {
  const { code, message } = unjudged(new NomosError("tree_too_large", { root: "/r" }));
  expect(code).toBe("tree_too_large");
  const why = `${new NomosError("tree_too_large").message} {"root":"/r"}`;
  expect(message).toBe(`The turn's changes could not be checked against its scope: ${why}`);
  expect(unjudged(new Error("x".repeat(9000))).message.length).toBeLessThan(1600);
});
