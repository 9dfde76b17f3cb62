import { expect, test } from "vitest";
import { plainText } from "../../../test/support/fake-terminal.ts";
import { type AskedQuestion, askedQuestion, questionFacts, readAnswer } from "./question-facts.ts";

const ASKED: AskedQuestion = {
  id: "a",
  question: "May the agent: edit a.ts?",
  options: ["once", "always", "Allow all edits"],
  action: { verb: "tool.edit", resource: "path/a.ts" },
  detail: { path: "src/a.ts", diff: "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n" },
};

test("yes, always, a number, a name and no with a reason are answers; anything else is none", () => {
  const read = (typed: string) => readAnswer(ASKED, typed);
  for (const yes of ["y", "YES", " yes "]) expect(read(yes)).toEqual({ verdict: "approve", option: null });
  expect(read("once")).toEqual({ verdict: "approve", option: "once" });
  for (const always of ["a", "always"]) expect(read(always)).toEqual({ verdict: "approve", option: "always" });
  for (const named of ["1", "allow all edits"])
    expect(read(named)).toEqual({ verdict: "approve", option: "Allow all edits" });
  for (const no of ["n", "No"]) expect(read(no)).toEqual({ verdict: "reject", reason: null });
  for (const no of ["n use tabs", "no, use tabs", "no: use tabs"])
    expect(read(no)).toEqual({ verdict: "reject", reason: "use tabs" });
  for (const other of ["yep", "sure", "2", "note: later", "yes please", "always allow", "", "go on"])
    expect(read(other)).toBeNull();
});

test("`always` is no answer where it is not offered; own words only where nothing is asked for", () => {
  expect(readAnswer({ ...ASKED, options: ["once"] }, "always")).toBeNull();
  const open = { ...ASKED, options: [], action: null };
  expect(readAnswer(open, "the blue one")).toEqual({ verdict: "approve", option: "the blue one" });
  expect(readAnswer({ ...ASKED, options: [] }, "the blue one")).toBeNull();
});

test("the facts are in full: who, file, diff, and what always would allow", () => {
  const lines = questionFacts(60, ASKED, { who: "calm-oak-11 (claude)", keys: "typed" }).map(plainText);
  expect(lines).toEqual([
    "? May the agent: edit a.ts?",
    "│ asked by  calm-oak-11 (claude)",
    "│ file      src/a.ts",
    "│ action    tool.edit path/a.ts",
    "--- a",
    "+++ b",
    "@@ -1 +1 @@",
    "-old",
    "+new",
    "  y  yes, this once",
    "  a  always: every `tool.edit` until this session ends",
    "  1  Allow all edits",
    "  n  no; `n` and a reason tells the agent why",
  ]);
});

test("an event and a row of the list give the same question", () => {
  const members = { question: "q", options: ["once"], action: null, detail: { command: "ls" } };
  expect(askedQuestion({ approvalId: "x", ...members })).toEqual(askedQuestion({ id: "x", ...members }));
});
