import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../../test/support/rehearsal.ts";
import { isAlive, processIdentity } from "./pid-identity.ts";

test("this process is alive and has the same identity at each look", () => {
  const identity = processIdentity(process.pid);
  expect(identity).toEqual({ pid: process.pid, startTime: expect.stringMatching(/./) });
  expect(processIdentity(process.pid)).toEqual(identity);
  expect(identity && isAlive(identity)).toBe(true);
});

test("another process with a reused pid has another identity", () => {
  expect(isAlive({ pid: process.pid, startTime: "1@another-boot" })).toBe(false);
});

test.each([0, -1, 1.5, Number.NaN, 2 ** 31])("%s is not a valid pid", (pid) => {
  expect(processIdentity(pid)).toBeNull();
});

test("a process counts as dead once it has ended, also while it is a zombie", async () => {
  // The shell is replaced by a program that never waits for the shell's child.
  const parent = spawn("/bin/sh", ["-c", "sleep 0.2 & echo $!; exec sleep 1000"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const pid = await new Promise<number>((resolve) => parent.stdout.once("data", (text) => resolve(Number(text))));
  const identity = processIdentity(pid);
  expect(identity && isAlive(identity)).toBe(true);
  await eventually(() => identity && !isAlive(identity));
  expect(process.kill(pid, 0)).toBe(true);
  expect(processIdentity(pid)).toBeNull();
  parent.kill("SIGKILL");
});

test("a program whose name looks like the rest of the stat line is parsed correctly", async () => {
  const directory = mkdtempSync(join(tmpdir(), "identity-"));
  const program = join(directory, ") Z 1 1 (");
  copyFileSync("/bin/sleep", program);
  const child = spawn(program, ["1000"]);
  await new Promise((resolve) => child.once("spawn", resolve));
  const identity = processIdentity(child.pid ?? 0);
  expect(identity && isAlive(identity)).toBe(true);
  expect(identity?.startTime).toMatch(/^\d{2,}@/);
  child.kill("SIGKILL");
  await eventually(() => identity && !isAlive(identity));
  rmSync(directory, { recursive: true });
});
