import { expect, test } from "vitest";
import type { LogEvent } from "../../../src/client/index.ts";
import { foldEvents } from "./fold.ts";

const TURN = { turnId: "t1" };
const USAGE = { input: 1_000, output: 20, cacheRead: 300, cacheWrite: 0 };

function events(...facts: readonly (readonly [type: string, data: object])[]): readonly LogEvent[] {
  return facts.map(([type, data], at) => ({
    ...{ seq: 100 + at, id: `event-${at + 1}`, stream: "session/one", version: at + 1, type, actor: "owner" },
    ...{ at: new Date(1_000 * at).toISOString(), cause: null, hash: "", prev: "" },
    data: JSON.parse(JSON.stringify(data)),
  }));
}

const text = (said: string): object => ({ text: said, blob: null, bytes: said.length });
const prompt = (turnId: string) => ["turn.admitted@1", { turnId, prompt: turnId, blob: null, bytes: 2 }] as const;
const begun = (stepId: string, more: object = {}) =>
  ["step.started@1", { ...TURN, stepId, model: "a/m", purpose: "answer", attempt: 1, steers: [], ...more }] as const;
const over = (stepId: string, more: object = {}) =>
  [
    "step.ended@1",
    {
      ...{ ...TURN, stepId, model: "a/m", usage: USAGE, costMicroUsd: 1_500, stop: "stop", parts: [], error: null },
      ...{ firstTokenMs: 200, ms: 900, ...more },
    },
  ] as const;
const failing = { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, costMicroUsd: null, stop: "error" };
const failed = (stepId: string, message: string) =>
  over(stepId, { ...failing, error: { class: "overloaded", message } });

test("an effect of the engine's tool call is part of the call's entry", () => {
  const folded = foldEvents(
    events(
      ["tool.called@1", { ...TURN, callId: "c1", title: "ls", kind: "run", places: [], input: text("{}") }],
      ["effect.intended@1", { ...TURN, effectId: "e1", kind: "run", detail: { command: "ls" }, callId: "c1" }],
      ["effect.output@1", { ...TURN, effectId: "e1", stream: "stdout", ...text("a") }],
      ["effect.settled@1", { ...TURN, effectId: "e1", outcome: "failed", exitCode: 2, message: null }],
    ),
  );
  expect(folded).toMatchObject([{ kind: "tool", title: "ls", outcome: null, exitCode: 2, output: [{}] }]);
  expect(folded).toHaveLength(1);
});

test("a call that an interrupt cut does not seem to run", () => {
  const folded = foldEvents(
    events(
      ["tool.called@1", { ...TURN, callId: "c1", title: "ls", kind: "run", places: [], input: null }],
      ["turn.ended@1", { ...TURN, outcome: "interrupted", error: null }],
    ),
  );
  expect(folded[0]).toMatchObject({ kind: "tool", outcome: "interrupted" });
});

test("calls of two turns with the same id are two entries", () => {
  const called = (turnId: string) =>
    ["tool.called@1", { turnId, callId: "call_1", title: turnId, kind: "run", places: [], input: null }] as const;
  expect(foldEvents(events(called("t1"), called("t2")))).toMatchObject([{ title: "t1" }, { title: "t2" }]);
});

test("a turn's end has its steps, and their sum", () => {
  const end = foldEvents(
    events(["turn.started@1", TURN], begun("s1"), over("s1"), begun("s2"), over("s2"), [
      "turn.ended@1",
      { ...TURN, outcome: "completed", error: null },
    ]),
  ).at(-1);
  expect(end).toMatchObject({ kind: "turn-end", tokens: 2_640, cost: "$0.0030" });
  expect(end).toMatchObject({ steps: [{ input: 1_000, output: 20, cached: 300, firstTokenMs: 200, ms: 900 }, {}] });
});

test("a turn whose beginning is not held tells no sum", () => {
  const [end] = foldEvents(events(over("s2"), ["turn.ended@1", { ...TURN, outcome: "completed", error: null }]));
  expect(end).toMatchObject({ kind: "turn-end", tokens: null, cost: null, steps: [{ stepId: "s2" }] });
});

test("a steering message is accepted, then delivered with the step that contains it", () => {
  const said = ["turn.steered@1", { ...TURN, steerId: "x", ...text("wait") }] as const;
  expect(foldEvents(events(said))).toMatchObject([{ kind: "steer", standing: "accepted", body: { text: "wait" } }]);
  expect(foldEvents(events(said, begun("s2", { steers: ["x"] })))).toMatchObject([{ standing: "delivered" }]);
});

test("a steering message that its turn did not read becomes a prompt, or goes with the next one", () => {
  const said = ["turn.steered@1", { ...TURN, steerId: "x", ...text("wait") }] as const;
  const ended = (outcome: string) => ["turn.ended@1", { ...TURN, outcome, error: null }] as const;
  const kinds = foldEvents(events(said, ended("completed"), prompt("x"))).map(({ kind }) => kind);
  expect(kinds).toEqual(["turn-end", "prompt"]);
  const late = [said, ended("interrupted"), prompt("t2")] as const;
  expect(foldEvents(events(...late))[0]).toMatchObject({ kind: "steer", standing: "late" });
  const started = ["turn.started@1", { turnId: "t2" }] as const;
  expect(foldEvents(events(...late, started))[0]).toMatchObject({ kind: "steer", standing: "delivered" });
});

test("tries that failed in a row are one line; the error of a single one is said by the turn's end", () => {
  const again = foldEvents(
    events(begun("s1"), failed("s1", "busy"), begun("s2", { attempt: 2 }), failed("s2", "full")),
  );
  expect(again).toMatchObject([{ kind: "note", text: "a/m did not answer (2 tries): full" }]);
  const error = { code: "model_failed", message: "busy" };
  const once = events(begun("s1"), failed("s1", "busy"), ["turn.ended@1", { ...TURN, outcome: "failed", error }]);
  expect(foldEvents(once).map(({ kind }) => kind)).toEqual(["turn-end"]);
});

test("a compaction, a usage limit and another agent have a line; what only the log needs has none", () => {
  const folded = foldEvents(
    events(
      ["context.composed@1", { ...TURN, parts: [] }],
      [
        "context.compacted@1",
        { ...TURN, summary: text("s"), tokensBefore: 90, tokensAfter: 10, reason: "asked", focus: "x" },
      ],
      ["quota.reached@1", { ...TURN, until: new Date().toISOString(), reason: "Too much.", onReset: "resume" }],
      ["driver.switched@1", { adapter: "demo", agent: "demo" }],
      ["turn.settled@1", TURN],
    ),
  );
  expect(folded).toMatchObject([
    { kind: "compaction", before: 90, after: 10, focus: "x", summary: { text: "s" } },
    { kind: "note", tone: "warn", text: expect.stringMatching(/^Too much\. Waits for the usage limit until .+/) },
    { kind: "note", text: "From here on with demo" },
  ]);
});

test("steps of a wrong shape make entries without a failure", () => {
  const types = ["step.started@1", "step.ended@1", "turn.steered@1", "context.compacted@1", "quota.reached@1"];
  for (const data of [{}, { steers: 3, usage: "x", error: 7, summary: [], until: null }])
    expect(() => foldEvents(events(...types.map((type) => [type, data] as const)))).not.toThrow();
});
