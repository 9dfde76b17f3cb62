import { expect, test } from "vitest";
import { type BlameLine, sharesOf, spansOf } from "./spans.ts";

const line = (at: number, more: Partial<BlameLine>): BlameLine => ({ line: at, text: `${at}`, by: "person", ...more });
const LINES = [
  line(1, { author: "Ada", commit: "c1" }),
  line(2, { author: "Ada", commit: "c1" }),
  line(3, { by: "session", sessionId: "s1", session: "calm-oak-01", turnId: "t1" }),
  line(4, { by: "session", sessionId: "s1", session: "calm-oak-01", turnId: "t2" }),
  line(5, { by: "local" }),
  line(6, { author: "Ada", commit: "c1" }),
];

test("lines in a row of the same turn or commit are one span", () => {
  expect(spansOf(LINES).map(({ first, lines }) => [first.line, lines.length])).toEqual([
    [1, 2],
    [3, 1],
    [4, 1],
    [5, 1],
    [6, 1],
  ]);
  expect(spansOf([])).toEqual([]);
});

test("a line that is not proven is in no span with a proven one, and one from another file is apart", () => {
  const session = { by: "session", sessionId: "s1", turnId: "t1", commit: "c1" } as const;
  const lines = [
    line(1, { ...session, proven: true }),
    line(2, { ...session, proven: true }),
    line(3, { ...session, proven: false, reason: "no landing of the session brought this line" }),
    line(4, { ...session, proven: true, path: "old.ts" }),
  ];
  expect(spansOf(lines).map(({ first, lines: own }) => [first.line, own.length])).toEqual([
    [1, 2],
    [3, 1],
    [4, 1],
  ]);
});

test("shares are told by session and person, most first", () => {
  expect(sharesOf(LINES)).toEqual([
    ["Ada", 3],
    ["calm-oak-01", 2],
    ["not committed", 1],
  ]);
});
