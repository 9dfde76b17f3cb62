import { expect, test } from "vitest";
import { keepWorktree, removeWorktree } from "./decide-files.ts";
import { newSessionState, type SessionState, sessionStream } from "./state.ts";

const fresh = newSessionState(sessionStream("one"));
const living: SessionState = { ...fresh, worktree: "tree" };
const ended: SessionState = { ...living, phase: { at: "killed", endedAt: "2026-01-01T00:00:00.000Z" } };
const work = { changed: ["a.txt"] };

test("a session ends and its worktree holds work: that it is kept is recorded", () => {
  const kept = { worktreeId: "tree", work };
  expect(keepWorktree(ended, kept)).toEqual([{ type: "worktree.kept@1", data: kept }]);
});

test("a worktree was removed meanwhile, or belongs to another session: nothing is recorded as kept", () => {
  expect(keepWorktree({ ...ended, worktree: null }, { worktreeId: "tree", work })).toEqual([]);
  expect(keepWorktree(ended, { worktreeId: "other", work })).toEqual([]);
});

test("the worktree of a living session is not removed", () => {
  expect(removeWorktree(living, "tree", [])).toEqual({
    refused: "worktree_in_use",
    details: { id: "tree", sessions: [living.id] },
  });
});

test("the worktree of an ended session is removed", () => {
  expect(removeWorktree(ended, "tree", [])).toEqual([{ type: "worktree.removed@1", data: { worktreeId: "tree" } }]);
});
