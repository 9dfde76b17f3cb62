import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { fact, newSessionState, type SessionState, sessionStream } from "../../kernel/index.ts";
import { keepWorktree, removeWorktree } from "./worktree.ts";

const fresh = newSessionState(sessionStream("one"));
const living: SessionState = { ...fresh, worktree: "tree" };
const ended: SessionState = { ...living, phase: { at: "killed", endedAt: "2026-01-01T00:00:00.000Z" } };
const work = { changed: ["a.txt"] };

proves("K9", "a session ends and its worktree holds work: that it is kept is recorded", () => {
  const kept = { worktreeId: "tree", work };
  expect(keepWorktree(ended, kept)).toEqual([{ type: "worktree.kept@1", data: kept }]);
});

proves("K9", "a worktree was removed meanwhile, or belongs to another session: nothing is recorded as kept", () => {
  expect(keepWorktree({ ...ended, worktree: null }, { worktreeId: "tree", work })).toEqual([]);
  expect(keepWorktree(ended, { worktreeId: "other", work })).toEqual([]);
});

proves("K9", "the worktree of a living session is not removed", () => {
  expect(removeWorktree(living, "tree", [])).toEqual({
    refused: "worktree_in_use",
    details: { id: "tree", sessions: [living.id] },
  });
});

proves("K9", "the worktree of an ended session is removed", () => {
  expect(removeWorktree(ended, "tree", [])).toEqual([{ type: "worktree.removed@1", data: { worktreeId: "tree" } }]);
});

proves("K9", "a worktree that the session no longer has is removed, after its last snapshot", () => {
  expect(removeWorktree(living, "other", [])).toEqual([{ type: "worktree.removed@1", data: { worktreeId: "other" } }]);
  const kept = fact("worktree.kept@1", { worktreeId: "tree", work });
  expect(removeWorktree(ended, "tree", [kept])).toEqual([
    kept,
    { type: "worktree.removed@1", data: { worktreeId: "tree" } },
  ]);
});
