import fc from "fast-check";
import { expect } from "vitest";
import { OPTIONS } from "../../../test/support/kernel-commands.ts";
import { histories } from "../../../test/support/kernel-histories.ts";
import { factsOf, isOfType, type Log, runCommands } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { canonicalJson } from "../json.ts";
import { answerApproval, askApproval } from "./decide-effect.ts";
import { ALWAYS, pendingApprovals } from "./state.ts";
import type { Question } from "./turn-events.ts";

proves("K7", "a question is answered or closed at most once, and only if it was asked", () => {
  forEveryLog((log) => {
    const put = factsOf(log, "approval.requested@1").map(({ data }) => data.approvalId);
    const over = [...factsOf(log, "approval.answered@1"), ...factsOf(log, "approval.closed@1")];
    const ids = over.map(({ data }) => data.approvalId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((approvalId) => !put.includes(approvalId))).toEqual([]);
    expect(Object.keys(log.head.approvals).toSorted()).toEqual(
      put.filter((approvalId) => !ids.includes(approvalId)).toSorted(),
    );
  });
});

proves("K7", "a late answer is refused, and nothing changes", () => {
  forEveryLog((log) => {
    const over = [...factsOf(log, "approval.answered@1"), ...factsOf(log, "approval.closed@1")];
    for (const approvalId of [...over.map(({ data }) => data.approvalId), "constructor", "__proto__"])
      for (const answer of [
        { status: "approved", option: "yes" },
        { status: "rejected", reason: null },
      ] as const)
        expect(answerApproval(log.head, approvalId, answer)).toMatchObject({ refused: "already_answered" });
  });
});

proves("K7", "an answer is one of the offered options", () => {
  forEveryLog((log) => {
    for (const { data } of factsOf(log, "approval.answered@1")) expect([...OPTIONS, null]).toContain(data.option);
    for (const approvalId of Object.keys(log.head.approvals))
      expect(answerApproval(log.head, approvalId, { status: "approved", option: "unheard-of" })).toMatchObject({
        refused: "invalid_option",
      });
  });
});

proves("K7", "a verb is granted by the answer `always` and by nothing else", () => {
  forEveryLog((log) => {
    const verbs = new Map(factsOf(log, "approval.requested@1").map(({ data }) => [data.approvalId, data.action?.verb]));
    const always = factsOf(log, "approval.answered@1").filter(({ data }) => data.option === ALWAYS);
    expect(log.head.grants).toEqual([...new Set(always.map(({ data }) => verbs.get(data.approvalId)))]);
  });
});

proves("K7", "the same question asked again while it is open joins it, and one answer ends it for both", () => {
  /** Joins that a log holds, and those that are tried at its end. */
  let joined = 0;
  forEveryLog((log) => {
    const open = new Map<string, string>();
    for (const { fact } of log.events) {
      if (isOfType(fact, "approval.requested@1")) {
        const { approvalId, effectId } = fact.data;
        if (effectId === null) expect([...open.values()]).not.toContain(spelled(fact.data));
        open.set(approvalId, effectId === null ? spelled(fact.data) : approvalId);
      } else if (isOfType(fact, "approval.joined@1")) {
        joined += 1;
        expect(open.has(fact.data.approvalId)).toBe(true);
        expect(fact.data.joinId).not.toBe(fact.data.approvalId);
      } else if (isOfType(fact, "approval.answered@1") || isOfType(fact, "approval.closed@1"))
        open.delete(fact.data.approvalId);
    }
    for (const asked of Object.values(log.head.approvals)) {
      const again = { ...asked, approvalId: "again" };
      const joins = asked.effectId === null && log.head.phase.at === "busy" && asked.turnId === log.head.phase.turnId;
      if (joins) {
        joined += 1;
        expect(askApproval(log.head, again)).toMatchObject([{ type: "approval.joined@1" }]);
        for (const other of [{ inputHash: "other" }, { checkpoint: { at: "else" } }, { options: ["other"] }])
          expect(askApproval(log.head, { ...again, ...other })).not.toMatchObject([{ type: "approval.joined@1" }]);
      }
    }
  });
  expect(joined).toBeGreaterThan(0);
});

proves("K7", "a turn ends with no question left open", () => {
  forEveryLog((log) => {
    const { phase, recentTurns, approvals } = log.head;
    for (const { turnId } of recentTurns) expect(pendingApprovals(log.head, turnId)).toEqual([]);
    if (phase.at !== "busy") expect(approvals).toEqual({});
  });
});

function spelled({ turnId, question, options, action, checkpoint }: Question): string {
  return canonicalJson({ turnId, question, options, action, checkpoint });
}

function forEveryLog(check: (log: Log) => void): void {
  fc.assert(
    fc.property(histories, (commands) => runCommands(commands).logs.forEach(check)),
    { numRuns: 200 },
  );
}
