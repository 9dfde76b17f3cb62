import fc from "fast-check";
import { expect, test } from "vitest";
import { anyMoves, play } from "../../../test/golden/prompts/any-history.ts";
import { createPath } from "../../../test/golden/prompts/path.ts";
import type { PathEvent } from "../view/path-event.ts";
import { contextTokens } from "../view/tokens.ts";
import { createTranscript } from "../view/transcript.ts";
import { prepareCompaction, tokensAfter } from "./prepare.ts";
import { settingsFor, shouldCompact } from "./settings.ts";

const WINDOW = 200_000;
const SMALL = { windowTokens: 10_000, settings: { reserveTokens: 2000, keepRecentTokens: 1000 } };
const big = (tokens: number) => "x".repeat(tokens * 4);

test("the context may fill the window up to the reserve, not beyond", () => {
  expect(shouldCompact(WINDOW - 16_384, WINDOW)).toBe(false);
  expect(shouldCompact(WINDOW - 16_384 + 1, WINDOW)).toBe(true);
});

test("a small window has a share for reserve and recent messages", () => {
  expect(settingsFor(8000)).toEqual({ reserveTokens: 2000, keepRecentTokens: 2400 });
  expect(settingsFor(WINDOW)).toEqual({ reserveTokens: 16_384, keepRecentTokens: 20_000 });
});

test("the cut is before a turn; after a compaction there is nothing to do until something is said", () => {
  const path = createPath();
  turn(path, "t1", 800);
  turn(path, "t2", 800);
  turn(path, "t3", 1200);
  const first = prepare(path.events);
  expect(first).toMatchObject({ isSplitTurn: false, turnPrefix: [], previousSummary: null, tokensKept: 1201 });
  expect(first?.toSummarize).toHaveLength(4);
  expect(path.events.find(({ id }) => id === first?.keptFrom)?.fact?.type).toBe("turn.started@1");
  path.compact(first?.keptFrom ?? null, "S1");
  expect(prepare(path.events)).toBeNull();
  path.stepStart("t3");
  path.stepEnd("t3", {}, { stop: "error", parts: [] });
  expect(prepare(path.events)).toBeNull();
  turn(path, "t4", 1200);
  expect(prepare(path.events)).toMatchObject({ previousSummary: "S1", tokensKept: 1201 });
});

test("little to save is not worth a summary", () => {
  const path = createPath();
  turn(path, "t1", 20);
  turn(path, "t2", 1200);
  expect(prepare(path.events)).toBeNull();
  expect(prepare([])).toBeNull();
});

test("a huge turn is cut inside: its beginning gets a summary of its own, its end is kept", () => {
  const path = createPath();
  turn(path, "t1", 500);
  path.prompt("t2", "do it all");
  for (let step = 1; step <= 10; step += 1)
    path.step("t2", { calls: [{ id: `c${step}`, name: "read", output: big(400) }] });
  const split = prepare(path.events);
  expect(split).toMatchObject({ isSplitTurn: true });
  expect(split?.toSummarize).toHaveLength(2);
  expect(split?.turnPrefix[0]).toEqual({ role: "user", content: [{ kind: "text", text: "do it all" }] });
  path.compact(split?.keptFrom ?? null, "S1");
  const transcript = transcriptOf(path.events);
  expect(transcript.messages().map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "tool"]);
  for (let step = 11; step <= 20; step += 1)
    path.step("t2", { calls: [{ id: `c${step}`, name: "read", output: big(400) }] });
  // The beginning of the turn is in the summary already: the rest of it updates that summary.
  expect(prepare(path.events)).toMatchObject({ isSplitTurn: true, turnPrefix: [], previousSummary: "S1" });
});

test("a steering message stays with the step that contains it first", () => {
  const path = createPath();
  turn(path, "t1", 500);
  path.prompt("t2", "go");
  path.step("t2", { text: big(800), calls: [{ id: "c1", name: "run", output: "ok" }] });
  path.steer("t2", "st1", "wait");
  path.step("t2", { text: big(1100) }, { steers: ["st1"] });
  path.compact(prepare(path.events)?.keptFrom ?? null, "S");
  expect(transcriptOf(path.events).messages()[0]).toMatchObject({ content: [{}, { text: "wait" }] });
});

test("the last results stay, however large; an overflow cuts even them", () => {
  const path = createPath();
  turn(path, "t1", 500);
  path.prompt("t2", "go");
  path.step("t2", { calls: [{ id: "c1", name: "read", output: big(50_000) }] });
  expect(prepare(path.events)).toMatchObject({ tokensKept: 50_003 });
  const forced = prepareCompaction(transcriptOf(path.events), { ...SMALL, isForced: true });
  expect(forced).toMatchObject({ keptFrom: null, tokensKept: 0, isSplitTurn: true });
  expect(forced?.turnPrefix).toHaveLength(3);
});

test("an overflow cuts what the estimate says would fit", () => {
  const path = createPath();
  for (let n = 1; n <= 8; n += 1) turn(path, `t${n}`, 50);
  expect(prepare(path.events)).toBeNull();
  const forced = prepareCompaction(transcriptOf(path.events), { ...SMALL, isForced: true });
  expect(forced?.toSummarize.length).toBeGreaterThanOrEqual(4);
  expect(forced?.keptFrom).not.toBeNull();
});

test("files are cumulative, and a modified file is not listed as read", () => {
  const path = createPath();
  path.prompt("t1", "go");
  const failed = { id: "c3", name: "edit", path: "failed.ts", output: "no", isError: true };
  const byInput = { id: "c4", name: "write", input: '{"path":"new.ts"}', output: "ok" };
  path.step("t1", {
    text: big(500),
    calls: [
      { id: "c1", name: "read", path: "a.ts", output: "A" },
      { id: "c2", name: "read", path: "b.ts", output: "B" },
      failed,
      byInput,
      { id: "c5", name: "run", path: "c.ts", output: "C" },
    ],
  });
  path.end("t1");
  turn(path, "t2", 1200);
  const first = prepare(path.events);
  expect(first?.files).toEqual({ read: ["a.ts", "b.ts"], modified: ["new.ts"] });
  path.compact(first?.keptFrom ?? null, "S", first?.files);
  path.prompt("t3", "and now");
  path.step("t3", { text: big(500), calls: [{ id: "c6", name: "edit", path: "a.ts", output: "ok" }] });
  path.end("t3");
  turn(path, "t4", 1200);
  expect(prepare(path.events)?.files).toEqual({ read: ["b.ts"], modified: ["new.ts", "a.ts"] });
});

test("files of foreign agents and of effects count", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.called("t1", { id: "c1", name: "other", path: "seen.ts" });
  path.result(
    "t1",
    { id: "c1", name: "other", output: big(400) },
    { diffs: [{ path: "diffed.ts", before: null, after: { text: "", blob: null, bytes: 0 } }] },
  );
  path.add("effect.intended@1", {
    ...{ effectId: "f1", turnId: "t1", kind: "write", detail: { path: "w.ts" } },
    ...{ redo: "ask", verdict: "allow", rules: [] },
  });
  path.add("effect.settled@1", {
    ...{ effectId: "f1", turnId: "t1", outcome: "done", exitCode: null, message: null, redo: null },
  });
  path.end("t1");
  turn(path, "t2", 1200);
  expect(prepare(path.events)?.files).toEqual({ read: [], modified: ["diffed.ts", "w.ts"] });
});

test("whatever the history, what is cut and what is kept is all there is, and a forced cut makes it smaller", () => {
  fc.assert(
    fc.property(anyMoves, fc.boolean(), fc.integer({ min: 0, max: 2000 }), (moves, isForced, keepRecentTokens) => {
      const path = play(moves, () => null);
      const transcript = transcriptOf(path.events);
      const settings = { reserveTokens: 100, keepRecentTokens };
      const prepared = prepareCompaction(transcript, { windowTokens: 100_000, settings, isForced });
      if (prepared === null) return;
      const gone = [...prepared.toSummarize, ...prepared.turnPrefix];
      path.compact(prepared.keptFrom, "S");
      const after = transcriptOf(path.events);
      const kept = after.entries().flatMap((entry) => entry.messages());
      expect([...gone, ...kept]).toEqual(transcript.entries().flatMap((entry) => entry.messages()));
      expect(kept[0]?.role).not.toBe("tool");
      expect(contextTokens(after) - tokensAfter(transcript, prepared, "S")).toBeLessThan(40);
      if (isForced) expect(prepared.tokensKept).toBeLessThanOrEqual(keepRecentTokens);
    }),
    { numRuns: 500 },
  );
});

type Path = ReturnType<typeof createPath>;

function turn(path: Path, turnId: string, tokens: number): void {
  path.prompt(turnId, "go");
  path.step(turnId, { text: big(tokens) });
  path.end(turnId);
}

function prepare(events: readonly PathEvent[]) {
  return prepareCompaction(transcriptOf(events), SMALL);
}

function transcriptOf(events: readonly PathEvent[]) {
  const transcript = createTranscript();
  for (const event of events) transcript.add(event);
  return transcript;
}
