import { expect, test } from "vitest";
import { createLoopGuard, type GuardedCall, type GuardVerdict } from "./loop-guard.ts";

test("the same call with the same result is warned of at 3 and stopped at 6, whatever its spelling", () => {
  const guard = createLoopGuard({ stepsMax: 100 });
  const inputs = ['{"a":1,"b":2}', '{"b":2,"a":1}', '{ "a": 1, "b": 2 }'];
  const kinds = Array.from({ length: 6 }, (_, index) => inStep(guard, call({ input: inputs[index % 3] ?? "" })).kind);
  expect(kinds).toEqual(["go", "go", "warn", "warn", "warn", "stop"]);
});

test("two calls that take turns are a loop", () => {
  const guard = createLoopGuard({ stepsMax: 100 });
  const kinds = Array.from({ length: 12 }, (_, at) => inStep(guard, call({ name: at % 2 === 0 ? "a" : "b" })).kind);
  expect(kinds.indexOf("warn")).toBe(5);
  expect(kinds.indexOf("stop")).toBe(11);
});

test("a call that is repeated after something new is no loop", () => {
  const guard = createLoopGuard({ stepsMax: 100 });
  for (let round = 0; round < 20; round += 1) {
    expect(inStep(guard, call({ name: "edit", input: `{"round":${round}}` })).kind).toBe("go");
    expect(inStep(guard, call({ name: "run", output: "1 failed" })).kind).toBe("go");
  }
});

test("a tool that fails in a row is warned of at 3 and stopped at 8; a success starts anew", () => {
  const guard = createLoopGuard({ stepsMax: 100 });
  const fail = (n: number) => inStep(guard, call({ input: `not json ${n}`, isError: true }));
  expect([fail(1), fail(2), fail(3)].map(({ kind }) => kind)).toEqual(["go", "go", "warn"]);
  inStep(guard, call({ input: "fine" }));
  const kinds = Array.from({ length: 8 }, (_, index) => fail(10 + index).kind);
  expect(kinds).toEqual(["go", "go", "warn", "warn", "warn", "warn", "warn", "stop"]);
});

test("calls of one step count once: the model has seen none of their results", () => {
  const guard = createLoopGuard({ stepsMax: 100 });
  const steps = Array.from({ length: 8 }, (_, step) => {
    guard.step();
    const kinds = Array.from(
      { length: 20 },
      (_, n) => guard.ended(call({ input: `{"path":"${step} ${n}"}`, isError: true })).kind,
    );
    return new Set(kinds);
  });
  expect(steps.map((kinds) => [...kinds].join())).toEqual(["go", "go", "warn", "warn", "warn", "warn", "warn", "stop"]);
  const same = createLoopGuard({ stepsMax: 100 });
  expect(Array.from({ length: 20 }, () => same.ended(call({})).kind).every((kind) => kind === "go")).toBe(true);
});

test("more steps than the limit stop the turn", () => {
  const guard = createLoopGuard({ stepsMax: 2 });
  expect([guard.step(), guard.step(), guard.step()].map(({ kind }) => kind)).toEqual(["go", "go", "stop"]);
});

function inStep(guard: ReturnType<typeof createLoopGuard>, one: GuardedCall): GuardVerdict {
  guard.step();
  return guard.ended(one);
}

function call(more: Partial<GuardedCall>): GuardedCall {
  return { name: "read", input: "{}", output: "same", isError: false, ...more };
}
