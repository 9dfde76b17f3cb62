import { expect, test } from "vitest";
import { plainText } from "../../../test/support/fake-terminal.ts";
import { collisionLine, landingLine, workLine } from "../board/landing-line.ts";
import { landingLines } from "./landing-lines.ts";
import { type Landing, needingPerson, stateWords } from "./open-landings.ts";

const LANDING: Landing = {
  ...{ id: "L1", sessionId: "s1", sessionName: "calm-oak-01", repository: "/w/app", into: "main", state: "queued" },
  ...{ how: "merge", checks: [], attempt: 1, attemptsMax: 3, queuedAt: "", changedAt: "", findings: [] },
};
const FINDINGS: Landing["findings"] = [
  {
    rule: "scope",
    path: "src/\u001b[2Jx.ts",
    message: "It lies outside the session's scope.",
    remedy: "nomos approve q1",
  },
  { rule: "check", message: "`npm test` exited with 1.", remedy: "Mend it, then: nomos land calm-oak-01" },
];
const PUSHED = { remote: "origin", branch: "nomos/x", url: "https://h/x", next: ["gh pr create --base main"] };
const told = (given: Partial<Landing>, more: object = {}) =>
  landingLines({ ...LANDING, ...given, ...more }).map(plainText);

test("landed: what is on the branch now", () => {
  const landed = {
    state: "landed",
    commit: "0123456789abcdef",
    files: 2,
    added: 10,
    removed: 0,
    checkMs: 61_000,
  } as const;
  expect(told(landed)).toEqual(["Landed calm-oak-01 on main: 2 files, +10 -0, checks 1 m, commit 0123456789"]);
  expect(told({ ...landed, checkMs: 0, pushed: PUSHED })).toEqual([
    "Landed calm-oak-01 on main: 2 files, +10 -0, commit 0123456789",
    "Pushed nomos/x to origin.",
    "Open a request: https://h/x",
    "Next: gh pr create --base main",
  ]);
});

test("refused: each finding with its rule, its file and what to do; hostile names stay harmless", () => {
  expect(told({ state: "refused", findings: FINDINGS, more: 3 })).toEqual([
    "Refused to land calm-oak-01 on main.",
    "  scope src/␛[2Jx.ts: It lies outside the session's scope.",
    "    do: nomos approve q1",
    "  check: `npm test` exited with 1.",
    "    do: Mend it, then: nomos land calm-oak-01",
    "  3 more findings were left out.",
    "The branch is as it was. L1, attempt 1 of 3.",
  ]);
  expect(told({ state: "refused", toldIn: "t1" }).at(-1)).toBe(
    "Its agent was told and mends it (attempt 1 of 3). Then it is tried again.",
  );
  expect(told({ state: "refused", retriedAs: "L2" }).at(-1)).toBe("Its agent mended it; the next attempt is L2.");
});

test("a dry run says what would come of it", () => {
  const dry = { dryRun: true, id: null };
  expect(told({ state: "landed", files: 1, added: 1, removed: 1 }, dry)).toEqual([
    "Dry run: calm-oak-01 would land on main: 1 file, +1 -1",
    "Next: nomos land calm-oak-01 --into main",
  ]);
  expect(told({ state: "refused", findings: FINDINGS.slice(1) }, dry)).toEqual([
    "Dry run: calm-oak-01 on main would be refused.",
    "  check: `npm test` exited with 1.",
    "    do: Mend it, then: nomos land calm-oak-01",
  ]);
});

test("queued: behind whom it waits, and how to go on waiting", () => {
  const behind = { id: "L0", sessionId: "s0", sessionName: "brave-elm-02" };
  expect(told({ ahead: 2, behind })).toEqual([
    "Queued calm-oak-01 for main, behind brave-elm-02 (2 ahead).",
    "Next: nomos landing wait L1",
  ]);
  expect(told({ state: "ejected", reason: "by a person" })).toEqual([
    "The landing of calm-oak-01 on main was ejected: by a person.",
  ]);
});

test("the board has one line for all queues and refusals, and none where nothing lands", () => {
  const checking: Landing = { ...LANDING, state: "checking", checking: "npm test" };
  const held: Landing = { ...LANDING, sessionName: "b", held: "later", ahead: 2 };
  const stuck: Landing = { ...LANDING, state: "refused", sessionName: "c", findings: FINDINGS, waitsFor: "person" };
  const mended: Landing = { ...stuck, waitsFor: "agent" };
  const other: Landing = { ...LANDING, into: "next", ahead: 0 };
  const all = { open: [checking, LANDING, held, other], refused: [stuck, mended] };
  const line = landingLine(all, 200);
  expect(line === null ? null : plainText(line)).toBe(
    "landings  main: checking calm-oak-01, 1 queued, 1 held · next: 1 queued · refused: c · 1 being mended",
  );
  for (const columns of [10, 40, 80])
    expect(plainText(landingLine(all, columns) ?? "").length).toBeLessThanOrEqual(columns);
  expect(landingLine({ open: [], refused: [] }, 80)).toBeNull();
  const collisions = [
    { sessions: ["s1", "s2"], branch: null, path: "a\u001b[2J.ts", line: 10 },
    { sessions: ["s1"], branch: "main", path: "b.ts", line: null },
  ];
  const told = collisionLine(collisions, (id) => `name-${id}`, 200);
  expect(plainText(told ?? "")).toBe("collide   name-s1 + name-s2 in a␛[2J.ts:10 · name-s1 + main in b.ts");
  expect(collisionLine([], String, 80)).toBeNull();
  const works = [
    { sessionId: "s1", ticket: "TKT-1", why: "lost the lease of TKT-1", next: "" },
    ...["s2", "s3", "s4"].map((sessionId) => ({ sessionId, ticket: "T", why: "cannot close T: \u001b[2J", next: "" })),
  ];
  expect(plainText(workLine(works, (id) => `name-${id}`, 200) ?? "")).toBe(
    "tickets   name-s1 lost the lease of TKT-1 · name-s2 cannot close T: ␛[2J · name-s3 cannot close T: ␛[2J · 1 more",
  );
  for (const columns of [10, 40]) expect(plainText(workLine(works, String, columns) ?? "").length).toBe(columns);
  expect(workLine([], String, 80)).toBeNull();
  expect(needingPerson(all)).toEqual([stuck]);
  expect([checking, LANDING, held, stuck, mended].map(stateWords)).toEqual([
    "being checked for main: npm test",
    "lands on main next",
    "landing on main is held back: later",
    "refused by main: It lies outside the session's scope.",
    "refused by main; its agent mends it",
  ]);
});
