import { expect, test } from "vitest";
import { createLoopGuard, type GuardedCall } from "./loop-guard.ts";

test("the same call with the same result is warned of at 3 and stopped at 6, whatever its spelling", () => {
  const guard = createLoopGuard({ stepsMax: 100 });
  const inputs = ['{"a":1,"b":2}', '{"b":2,"a":1}', '{ "a": 1, "b": 2 }'];
  const kinds = Array.from({ length: 6 }, (_, index) => guard.ended(call({ input: inputs[index % 3] ?? "" })).kind);
  expect(kinds).toEqual(["go", "go", "warn", "warn", "warn", "stop"]);
});

test("two calls that take turns are a loop", () => {
  const guard = createLoopGuard({ stepsMax: 100 });
  const kinds = Array.from({ length: 12 }, (_, index) => guard.ended(call({ name: index % 2 === 0 ? "a" : "b" })).kind);
  expect(kinds.indexOf("warn")).toBe(5);
  expect(kinds.indexOf("stop")).toBe(11);
});

test("a call that is repeated after something new is no loop", () => {
  const guard = createLoopGuard({ stepsMax: 100 });
  for (let round = 0; round < 20; round += 1) {
    expect(guard.ended(call({ name: "edit", input: `{"round":${round}}` })).kind).toBe("go");
    expect(guard.ended(call({ name: "run", output: "1 failed" })).kind).toBe("go");
  }
});

test("a tool that fails in a row is warned of at 3 and stopped at 8; a success starts anew", () => {
  const guard = createLoopGuard({ stepsMax: 100 });
  const fail = (n: number) => guard.ended(call({ input: `not json ${n}`, isError: true }));
  expect([fail(1), fail(2), fail(3)].map(({ kind }) => kind)).toEqual(["go", "go", "warn"]);
  guard.ended(call({ input: "fine" }));
  const kinds = Array.from({ length: 8 }, (_, index) => fail(10 + index).kind);
  expect(kinds).toEqual(["go", "go", "warn", "warn", "warn", "warn", "warn", "stop"]);
});

test("more steps than the limit stop the turn", () => {
  const guard = createLoopGuard({ stepsMax: 2 });
  expect([guard.step(), guard.step(), guard.step()].map(({ kind }) => kind)).toEqual(["go", "go", "stop"]);
});

function call(more: Partial<GuardedCall>): GuardedCall {
  return { name: "read", input: "{}", output: "same", isError: false, ...more };
}
