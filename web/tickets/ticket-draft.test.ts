import { expect, test } from "vitest";
import { changedInput, draftOf, EMPTY_DRAFT, newInput } from "./ticket-draft.ts";

test("the form of a ticket becomes what the daemon takes; what is empty is left out", () => {
  expect(newInput({ ...EMPTY_DRAFT, title: " Fix it " })).toEqual({
    ...{ kind: "task", title: "Fix it", priority: 3 },
    ...{ scope: { allow: [], deny: [] }, checks: [], acceptance: [], blockers: [] },
  });
  const typed = {
    ...EMPTY_DRAFT,
    ...{ title: "a", kind: "epic", priority: "1", allow: "src/**\n\n docs/** ", deny: "src/secret", files: "3" },
    ...{ checks: 'npm test\n["sh", "-c", "echo a b"]', acceptance: "It works => npm test\nIt is nice" },
  };
  expect(newInput(typed)).toMatchObject({
    ...{ kind: "epic", priority: 1, scope: { allow: ["src/**", "docs/**"], deny: ["src/secret"] } },
    fileBudget: { files: 3 },
    checks: [
      ["npm", "test"],
      ["sh", "-c", "echo a b"],
    ],
    acceptance: [
      { id: "A1", text: "It works", check: ["npm", "test"] },
      { id: "A2", text: "It is nice" },
    ],
  });
});

test("a ticket in the form and back is the same ticket", () => {
  const ticket = {
    ...{ kind: "task", title: "a", body: "b\n\nc", type: "bug", priority: 2, parent: "INT-1-A", lane: "fast" },
    ...{ scope: { allow: ["src/**"], deny: [] }, fileBudget: { files: 5, lines: 60 } },
    ...{ checks: [["echo", "[x]", "a b"]], blockers: ["TKT-1-B"] },
    acceptance: [{ id: "A1", text: "t", check: ["true"] }],
    ...{ brainDump: "d", boundary: "e", successCondition: "f" },
  } as const;
  expect(newInput(draftOf(ticket))).toEqual(ticket);
  const { kind: _kind, ...fields } = ticket;
  expect(changedInput(draftOf(ticket))).toEqual(fields);
  expect(changedInput({ ...draftOf(ticket), parent: "", body: "" })).toEqual({ ...fields, parent: null, body: "" });
});
