import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { proves } from "../../test/support/proves.ts";
import { systemFiles } from "./files.ts";

let directory = "";
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "files-")));
  mkdirSync(join(directory, "home"));
  writeFileSync(join(directory, "home", "token"), "secret");
});
afterEach(() => rmSync(directory, { recursive: true }));

proves("WL-26", "a session's directory that became a link to the home: nothing is read or written", async () => {
  const root = join(directory, "work");
  symlinkSync(join(directory, "home"), root);
  await expect(systemFiles().read(root, "token", 100)).rejects.toMatchObject({ code: "path_outside" });
  await expect(systemFiles().write(root, "config.json", "{}")).rejects.toMatchObject({ code: "path_outside" });
  expect(existsSync(join(directory, "home", "config.json"))).toBe(false);
});

test("folders are made, links inside of the root are followed, and what is no file is refused", async () => {
  const root = join(directory, "work");
  mkdirSync(root);
  await systemFiles().write(root, "a/b/c.txt", "text");
  symlinkSync("a/b", join(root, "link"));
  await systemFiles().write(root, "link/d.txt", "linked");
  expect(readFileSync(join(root, "a", "b", "d.txt"), "utf8")).toBe("linked");
  expect(await systemFiles().read(root, "link/c.txt", 4)).toBe("text");
  await expect(systemFiles().read(root, "a", 100)).rejects.toMatchObject({ code: "path_invalid" });
  await expect(systemFiles().read(root, "a/b/c.txt", 3)).rejects.toMatchObject({ code: "file_too_large" });
});
