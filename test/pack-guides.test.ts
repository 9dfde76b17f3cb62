import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { BIN, newHome } from "./support/daemon.ts";

const ROOT = join(import.meta.dirname, "..");
const FIRST_ID = `node -pe 'JSON.parse(fs.readFileSync(0)).sessions[0].id'`;
const PAGES = globSync(["*.md", "docs/**/*.md", "packages/*/*.md"], { cwd: ROOT }).toSorted();

describe("commands on a page work as printed", () => {
  const GUIDE_TIMEOUT_MS = 120_000;
  /** Steps done before: `npm start` cannot run beside other tests, because it needs its port. */
  const before: { readonly [page: string]: string } = {
    "README.md": `nomos wait $(nomos up --detach --tour > /dev/null; nomos ps --json | ${FIRST_ID}) > /dev/null`,
  };
  const runnable = PAGES.filter((page) => blocksOf(page).some(({ role }) => role === "run"));

  test("the tour and the guides run", () => {
    expect(runnable).toEqual(expect.arrayContaining(["README.md", "docs/guide/getting-started.md"]));
  });

  for (const page of runnable)
    test(
      page,
      async () => {
        const blocks = blocksOf(page);
        const place = await realpath(await mkdtemp(join(tmpdir(), "nomos-guide-")));
        onTestFinished(() => rm(place, { recursive: true, force: true }));
        await writeFiles(place, blocks);
        const commands = blocks.filter(({ role }) => role === "run").map(({ body }) => body);
        const printed = await runShell(place, [before[page] ?? ":", ...commands]);
        let at = 0;
        for (const { role, body } of blocks) {
          if (role === "run") at += 1;
          if (role === "output") expect(printed[at]?.trim()).toMatch(asPattern(body.trim()));
        }
      },
      GUIDE_TIMEOUT_MS,
    );
});

interface Block {
  /** `sh run` is executed, `text output` is compared with the block before, `ts file=name` is written first. */
  readonly role: "run" | "output" | "file" | "shown";
  readonly name: string;
  readonly body: string;
}

function blocksOf(page: string): readonly Block[] {
  return [...readFileSync(join(ROOT, page), "utf8").matchAll(/^```(\w*) ?([^\n]*)\n([\s\S]*?)^```$/gm)].map(
    ([, , mark = "", body = ""]) => {
      if (mark === "run" || mark === "output") return { role: mark, name: "", body };
      return mark.startsWith("file=") ? { role: "file", name: mark.slice(5), body } : { role: "shown", name: "", body };
    },
  );
}

async function writeFiles(place: string, blocks: readonly Block[]): Promise<void> {
  await mkdir(join(place, "bin"));
  await mkdir(join(place, "work"));
  const shim = `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`;
  await writeFile(join(place, "bin", "nomos"), shim, { mode: 0o755 });
  // `nomos/client`, as an installed package has it.
  await mkdir(join(place, "node_modules"));
  await symlink(join(dirname(BIN), ".."), join(place, "node_modules", "nomos"));
  for (const { role, name, body } of blocks) if (role === "file") await writeFile(join(place, "work", name), body);
}

/** Runs all commands in one shell and returns the output of each. The first failure ends it. */
async function runShell(place: string, commands: readonly string[]): Promise<readonly string[]> {
  const mark = "--- next command ---";
  const script = ["set -euo pipefail", ...commands.map((command) => `${command}\necho "${mark}"`)].join("\n");
  const inherited = Object.entries(process.env).filter(([name]) => !/^(NOMOS_|NODE_OPTIONS|VITEST)/.test(name));
  const path = [join(place, "bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const env = { ...Object.fromEntries(inherited), NOMOS_HOME: await newHome(), NOMOS_PORT: "0", PATH: path };
  const shell = spawn("bash", ["-c", script], { cwd: join(place, "work"), env, stdio: ["ignore", "pipe", "pipe"] });
  const [[exitCode], stdout, stderr] = await Promise.all([once(shell, "exit"), text(shell.stdout), text(shell.stderr)]);
  expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
  return stdout.split(`${mark}\n`);
}

/** `…` matches anything; all other text is literal. */
function asPattern(expected: string): RegExp {
  const parts = expected.split("…").map(escaped);
  return new RegExp(`^${parts.join("[\\s\\S]*")}$`);
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
