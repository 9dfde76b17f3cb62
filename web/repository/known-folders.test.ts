import { expect, test } from "vitest";
import { knownFolders } from "./known-folders.ts";

test("a worktree stands for its repository; each folder is named once, those with a law first", () => {
  const worktrees = [{ repository: "/code/shop", path: "/home/worktrees/a", cwd: "/home/worktrees/a/src" }];
  const workspaces = [{ path: "/code/shop" }, { path: "/code/site" }];
  const sessions = [{ cwd: "/home/worktrees/a/src" }, { cwd: "/code/tools" }, { cwd: "/code/site" }];
  const governed = [
    { root: "/code/tools", state: "governed" },
    { root: "/code/old", state: "removed" },
    { root: null, state: "governed" },
  ];
  const found = knownFolders({ governed, worktrees, workspaces, sessions });
  expect(found).toEqual(["/code/tools", "/code/shop", "/code/site"]);
});
