import { expect, test } from "vitest";
import { type Decision, evolveBy, foldAll, isRefusal } from "../../kernel/index.ts";
import { NEW_SYSTEM, System, type SystemState, systemFact } from "./system.ts";
import {
  addWorkspace,
  NO_WORKSPACES,
  removeWorkspace,
  useWorkspace,
  WORKSPACE_LIMITS,
  type Workspaces,
} from "./workspaces.ts";

test("workspaces: the first becomes active, a change keeps the date it was added, removing the active one leaves none active", () => {
  let state: Workspaces = NO_WORKSPACES;
  const apply = (decision: Decision, at: string): void => {
    if (isRefusal(decision)) throw new Error(decision.refused);
    const before = { ...NEW_SYSTEM, workspaces: state };
    const { state: after } = foldAll(
      System,
      "",
      before,
      decision.map((fact) => ({ id: "e", version: 1, at, fact })),
    );
    state = after.workspaces ?? expect.fail("a system that had workspaces has them");
  };
  apply(addWorkspace(state, { slug: "a", path: "/a", label: null }), "1");
  apply(addWorkspace(state, { slug: "b", path: "/b", label: null }), "2");
  expect(state.active).toBe("a");
  apply(addWorkspace(state, { slug: "a", path: "/c", label: "x" }), "3");
  expect(state.list[0]).toEqual({ slug: "a", path: "/c", label: "x", addedAt: "1", updatedAt: "3" });
  expect(addWorkspace(state, { slug: "a", path: "/c", label: "x" })).toEqual([]);
  apply(useWorkspace(state, "b"), "4");
  expect(useWorkspace(state, "b")).toEqual([]);
  apply(removeWorkspace(state, "b"), "5");
  expect(state.active).toBeNull();
  expect(removeWorkspace(state, "b")).toMatchObject({ refused: "workspace_not_found" });
  expect(addWorkspace(state, { slug: "default", path: "/", label: null })).toMatchObject({
    refused: "workspace_reserved",
  });
  const full = {
    ...state,
    list: Array.from({ length: WORKSPACE_LIMITS.workspacesMax.max }, (_, n) => ({
      slug: `w${n}`,
      path: "/",
      label: null,
      addedAt: "",
      updatedAt: "",
    })),
  };
  expect(addWorkspace(full, { slug: "more", path: "/", label: null })).toMatchObject({ refused: "workspace_limit" });
  const foreign = { id: "e", version: 1, at: "", fact: { type: "token.revoked@1", data: {} } };
  expect(evolveBy(System, { ...NEW_SYSTEM, workspaces: state }, foreign).workspaces).toBe(state);
});

test("a fold stored before workspaces existed can record them", () => {
  const kept: SystemState = { version: 4, lease: { at: "free", version: 4, lastFence: 2 }, defaultAgent: null };
  const used = systemFact("workspace.used@1", { slug: "w" });
  expect(evolveBy(System, kept, { id: "e", version: 5, at: "", fact: used }).workspaces).toEqual({
    list: [],
    active: "w",
  });
  const other = systemFact("agent.defaulted@1", { slug: "demo" });
  expect(evolveBy(System, kept, { id: "e", version: 5, at: "", fact: other })).not.toHaveProperty("workspaces");
});
