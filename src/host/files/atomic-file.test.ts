import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { writeFileAtomic } from "./atomic-file.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "atomic-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

test("the file gets the requested mode, by default owner only, whatever the umask", async () => {
  const umask = process.umask(0o077);
  await writeFileAtomic(join(directory, "token"), "t");
  await writeFileAtomic(join(directory, "page"), new Uint8Array([0, 255]), { mode: 0o644 });
  process.umask(umask);
  expect(statSync(join(directory, "token")).mode & 0o777).toBe(0o600);
  expect(statSync(join(directory, "page")).mode & 0o777).toBe(0o644);
  expect([...readFileSync(join(directory, "page"))]).toEqual([0, 255]);
});

test("a reader during a write sees the old file or the new one, never a part", async () => {
  const path = join(directory, "file");
  const versions = ["a", "b"].map((letter) => letter.repeat(1_000_000));
  writeFileSync(path, "a".repeat(1_000_000));
  let done = false;
  const writing = (async () => {
    for (let i = 0; i < 40; i += 1) await writeFileAtomic(path, versions[i % 2] ?? "");
    done = true;
  })();
  while (!done) {
    expect(versions).toContain(readFileSync(path, "utf8"));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writing;
});

test("concurrent writers do not disturb each other", async () => {
  const path = join(directory, "file");
  await Promise.all(Array.from({ length: 20 }, (_, i) => writeFileAtomic(path, `${i}`.repeat(10_000))));
  expect(new Set(readFileSync(path, "utf8").match(/../g)).size).toBeLessThanOrEqual(2);
  expect(readdirSync(directory)).toEqual(["file"]);
});

test("a failed write leaves the old file and no temporary file", async () => {
  mkdirSync(join(directory, "taken", "full"), { recursive: true });
  await expect(writeFileAtomic(join(directory, "taken"), "x")).rejects.toThrow();
  await expect(writeFileAtomic(join(directory, "missing", "file"), "x")).rejects.toThrow(/ENOENT/);
  expect(readdirSync(directory)).toEqual(["taken"]);
});

test("a symlink is replaced, and its target is left alone", async () => {
  writeFileSync(join(directory, "target"), "old");
  symlinkSync("target", join(directory, "link"));
  await writeFileAtomic(join(directory, "link"), "new");
  expect(readFileSync(join(directory, "target"), "utf8")).toBe("old");
  expect(readFileSync(join(directory, "link"), "utf8")).toBe("new");
});

test.skipIf(!needs("strace"))("a flush that fails below Node fails the write, and the old file stays", () => {
  writeFileSync(join(directory, "file"), "old");
  const program = `
    import { writeFileAtomic } from ${JSON.stringify(new URL("./atomic-file.ts", import.meta.url))};
    await writeFileAtomic(process.argv[2], "new").then(() => console.log("written"), (error) => console.log(error.code));`;
  const strace = ["-f", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:error=EIO:when=1"];
  const node = [process.execPath, "--input-type=module", "-", join(directory, "file")];
  const stdout = execFileSync("/bin/sh", ["-c", 'exec strace "$@"', "sh", ...strace, ...node], {
    input: program,
    encoding: "utf8",
  });
  expect(stdout).toBe("EIO\n");
  expect(readdirSync(directory)).toEqual(["file"]);
  expect(readFileSync(join(directory, "file"), "utf8")).toBe("old");
});
