import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { canHoldFolders, type HeldFolder, holdFile, holdFolder } from "./held-folder.ts";

let root = "";
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "held-")));
  await mkdir(join(root, "work/inner"), { recursive: true });
  await mkdir(join(root, "home"));
  await writeFile(join(root, "work/inner/own.txt"), "own");
  await writeFile(join(root, "home/own.txt"), "secret");
});
afterEach(() => rm(root, { recursive: true }));

test("a held folder that is exchanged for a link stays the folder that was opened", async () => {
  expect(canHoldFolders()).toBe(true);
  await using work = await held(join(root, "work"));
  await using inner = await work.enter("inner");
  await rename(join(root, "work"), join(root, "moved"));
  await symlink(join(root, "home"), join(root, "work"));
  expect((await inner.list()).map(({ name }) => name.toString())).toEqual(["own.txt"]);
  await using file = await inner.open("own.txt");
  expect(await file.readFile("utf8")).toBe("own");
  await writeFile(inner.at("new.txt"), "written");
  await inner.flush();
  expect(await readFile(join(root, "moved/inner/new.txt"), "utf8")).toBe("written");
  expect((await inner.stat()).isDirectory()).toBe(true);
});

test("a link on the way to a folder or a file, or in its place, is not followed", async () => {
  await symlink(join(root, "work"), join(root, "link"));
  await symlink(join(root, "home"), join(root, "work/out"));
  await symlink(join(root, "home/own.txt"), join(root, "work/inner/out.txt"));
  for (const path of ["link", "link/inner", "work/out"]) expect(await holdFolder(join(root, path))).toBeNull();
  expect(await holdFile(join(root, "link/inner/own.txt"))).toBeNull();
  await using work = await held(join(root, "work"));
  expect(await work.inner("out")).toBeNull();
  await expect(work.enter("out")).rejects.toMatchObject({ code: "ENOTDIR" });
  await using inner = await work.enter("inner");
  expect(await inner.file("out.txt")).toBeNull();
  await expect(inner.open("out.txt")).rejects.toMatchObject({ code: "ELOOP" });
});

test("what is not there is null, or an error that says so", async () => {
  await using work = await held(join(root, "work"));
  expect([await work.inner("gone"), await work.file("gone"), await work.file("inner")]).toEqual([null, null, null]);
  await expect(work.enter("gone")).rejects.toMatchObject({ code: "ENOENT" });
  await expect(work.open("gone")).rejects.toMatchObject({ code: "ENOENT" });
});

async function held(path: string): Promise<HeldFolder> {
  return (await holdFolder(path)) ?? expect.fail(`${path} cannot be held`);
}
