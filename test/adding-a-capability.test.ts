import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { LAYERS } from "../layers.ts";
import { inspectTree } from "./architecture/inspect-tree.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGE = "docs/adding-a-capability.md";
const COPIED = ["bin", "docs", "packages", "src", "test", "tools", "web", "GLOSSARY.md", "layers.ts", "package.json"];
const run = promisify(execFile);

/** A step of the page: a new file, or lines put at a place of an existing one. */
interface Step {
  readonly file: string;
  readonly text: string;
  readonly how: "file" | "after" | "before" | "replace";
  readonly place: string;
}

function stepsOf(page: string): readonly Step[] {
  return [...page.matchAll(/^```\w+ (file|in)=(\S+)(?: (after|before|replace)=(.+))?\n([\s\S]*?)^```$/gm)].map(
    ([, , file = "", how, place = "", text = ""]): Step => ({
      file,
      text,
      how: how === "after" || how === "before" || how === "replace" ? how : "file",
      place,
    }),
  );
}

function apply(root: string, { file, text, how, place }: Step): void {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  if (how === "file") {
    writeFileSync(path, text);
    return;
  }
  const before = readFileSync(path, "utf8");
  const at = before.indexOf(place);
  expect(at, `${file} has "${place}"`).toBeGreaterThan(-1);
  expect(before.indexOf(place, at + 1), `${file} has "${place}" once`).toBe(-1);
  const lineEnd = before.indexOf("\n", at) + 1;
  const lineStart = before.lastIndexOf("\n", at) + 1;
  const changed = {
    after: () => before.slice(0, lineEnd) + text + before.slice(lineEnd),
    before: () => before.slice(0, lineStart) + text + before.slice(lineStart),
    replace: () => before.replace(place, text.trimEnd()),
  }[how]();
  writeFileSync(path, changed);
}

test("the worked example, applied to a copy of the repository, keeps the rules and works from the command line", async () => {
  const copy = mkdtempSync(join(tmpdir(), "nomos-worked-"));
  try {
    for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    const steps = stepsOf(readFileSync(join(ROOT, PAGE), "utf8"));
    expect(steps.length).toBeGreaterThan(10);
    for (const step of steps) apply(copy, step);
    expect(inspectTree(copy, LAYERS).map(({ rule, file, message }) => `${rule} ${file} ${message}`)).toEqual([]);

    await run(process.execPath, [join(copy, "tools/docs.ts")], { cwd: copy });
    const env = { ...process.env, NOMOS_HOME: join(copy, "home"), NOMOS_PORT: "0" };
    const nomos = async (...args: string[]) =>
      JSON.parse((await run(process.execPath, [join(copy, "bin/nomos.js"), ...args, "--json"], { env })).stdout);
    try {
      const eventId = "01a1de6f-5668-70a6-8d2b-a806e477c293";
      expect(await nomos("bookmark", "add", "first", eventId)).toEqual({ name: "first", eventId });
      await expect(nomos("bookmark", "add", "first", eventId)).rejects.toMatchObject({
        code: 5,
        stdout: expect.stringContaining("bookmark_exists"),
      });
      expect(await nomos("bookmark", "list")).toEqual({ bookmarks: [{ name: "first", eventId }] });
      expect(await nomos("doctor", "--rebuild")).toMatchObject({ ok: true });
    } finally {
      await run(process.execPath, [join(copy, "bin/nomos.js"), "down"], { env });
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}, 120_000);
