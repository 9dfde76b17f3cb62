import { expect, test } from "vitest";
import type { LogEvent } from "../../src/client/index.ts";
import { patchOf } from "./patch.ts";
import { NOTHING_STREAMED, withEvent, withFrame } from "./streamed.ts";

const event = (type: string, data: LogEvent["data"]): LogEvent => {
  const rest = { seq: 1, id: "", stream: "", version: 1, actor: "", cause: null, hash: "", prev: "" };
  return { ...rest, type, at: new Date(1_000).toISOString(), data };
};
const delta = (text: string, source = "message") => ({ turnId: "t", source, text });

test("pieces grow, and the complete message replaces them", () => {
  let streamed = withEvent(NOTHING_STREAMED, event("turn.started@1", { turnId: "t" }));
  streamed = withFrame(streamed, delta("Hel"), 3_500);
  streamed = withFrame(streamed, delta("lo"), 4_000);
  expect(streamed).toMatchObject({ message: "Hello", firstMs: 2_500 });
  streamed = withEvent(streamed, event("message.completed@1", { turnId: "t", role: "assistant", text: "Hello" }));
  expect(streamed.message).toBe("");
});

test("pieces that come after their message are skipped", () => {
  let streamed = withFrame(NOTHING_STREAMED, delta("Hel"), 0);
  streamed = withEvent(streamed, event("message.completed@1", { turnId: "t", role: "assistant", text: "Hello" }));
  streamed = withFrame(streamed, delta("lo"), 0);
  expect(streamed.message).toBe("");
  expect(withFrame(streamed, delta("Next"), 0).message).toBe("Next");
});

test("another turn starts from nothing; output is dropped when the log has it", () => {
  const first = withFrame(NOTHING_STREAMED, delta("a", "stdout"), 0);
  expect(first.output).toBe("a");
  expect(withEvent(first, event("effect.output@1", { turnId: "t" })).output).toBe("");
  expect(withFrame(first, { turnId: "u", source: "message", text: "b" }, 0)).toMatchObject({
    output: "",
    message: "b",
  });
});

test("a patch names the changed lines with their neighbours", () => {
  expect(patchOf("a.txt", "1\n2\n3\n4\n5\n6\n", "1\n2\n3\nfour\n5\n6\n")).toBe(
    "--- a/a.txt\n+++ b/a.txt\n@@ -1,6 +1,6 @@\n 1\n 2\n 3\n-4\n+four\n 5\n 6\n",
  );
  expect(patchOf("b.txt", null, "x\n")).toBe("--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1,1 @@\n+x\n");
});
