import { expect, test } from "vitest";
import type { LogEvent } from "../../../src/client/index.ts";
import { createFold, foldEvents } from "./fold.ts";

const STREAM = "session/one";

/** Events of one stream, numbered from 1. */
function events(...facts: readonly (readonly [type: string, data: object | null])[]): readonly LogEvent[] {
  return facts.map(([type, data], at) => ({
    seq: 100 + at,
    id: `event-${at + 1}`,
    stream: STREAM,
    version: at + 1,
    type,
    at: new Date(1_000 * at).toISOString(),
    actor: "owner",
    cause: null,
    // A copy without members that are undefined, as the wire has it.
    data: JSON.parse(JSON.stringify(data)),
    hash: "",
    prev: "",
  }));
}

const TURN = { turnId: "t1" };
const text = (said: string): object => ({ text: said, blob: null, bytes: said.length });

test("a turn becomes a prompt, a message and an end with its figures", () => {
  const folded = foldEvents(
    events(
      ["turn.admitted@1", { ...TURN, prompt: "hello", blob: null, bytes: 5, queued: false }],
      ["turn.started@1", TURN],
      ["message.completed@1", { ...TURN, ...text("hi"), role: "assistant" }],
      [
        "usage.reported@1",
        { ...TURN, spent: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, costMicroUsd: 2_000 } },
      ],
      ["turn.ended@1", { ...TURN, outcome: "completed", error: null }],
    ),
  );
  expect(folded).toMatchObject([
    { kind: "prompt", standing: "ended", body: { text: "hello" } },
    { kind: "message", isThought: false, body: { text: "hi" } },
    { kind: "turn-end", outcome: "completed", tokens: 15, cost: "$0.0020", tools: 0 },
  ]);
});

test("a command is one entry: its output, its exit code and its duration", () => {
  const folded = foldEvents(
    events(
      ["effect.intended@1", { ...TURN, effectId: "e1", kind: "run", detail: { command: "ls" } }],
      ["effect.begun@1", { ...TURN, effectId: "e1", fence: 1 }],
      ["effect.output@1", { ...TURN, effectId: "e1", stream: "stdout", ...text("a\n") }],
      ["effect.output@1", { ...TURN, effectId: "e1", stream: "stderr", ...text("b\n") }],
      ["effect.settled@1", { ...TURN, effectId: "e1", outcome: "failed", exitCode: 2, message: null, redo: null }],
    ),
  );
  expect(folded).toMatchObject([
    {
      kind: "tool",
      title: "run ls",
      command: "ls",
      outcome: "failed",
      exitCode: 2,
      output: [{ stream: "stdout" }, { stream: "stderr" }],
      endedAt: new Date(4_000).toISOString(),
    },
  ]);
});

test("the end of a call whose beginning is not held stands alone, and joins it when that is there", () => {
  const all = events(
    ["tool.called@1", { ...TURN, callId: "c1", title: "Edit", kind: "edit", places: [], input: null }],
    [
      "tool.ended@1",
      {
        ...{ ...TURN, callId: "c1", title: "Edit a.ts", outcome: "done", places: [{ path: "a.ts", line: 3 }] },
        diffs: [{ path: "a.ts", before: null, after: text("x\n") }],
        output: text("ok"),
      },
    ],
  );
  expect(foldEvents(all.slice(1))).toMatchObject([{ title: "Edit a.ts", outcome: "done" }]);
  const whole = foldEvents(all);
  expect(whole).toMatchObject([{ tool: "edit", title: "Edit a.ts", diffs: [{ path: "a.ts", before: null }] }]);
  expect(whole[0]?.key).toBe(foldEvents(all.slice(1))[0]?.key);
});

test("a question keeps its place and tells who answered", () => {
  const asked = { ...TURN, approvalId: "q1", question: "May I?", options: ["yes"], action: null, detail: { diff: "" } };
  const folded = foldEvents(
    events(
      ["approval.requested@1", asked],
      ["message.completed@1", { ...TURN, ...text("waiting"), role: "assistant" }],
      ["approval.answered@1", { ...TURN, approvalId: "q1", status: "rejected", option: null, reason: "too early" }],
    ),
  );
  expect(folded).toMatchObject([
    { kind: "question", status: "rejected", reason: "too early", by: "owner", detail: {} },
    { kind: "message" },
  ]);
});

test("unknown types are shown, quiet ones are not, erased ones say so", () => {
  const folded = foldEvents(
    events(
      ["some.thing@7", { a: 1 }],
      ["snapshot.taken@1", { turnId: null }],
      ["message.completed@1", null],
      ["session.failed@1", { code: "driver_failed", message: "it broke" }],
    ),
  );
  expect(folded).toMatchObject([
    { kind: "other", type: "some.thing@7" },
    { kind: "note", text: "The data of this event was erased." },
    { kind: "note", tone: "bad", code: "driver_failed" },
  ]);
});

test("a new event changes only its own entry, so that a view draws only that", () => {
  const fold = createFold();
  const [first, second, third] = events(
    ["turn.admitted@1", { ...TURN, prompt: "a", blob: null, bytes: 1, queued: false }],
    ["effect.intended@1", { ...TURN, effectId: "e1", kind: "run", detail: { command: "ls" } }],
    ["effect.output@1", { ...TURN, effectId: "e1", stream: "stdout", ...text("a") }],
  );
  if (first === undefined || second === undefined || third === undefined) throw new Error("three events");
  fold.add(first);
  fold.add(second);
  const before = fold.entries();
  fold.add(third);
  const after = fold.entries();
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
});

test("data of a wrong shape makes entries without a failure", () => {
  const types = [
    ...["turn.admitted@1", "turn.attached@1", "turn.ended@1", "message.completed@1", "effect.intended@1"],
    ...["tool.called@1", "tool.ended@1", "approval.requested@1", "approval.answered@1", "todo.replaced@1"],
    ...["session.rewound@1", "scope.reverted@1", "restore.settled@1", "driver.noticed@1", "session.forked@1"],
  ];
  for (const data of [{}, { items: 3, diffs: "x", options: {}, places: [null], text: 7 }])
    expect(() => foldEvents(events(...types.map((type) => [type, data] as const)))).not.toThrow();
});

test("a prompt that waited stands where its turn begins", () => {
  const prompt = (turnId: string) => ({ turnId, prompt: turnId, blob: null, bytes: 2, queued: turnId === "t2" });
  const folded = foldEvents(
    events(
      ["turn.admitted@1", prompt("t1")],
      ["turn.started@1", TURN],
      ["turn.admitted@1", prompt("t2")],
      ["message.completed@1", { ...TURN, ...text("first"), role: "assistant" }],
      ["turn.started@1", { turnId: "t2" }],
      ["message.completed@1", { turnId: "t2", ...text("second"), role: "assistant" }],
    ),
  );
  expect(folded.map((entry) => ("body" in entry ? entry.body.text : ""))).toEqual(["t1", "first", "t2", "second"]);
});
