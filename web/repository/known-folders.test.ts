import { expect, test } from "vitest";
import { knownFolders } from "./known-folders.ts";

test("a worktree stands for its repository; each folder is named once", () => {
  const worktrees = [{ repository: "/code/shop", path: "/home/worktrees/a", cwd: "/home/worktrees/a/src" }];
  const workspaces = [{ path: "/code/shop" }, { path: "/code/site" }];
  const sessions = [{ cwd: "/home/worktrees/a/src" }, { cwd: "/code/tools" }, { cwd: "/code/site" }];
  expect(knownFolders({ worktrees, workspaces, sessions })).toEqual(["/code/shop", "/code/site", "/code/tools"]);
});
