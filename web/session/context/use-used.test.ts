import { expect, test } from "vitest";
import type { LogEvent } from "../../../src/client/index.ts";
import { usedIn } from "./use-used.ts";

const event = (seq: number, type: string, data: LogEvent["data"]): LogEvent => {
  const rest = { id: "", stream: "", version: seq, actor: "", cause: null, hash: "", prev: "" };
  return { ...rest, seq, type, at: "", data };
};
const report = (seq: number, contextTokens: number | null) =>
  event(seq, "usage.reported@1", { contextTokens, contextMax: 1_000 });

test("the newest report counts, and a compaction after it", () => {
  expect(usedIn([])).toBeNull();
  expect(usedIn([report(1, 100), report(2, 300), report(3, null)])).toEqual({ seq: 2, tokens: 300, max: 1_000 });
  const compacted = event(4, "context.compacted@1", { tokensAfter: 50 });
  expect(usedIn([report(2, 300), compacted])).toEqual({ seq: 4, tokens: 50, max: 1_000 });
  expect(usedIn([compacted, report(5, 70)])).toEqual({ seq: 5, tokens: 70, max: 1_000 });
  expect(usedIn([report(5, 70), event(6, "session.rewound@1", {})])).toBeNull();
});
