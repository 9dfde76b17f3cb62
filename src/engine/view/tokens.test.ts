import { expect, test } from "vitest";
import { createPath, whole } from "../../../test/golden/prompts/path.ts";
import { contextParts } from "./context-parts.ts";
import { contextTokens, estimateTokens } from "./tokens.ts";
import { createTranscript } from "./transcript.ts";

const USAGE = { input: 100, output: 20, cacheRead: 3000, cacheWrite: 400 };

test("an estimate is a quarter of the characters, at least 1, and 1,200 for an image", () => {
  expect(estimateTokens("")).toBe(1);
  expect(estimateTokens("abcd")).toBe(1);
  expect(estimateTokens("abcde")).toBe(2);
  const image = { kind: "image" as const, mediaType: "image/png", base64: "A".repeat(100_000) };
  expect(estimateTokens({ role: "user", content: [{ kind: "text", text: "abcde" }, image] })).toBe(1202);
  const call = { kind: "call" as const, callId: "c1", name: "read", input: '{"a"' };
  expect(estimateTokens({ role: "assistant", content: [call] })).toBe(2);
});

test("the context is what the last good answer used, cache included, and an estimate of what followed", () => {
  const path = createPath();
  path.compose("s".repeat(4000));
  path.prompt("t1", "go");
  expect(tokensOf(path)).toBe(1000 + 1);
  path.step("t1", { calls: [{ id: "c1", name: "read", output: "x".repeat(400) }] }, { usage: USAGE });
  expect(tokensOf(path)).toBe(3520 + 100);
  path.step("t1", { text: "y".repeat(40) }, { stop: "aborted", usage: { ...USAGE, input: 9 } });
  expect(tokensOf(path)).toBe(3520 + 100 + 10);
  path.end("t1");
  path.prompt("t2", "z".repeat(80));
  expect(tokensOf(path)).toBe(3520 + 100 + 10 + 20);
});

test("after a compaction, and for another model, all is estimated", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.step("t1", { text: "y".repeat(40) }, { usage: USAGE });
  expect(contextTokens(transcriptOf(path), { model: "p/other" })).toBe(1 + 10);
  path.compact("e2", "short");
  expect(tokensOf(path)).toBeLessThan(60);
  path.step("t1", { text: "more" }, { usage: USAGE });
  expect(tokensOf(path)).toBe(3520);
});

test("the parts of a context name their source; parts without tokens are left out", () => {
  const path = createPath();
  path.add("context.composed@1", {
    turnId: "t1",
    parts: [{ name: "project", source: "AGENTS.md", ...whole("r".repeat(400)) }],
  });
  path.prompt("t1", "p".repeat(40));
  const tools = [{ name: "read", description: "Reads a file.", input: {} }];
  expect(contextParts(transcriptOf(path), tools)).toEqual([
    { name: "project", source: "AGENTS.md", tokens: 100 },
    { name: "tools", source: "1 tools", tokens: 14 },
    { name: "prompts", source: "messages", tokens: 10 },
  ]);
  path.step("t1", { text: "a".repeat(80), calls: [{ id: "c1", name: "read", input: "", output: "o".repeat(120) }] });
  path.add("todo.replaced@1", {
    turnId: "t1",
    items: [
      { text: "test it", status: "open" },
      { text: "write it", status: "done" },
    ],
  });
  path.compact("e3", "before");
  expect(contextParts(transcriptOf(path), []).map(({ name, tokens }) => [name, tokens])).toEqual([
    ["project", 100],
    ["summary", 23],
    ["prompts", 10],
    ["answers", 21],
    ["tool results", 30],
    ["todo", 4],
  ]);
});

function tokensOf(path: ReturnType<typeof createPath>): number {
  return contextTokens(transcriptOf(path));
}

function transcriptOf({ events }: ReturnType<typeof createPath>) {
  const transcript = createTranscript();
  for (const event of events) transcript.add(event);
  return transcript;
}
