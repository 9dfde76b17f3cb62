import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { TurnPort } from "../driver.ts";
import { serveCalls } from "./serve-calls.ts";

/** A port that returns the calls it got. */
function listening() {
  const calls: (readonly unknown[])[] = [];
  const port = new Proxy({} as TurnPort, {
    get:
      (_, method) =>
      async (...args: readonly unknown[]) => {
        calls.push([String(method), ...args]);
        return { effectId: "e", outcome: "done", exitCode: 0, output: "o", outputBytes: 1, message: null, pieces: [] };
      },
  });
  return { calls, answer: serveCalls(port, async () => undefined) };
}

proves("TU-5", "keys, driver checkpoints and pages cross the line protocol unchanged", async () => {
  const { calls, answer } = listening();
  const place = { key: "k", checkpoint: { at: [1, null] } };
  expect(await answer("run", ["ls", place])).toMatchObject({ effectId: "e", outputBytes: 1 });
  await answer("run", ["ls"]);
  await answer("write", ["a", "b", place]);
  await answer("ask", ["Go?", ["yes"], place]);
  await answer("reach", [{ at: 3 }]);
  await answer("output", ["e", { after: 5, limit: 2 }]);
  await answer("tool:run", [["ls", place]]);
  expect(calls).toEqual([
    ["run", "ls", place],
    ["run", "ls"],
    ["write", "a", "b", place],
    ["ask", "Go?", ["yes"], place],
    ["reach", { at: 3 }],
    ["output", "e", { after: 5, limit: 2 }],
    ["run", "ls", place],
  ]);
});

proves("TU-5", "an unknown call, or one with invalid arguments, is refused and reaches nothing", async () => {
  const { calls, answer } = listening();
  const bad: readonly (readonly [string, unknown])[] = [
    ["run", []],
    ["run", [1]],
    ["run", ["ls", { key: 1 }]],
    ["run", ["ls", "k"]],
    ["run", ["ls", {}, "more"]],
    ["write", ["a"]],
    ["ask", ["Go?", "yes"]],
    ["reach", []],
    ["output", ["e", { after: -1 }]],
    ["output", ["e", { limit: 0.5 }]],
    ["output", [7]],
    ["start", [[]]],
    ["processWait", ["nobody"]],
    ["effect", [{ kind: "paint" }]],
    ["host", [["sh"]]],
    ["constructor", []],
    ["__proto__", []],
    ["tool:__proto__", []],
  ];
  for (const [method, args] of bad) await expect(answer(method, args), method).rejects.toThrow();
  expect(calls).toEqual([]);
});
