import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { hiddenPaths } from "./hidden-paths.ts";

// sandbox.test.ts tests real mounts; this file tests cases that are hard to set up on a machine.
const directory = realpathSync(mkdtempSync(join(tmpdir(), "hidden-")));
const home = join(directory, "the home");
mkdirSync(join(home, "vault"), { recursive: true });
for (const name of ["another", "odd name\\", "a-file"]) {
  if (name === "a-file") writeFileSync(join(directory, name), "");
  else mkdirSync(join(directory, name));
}
afterAll(() => rmSync(directory, { recursive: true }));

test("the home itself is hidden, whatever is mounted", () => {
  expect(hiddenPaths(home)).toContainEqual({ path: home, kind: "directory" });
  expect(hiddenPaths(home, "")).toEqual([{ path: home, kind: "directory" }]);
});

test("a mount below another mount does not hide what is mounted on top", () => {
  const mounts = [mount("/", "/"), mount(home, join(directory, "another"))];
  expect(hiddenPaths(home, mounts.join("\n"))).toEqual([{ path: home, kind: "directory" }]);
});

test("mounts of parts of the home, directories and files, also with odd names, are hidden", () => {
  const mounts = [
    mount("/", "/"),
    mount(join(home, "vault"), join(directory, "odd name\\")),
    mount(join(home, "vault", "key"), join(directory, "a-file")),
    mount(join(home, "gone"), join(directory, "no longer there")),
    mount(`${home}-not`, join(directory, "another")),
  ];
  expect(hiddenPaths(home, mounts.join("\n"))).toEqual([
    { path: home, kind: "directory" },
    { path: join(directory, "odd name\\"), kind: "directory" },
    { path: join(directory, "a-file"), kind: "file" },
  ]);
});

test("the same path on another file system is not hidden", () => {
  const mounts = [mount("/", "/"), mount(join(home, "vault"), join(directory, "another"), "9:9")];
  expect(hiddenPaths(home, mounts.join("\n"))).toEqual([{ path: home, kind: "directory" }]);
});

test("a path below a hidden one needs no mount of its own", () => {
  const mounts = [mount("/", "/"), mount(join(home, "vault"), join(home, "vault"))];
  expect(hiddenPaths(home, mounts.join("\n"))).toEqual([{ path: home, kind: "directory" }]);
});

function mount(root: string, point: string, device = "8:1"): string {
  const encoded = [root, point].map((path) => path.replaceAll("\\", "\\134").replaceAll(" ", "\\040"));
  return `36 35 ${device} ${encoded.join(" ")} rw,noatime master:1 - ext4 /dev/root rw`;
}
