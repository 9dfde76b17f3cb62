import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { needs } from "../../../../test/support/needs.ts";
import { proves } from "../../../../test/support/proves.ts";
import { ChangedMeanwhile, doSteps, UNFINISHED } from "./do-steps.ts";
import type { Step } from "./plan-steps.ts";
import { stampOf } from "./take-file.ts";

/** Large enough that somebody can save a file of theirs while it is written. */
const SLOW_BYTES = 64_000_000;

/** Steps that replace two files; `onWritten` is called as soon as the new one of `b` is being written. */
function replacing(onWritten: (path: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), "steps-"));
  const root = join(folder, "root");
  const place = (name: string, text: string | Buffer): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  mkdirSync(root);
  const step = (path: string, content: string): Step => {
    writeFileSync(join(root, path), `old ${path}`);
    const before = { mode: "100644", id: "", content: place(`old-${path}`, `old ${path}`) };
    const stamp = stampOf(lstatSync(join(root, path), { bigint: true }));
    const found = { kind: "taken", entry: { mode: before.mode, id: "" }, copy: before.content, stamp } as const;
    return { path, before: found, after: { mode: "100644", content } };
  };
  const steps = [step("a", place("new-a", "new a")), step("b", place("new-b", Buffer.alloc(SLOW_BYTES, "b")))];
  let unfinished = 0;
  const seen = new Set<string>();
  const watcher = watch(root, (_event, name) => {
    if (name?.startsWith(UNFINISHED) !== true || seen.has(name)) return;
    seen.add(name);
    unfinished += 1;
    if (unfinished === steps.length) onWritten(root);
  });
  const end = (): void => {
    watcher.close();
    rmSync(folder, { recursive: true });
  };
  return { root, steps, [Symbol.dispose]: end };
}

for (const [what, save] of [
  ["writes it", (path: string) => writeFileSync(path, "mine")],
  ["removes it", (path: string) => rmSync(path)],
] as const)
  proves("LH-5", `somebody ${what} while its new version is made: it stays theirs, the rest is undone`, async () => {
    using all = replacing((root) => save(join(root, "b")));
    const { root, steps } = all;
    await expect(doSteps(root, steps)).rejects.toThrow(ChangedMeanwhile);
    const kept = what === "writes it" ? { a: "old a", b: "mine" } : { a: "old a" };
    expect(Object.fromEntries(readdirSync(root).map((name) => [name, readFileSync(join(root, name), "utf8")]))).toEqual(
      kept,
    );
  });

test.skipIf(!needs("mount"))(
  "a folder that may not be written is told by the file, and the rest is undone",
  async () => {
    using all = replacing(() => undefined);
    const { root, steps } = all;
    const locked = join(root, "locked");
    mkdirSync(locked);
    const content = join(root, "a");
    const made: Step = { path: "locked/c", before: { kind: "absent" }, after: { mode: "100644", content } };
    const mount = (...args: readonly string[]) => execFileSync("mount", args, { stdio: "ignore" });
    try {
      mount("-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", locked);
    } catch {
      // Somebody else's namespace may forbid it.
      return;
    }
    try {
      await expect(doSteps(root, [...steps, made])).rejects.toMatchObject({
        code: "worktree_failed",
        path: "locked/c",
      });
      expect(["a", "b"].map((name) => readFileSync(join(root, name), "utf8"))).toEqual(["old a", "old b"]);
    } finally {
      execFileSync("umount", [locked]);
    }
  },
);
