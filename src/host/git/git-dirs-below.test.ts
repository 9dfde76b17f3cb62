import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { gitDirsBelow } from "./git-dirs-below.ts";

function folder(): { readonly root: string; readonly make: (path: string) => void } {
  const root = mkdtempSync(join(tmpdir(), "nomos-git-dirs-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return { root, make: (path) => void mkdirSync(join(root, path), { recursive: true }) };
}

proves("WL-13", "git dirs are found in every folder, whatever its name and depth", () => {
  const { root, make } = folder();
  const places = ["node_modules/a", "node_modules/@b/c/node_modules/d", "x/node_modules", "a/b/c/d/e/f/g/h", "vendor"];
  for (const place of places) make(`${place}/.git`);
  for (const part of ["objects", "refs"]) make(`node_modules/bare/${part}`);
  writeFileSync(join(root, "node_modules/bare/HEAD"), "");
  make("file");
  writeFileSync(join(root, "file/.git"), "gitdir: ../elsewhere\n");
  make("capitals/.GIT");
  make("linked");
  symlinkSync("../vendor/.git", join(root, "linked/.git"));
  make("home/worktrees/x/tree/.git");
  const seen = gitDirsBelow(root, join(root, "home"));
  const expected = [...places.map((place) => `${place}/.git`), "node_modules/bare", "file/.git", "capitals/.GIT"];
  expect([...seen.found].sort()).toEqual(expected.sort());
  expect(seen).toMatchObject({ links: ["linked/.git"], isWhole: true, unseen: [] });
});

proves("WL-13", "a search that reaches its limit says so, and where", () => {
  const { root, make } = folder();
  for (let n = 0; n < 3; n += 1) make(`r${n}/.git`);
  expect(gitDirsBelow(root)).toMatchObject({ found: ["r0/.git", "r1/.git", "r2/.git"], links: [], isWhole: true });
  const deep = Array.from({ length: 40 }, () => "d").join("/");
  make(`${deep}/.git`);
  expect(gitDirsBelow(root)).toMatchObject({ isWhole: false, unseen: [deep.slice(0, 33 * 2 - 1)] });
  rmSync(join(root, "d"), { recursive: true });
  for (let n = 3; n < 260; n += 1) make(`r${n}/.git`);
  make("node_modules/x/.git");
  const { isWhole, unseen } = gitDirsBelow(root);
  expect([isWhole, unseen.length, unseen.at(-1)]).toEqual([false, 5, "node_modules"]);
});

proves.where(process.getuid?.() !== 0)(
  "WL-13",
  "a folder that cannot be read is reported: its owner could open it",
  () => {
    const { root, make } = folder();
    make("closed/.git");
    chmodSync(join(root, "closed"), 0);
    expect(gitDirsBelow(root)).toMatchObject({ isWhole: false, unseen: ["closed"] });
    chmodSync(join(root, "closed"), 0o700);
  },
);
