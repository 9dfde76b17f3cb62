import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { confinePath } from "./confine-path.ts";

const directory = realpathSync(mkdtempSync(join(tmpdir(), "confine-")));
const root = join(directory, "root");
afterAll(() => rmSync(directory, { recursive: true }));

mkdirSync(join(root, "sub", "deep"), { recursive: true });
mkdirSync(join(directory, "root-not"));
writeFileSync(join(directory, "outside"), "");
writeFileSync(join(root, "file"), "");
const links = {
  inner: "sub",
  out: "..",
  absolute: directory,
  "to-nothing-outside": "../not-yet",
  "to-nothing-inside": "sub/not-yet",
  chain: "chain-2",
  "chain-2": "sub/../../outside",
  loop: "loop",
  "deep-link": join(root, "sub", "deep"),
};
for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
symlinkSync(root, join(directory, "root-link"));

test.each([
  [".", ""],
  ["file", "file"],
  ["./sub//deep/../x", "sub/x"],
  ["new/folder/file", "new/folder/file"],
  ["new/../file", "file"],
  ["inner/x", "sub/x"],
  ["to-nothing-inside", "sub/not-yet"],
  ["deep-link/../y", "sub/y"],
  ["sub/../../root/file", "file"],
  ["...", "..."],
  ["..file", "..file"],
  ["file/below-a-file", "file/below-a-file"],
])("%s is inside", (path, place) => {
  expect(confinePath(root, path)).toBe(join(root, place));
  expect(confinePath(root, `${root}/${path}`)).toBe(join(root, place));
  expect(confinePath(join(directory, "root-link"), path)).toBe(join(root, place));
});

test.each([
  "..",
  "../outside",
  "../root-not/file",
  "sub/../../outside",
  "out/outside",
  "inner/../../outside",
  "absolute/outside",
  "to-nothing-outside",
  "chain",
  "deep-link/../../../outside",
  "loop",
  "missing/../../outside",
  "/etc/passwd",
  "/",
])("%s is outside", (path) => {
  expect(() => confinePath(root, path)).toThrow(expect.objectContaining({ code: "path_outside" }));
});

test("a NUL byte is refused", () => {
  expect(() => confinePath(root, "file\0.txt")).toThrow(expect.objectContaining({ code: "path_invalid" }));
});
