import { LIMITS } from "../limits.ts";
import { ownEntry } from "../own-entry.ts";
import type { Fact } from "./events.ts";
import type { SessionState } from "./state.ts";
import { trimArtifacts, withArtifact } from "./view.ts";

/** The worktree, artifacts, the todo list and snapshots. Null for a fact about something else. */
export function evolveFiles(state: SessionState, fact: Fact): SessionState | null {
  switch (fact.type) {
    case "worktree.created@1":
    case "worktree.attached@1":
      return { ...state, worktree: fact.data.worktreeId };
    case "worktree.removed@1":
      return { ...state, worktree: null };
    case "artifact.written@1": {
      const { path, artifactId, turnId: _turn, ...artifact } = fact.data;
      const view = trimArtifacts(withArtifact(state.view, path, artifactId, artifact));
      const next = Math.max(ownEntry(state.artifactNext, artifactId) ?? 1, artifact.version + 1);
      return trimNumbering({ ...state, view, artifactNext: { ...state.artifactNext, [artifactId]: next } });
    }
    case "todo.replaced@1":
      return { ...state, view: { ...state.view, todo: fact.data.items } };
    case "snapshot.taken@1": {
      const { snapshot, storedBytes } = fact.data;
      const view = { ...state.view, world: { snapshot, skipped: null } };
      return { ...state, view, snapshotBytes: (state.snapshotBytes ?? 0) + storedBytes };
    }
    case "snapshot.skipped@1":
      return { ...state, view: { ...state.view, world: { snapshot: null, skipped: fact.data.code } } };
    case "restore.begun@1":
      return { ...state, restoring: { from: fact.data.from, to: fact.data.to } };
    case "restore.settled@1": {
      const { restoring: _over, ...rest } = state;
      const { outcome, from, to } = fact.data;
      return {
        ...rest,
        view: { ...state.view, world: { snapshot: outcome === "restored" ? to : from, skipped: null } },
      };
    }
    default:
      return null;
  }
}

/** A rewind leaves artifacts behind; their numbers are let go, all at once and under one floor, when they become too many. */
function trimNumbering(state: SessionState): SessionState {
  if (Object.keys(state.artifactNext).length <= LIMITS.artifactIdsMax) return state;
  const numbered = Object.entries(state.artifactNext);
  const shown = new Set(Object.values(state.view.artifacts).map(({ artifactId }) => artifactId));
  const gone = numbered.filter(([artifactId]) => !shown.has(artifactId)).map(([, next]) => next);
  const artifactNext = Object.fromEntries(numbered.filter(([artifactId]) => shown.has(artifactId)));
  return { ...state, artifactNext, artifactFloor: gone.reduce((a, b) => Math.max(a, b), state.artifactFloor) };
}
