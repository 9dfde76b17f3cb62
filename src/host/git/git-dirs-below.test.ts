import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { gitDirsBelow } from "./git-dirs-below.ts";

proves("WL-13", "whoever looks for git dirs says when there was more than is looked at", () => {
  const root = mkdtempSync(join(tmpdir(), "nomos-git-dirs-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const make = (path: string) => mkdirSync(join(root, path), { recursive: true });
  for (let n = 0; n < 3; n += 1) make(`r${n}/.git`);
  expect(gitDirsBelow(root)).toEqual({ found: ["r0/.git", "r1/.git", "r2/.git"], links: [], isWhole: true });
  make("a/b/c/d/e/f/.git");
  expect(gitDirsBelow(root)).toMatchObject({ isWhole: false });
  rmSync(join(root, "a"), { recursive: true });
  for (let n = 3; n < 70; n += 1) make(`r${n}/.git`);
  expect(gitDirsBelow(root).isWhole).toBe(false);
});
