import fc from "fast-check";
import { expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import {
  addedLines,
  BEFORE,
  type FileVersion,
  firstVersion,
  likeness,
  nextVersion,
  PERSON,
  UNKNOWN,
  writersOf,
} from "./file-history.ts";
import { matchLines } from "./line-diff.ts";
import { findLines, hashedText, LINE_HASH_DIGITS, recordedFile } from "./recorded-lines.ts";

const line = fc.constantFrom("a", "b", "c", "d", "}", "");
const lines = fc.array(line, { maxLength: 12 });

/** The length of the longest common part, by its definition. */
function longest(a: readonly string[], b: readonly string[]): number {
  const [[x, ...as], [y, ...bs]] = [a, b];
  if (x === undefined || y === undefined) return 0;
  const row = new Array<number>(b.length + 1).fill(0);
  for (const one of a) {
    let corner = 0;
    for (let at = 1; at <= b.length; at += 1) {
      const above = row[at] ?? 0;
      row[at] = one === b[at - 1] ? corner + 1 : Math.max(above, row[at - 1] ?? 0);
      corner = above;
    }
  }
  expect(as.length + bs.length).toBe(a.length + b.length - 2);
  return row[b.length] ?? 0;
}

proves("BLAME-2", "matched lines are equal, in order, and as many as there can be", () => {
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      const pairs = matchLines(a, b);
      const matched = [...pairs].flatMap((at, n) => (at < 0 ? [] : [[at, n] as const]));
      for (const [at, n] of matched) expect(a[at]).toBe(b[n]);
      for (const [n, [at]] of matched.entries()) expect(at).toBeGreaterThan(matched[n - 1]?.[0] ?? -1);
      expect(matched).toHaveLength(longest(a, b));
    }),
    { numRuns: 500 },
  );
});

proves("BLAME-2", "two long files with too many edits: lines that are there once still match", () => {
  const kept = Array.from({ length: 300 }, (_, n) => `kept ${n}`);
  const between = (side: string) =>
    kept.flatMap((one, n) => [one, ...Array.from({ length: 5 }, (_, m) => `${side} ${n} ${m}`)]);
  const [a, b] = [between("left"), between("right")];
  const pairs = matchLines(a, b);
  expect([...pairs].flatMap((at, n) => (at < 0 ? [] : [b[n]]))).toEqual(kept);
});

proves(
  "BLAME-2",
  "a line's writer is the turn that inserted it, whatever is inserted or removed around it later",
  () => {
    // Each line is unique and carries its writer, so the right answer is known.
    const edit = fc.record({ at: fc.nat(), remove: fc.nat({ max: 3 }), insert: fc.nat({ max: 4 }) });
    fc.assert(
      fc.property(fc.nat({ max: 8 }), fc.array(edit, { maxLength: 12 }), (length, edits) => {
        let now = Array.from({ length }, (_, n) => `${BEFORE}:${n}`);
        const versions: FileVersion[] = [firstVersion(now, BEFORE)];
        for (const [turn, { at, remove, insert }] of edits.entries()) {
          const fresh = Array.from({ length: insert }, (_, n) => `${turn}:${n}`);
          now = now.toSpliced(at % (now.length + 1), remove, ...fresh);
          versions.push(nextVersion(versions, now, turn));
        }
        const expected = now.map((text) => Number(text.split(":")[0]));
        expect([...(versions.at(-1)?.writers ?? [])]).toEqual(expected);
        const merged = ["theirs", ...now, "theirs as well"];
        expect([...writersOf(versions, merged)]).toEqual([UNKNOWN, ...expected, UNKNOWN]);
      }),
    );
  },
);

proves("BLAME-2", "content that comes back, as by a restore, has its former writers", () => {
  const first = firstVersion(["a"], 0);
  const second = nextVersion([first], ["b"], 1);
  expect([...nextVersion([first, second], ["a"], PERSON).writers]).toEqual([0]);
  expect([...nextVersion([], ["new"], 3).writers]).toEqual([3]);
});

test("a line is new in a merge only if no parent has it", () => {
  expect(
    addedLines(
      [
        ["a", "b"],
        ["b", "c"],
      ],
      ["a", "b", "c", "d"],
    ),
  ).toEqual([false, false, false, true]);
  expect(addedLines([], ["a"])).toEqual([true]);
});

test("likeness counts shared lines, each as often as both have it", () => {
  expect(likeness(["a", "b", "c", "d"], ["d", "a", "x", "a"])).toBe(0.5);
  expect(likeness([], [])).toBe(0);
});

const hash = (text: string): string =>
  Buffer.from(hashedText(text)).toString("hex").slice(-LINE_HASH_DIGITS).padStart(LINE_HASH_DIGITS, "0");
const turnOf = (n: number) => ({
  sessionId: "s",
  turnId: `t${n}`,
  eventId: `e${n}`,
  agent: "demo",
  model: null,
  approver: null,
});

proves("BLAME-2", "recorded lines are found by place and by text", () => {
  const told = [
    { line: 1, turn: 0, hash: hash("one") },
    { line: 2, turn: 0, hash: hash("}") },
    { line: 4, turn: 1, hash: hash("}") },
    { line: 5, turn: PERSON, hash: hash("hand") },
  ];
  const file = recordedFile("a.txt", 1, told);
  expect(file.runs).toEqual([
    [1, 2, 0],
    [4, 1, 1],
    [5, 1, PERSON],
  ]);
  const finder = findLines({
    format: 1,
    sessionId: "s",
    turns: [turnOf(0), turnOf(1)],
    commits: [{ commit: "c", files: [file] }],
  });
  const at = (n: number, text: string, path = "a.txt") => finder.at({ commit: "c", path, line: n, hash: hash(text) });
  expect([at(1, "one"), at(2, "}"), at(4, "}"), at(5, "hand")]).toEqual([0, 0, 1, PERSON]);
  // Git and we may see another line as the new one of two equal ones.
  expect(at(3, "}")).toBe(1);
  // Not recorded: by the turn that changed the file last.
  expect(at(9, "never seen")).toBe(1);
  expect(at(1, "one", "b.txt")).toBeNull();
  expect([finder.byText(hash("one")), finder.byText(hash("hand")), finder.byText(hash("never"))]).toEqual([
    0,
    PERSON,
    null,
  ]);
  expect(finder.turns(hash("}")).map(({ turnId }) => turnId)).toEqual(["t0", "t1"]);
  expect(hashedText("x\r")).toBe(hashedText("x"));
});
