import fc from "fast-check";
import { expect, test } from "vitest";
import { type AnyFact, type Decision, foldAll, isRefusal, type Placed } from "../../kernel/index.ts";
import { ticketStreamId } from "../tickets/ticket-stream.ts";
import {
  askFinish,
  assignWork,
  dropWork,
  finishWork,
  handWork,
  isOpenWork,
  loseWork,
  measureWork,
  planWork,
  receiveWork,
  refuseFinish,
  resumeWork,
  settleWork,
  suspendWork,
  tellWork,
  WORK,
  type WorkState,
  WorkStream,
  warnWork,
} from "./work.ts";
import type { WorkOrder } from "./work-events.ts";

const ORDER: WorkOrder = {
  ...{ ticketId: "TKT-1", title: "Login", repo: "abc", cwd: "/r", role: "work", agent: "claude", model: null },
  actor: "operator",
};
const CLOSING = { checks: "passed", drift: null, memento: ".nomos/mementos/TKT-1/s.md", actor: "operator" } as const;
const PARTING = { summary: "done", next: null, reason: null };
const TOLD = { turnId: "t", steerId: "m", receivedFrom: null };
const ASKED = { ...PARTING, status: "keep", skipChecks: false, actor: "session:s" } as const;
const FIGURES = { score: 0.117, scope: 0, budget: 0.35, boundary: 0, lines: 0, files: 4 };

const STEPS: readonly ((state: WorkState) => Decision)[] = [
  (state) => planWork(state, ORDER),
  (state) => assignWork(state, 3),
  (state) => tellWork(state, TOLD),
  (state) => loseWork(state, { holder: "session:x", fence: 4 }),
  (state) => warnWork(state, TOLD),
  (state) => measureWork(state, FIGURES),
  (state) => suspendWork(state, "lunch", false),
  (state) => resumeWork(state, 6),
  (state) => askFinish(state, ASKED),
  (state) => refuseFinish(state, { code: "checks_failed", message: "no" }),
  (state) => finishWork(state, PARTING, { ...CLOSING, status: "keep" }),
  (state) => finishWork(state, PARTING, { ...CLOSING, status: "review" }),
  (state) => handWork(state, PARTING, { ...CLOSING, to: "codex" }),
  (state) => receiveWork(state, "other"),
  (state) => dropWork(state, { code: "killed", message: "gone" }),
  (state) => settleWork(state, null),
];

function after(...steps: readonly ((state: WorkState) => Decision)[]): WorkState {
  return steps.reduce<WorkState>((state, step) => {
    const decided = step(state);
    if (isRefusal(decided)) throw new Error(decided.refused);
    return fold(state, decided).state;
  }, WorkStream.empty("s"));
}

function fold(from: WorkState, facts: readonly AnyFact[]) {
  const placed = facts.map((fact, n): Placed => {
    const version = from.version + n + 1;
    return { id: `e${version}`, version, at: "2026-11-01T00:00:00.000Z", fact };
  });
  return foldAll(WorkStream, "s", from, placed);
}

const plan = (state: WorkState) => planWork(state, ORDER);
const assign = (state: WorkState) => assignWork(state, 3);
const finish = (status: "keep" | "review" | "done") => (state: WorkState) =>
  finishWork(state, PARTING, { ...CLOSING, status });

test("work is planned, assigned with a fence, and open until it is finished", () => {
  expect(isOpenWork(after())).toBe(false);
  expect(after(plan)).toMatchObject({ at: "planned", order: ORDER, fence: null, isSettled: true });
  expect(after(plan, assign)).toMatchObject({ at: "active", fence: 3 });
  expect(after(plan, assign, finish("keep"))).toMatchObject({ at: "active", isSettled: false, parting: PARTING });
  expect(after(plan, assign, finish("review"))).toMatchObject({ at: "finished", isSettled: false });
  expect(isRefusal(plan(after(plan)))).toBe(true);
});

test("a closed or suspended work refuses a finish and a handoff; one without a ticket says so", () => {
  const refusedOf = (state: WorkState) =>
    [finish("done")(state), handWork(state, PARTING, { ...CLOSING, to: null }), askFinish(state, ASKED)].map(
      (decided) => isRefusal(decided) && decided.refused,
    );
  expect(refusedOf(after())).toEqual(["work_not_found", "work_not_found", "work_not_found"]);
  expect(refusedOf(after(plan, assign, finish("done")))).toEqual(["work_over", "work_over", "work_over"]);
  const asleep = after(plan, assign, (state) => suspendWork(state, "lunch", false));
  expect(refusedOf(asleep)).toEqual(["work_suspended", "work_suspended", "work_suspended"]);
});

test("a handoff is received once, by the first that starts", () => {
  const handed = after(plan, assign, (state) => handWork(state, PARTING, { ...CLOSING, to: null }));
  const first = receiveWork(handed, "one");
  if (isRefusal(first)) return expect.fail("refused");
  const received = fold(handed, first).state;
  expect(received.receivedBy).toBe("one");
  expect(receiveWork(received, "two")).toEqual([]);
});

test("a lost lease is told once, until the lease is taken anew by a resumption", () => {
  const lost = after(plan, assign, (state) => loseWork(state, { holder: "session:x", fence: 4 }));
  expect(loseWork(lost, { holder: "session:x", fence: 4 })).toEqual([]);
  const warned = warnWork(lost, TOLD);
  if (isRefusal(warned)) return expect.fail("refused");
  expect(warned).toHaveLength(1);
  expect(warnWork(fold(lost, warned).state, TOLD)).toEqual([]);
  const rested = [plan, assign, (state: WorkState) => suspendWork(state, "lunch", false)];
  expect(after(...rested, (state) => resumeWork(state, 5))).toMatchObject({ fence: 5, lost: null });
});

test("drift is kept as history: each measurement is a row of its own, and the same figures are none", () => {
  const active = after(plan, assign);
  const measured = measureWork(active, FIGURES);
  if (isRefusal(measured)) return expect.fail("refused");
  const { state, rows } = fold(active, measured);
  expect(rows.map(({ list, put }) => [list.name, put])).toMatchObject([
    ["drift", { score: 0.117, sessionId: "s", order: ORDER }],
    ["work", { drift: FIGURES }],
  ]);
  expect(measureWork(state, FIGURES)).toEqual([]);
});

test("the row is found by its ticket, and as unsettled while something is left to do", () => {
  const keysOf = (state: WorkState) => {
    const { order } = state;
    return order === null ? null : WORK.keysOf({ ...state, order });
  };
  expect(keysOf(after(plan))).toEqual({
    ...{ ticket: ticketStreamId("abc", "TKT-1"), repo: "abc", open: true, unsettled: true, at: "planned" },
  });
  expect(keysOf(after(plan, assign))).toMatchObject({ unsettled: false });
  expect(keysOf(after(plan, assign, finish("done")))).toMatchObject({ open: false, unsettled: true });
  const settle = (state: WorkState) => settleWork(state, "c0ffee");
  expect(keysOf(after(plan, assign, finish("done"), settle))).toMatchObject({ unsettled: false });
});

test("whatever is decided in whatever order, work that is over stays over", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: STEPS.length - 1 }), { maxLength: 40 }), (picks) => {
      let state = WorkStream.empty("s");
      let wasOver = false;
      for (const pick of picks) {
        const decided = STEPS[pick]?.(state) ?? [];
        if (!isRefusal(decided)) state = fold(state, decided).state;
        const isOver = state.order !== null && !isOpenWork(state);
        expect(wasOver && !isOver).toBe(false);
        wasOver = isOver;
      }
    }),
  );
});
