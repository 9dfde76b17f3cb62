import { expect, test } from "vitest";
import { byFolder } from "./by-folder.ts";

test("changed files: grouped by their folder, folders and files a to z", () => {
  const files = ["src/b.ts", "README.md", "src/a.ts", "src/deep/c.ts"].map((path) => ({ path }));
  expect(byFolder(files)).toEqual([
    { folder: "", files: [{ path: "README.md" }] },
    { folder: "src", files: [{ path: "src/a.ts" }, { path: "src/b.ts" }] },
    { folder: "src/deep", files: [{ path: "src/deep/c.ts" }] },
  ]);
  expect(byFolder([])).toEqual([]);
});
