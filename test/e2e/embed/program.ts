import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { BIN } from "../../support/daemon.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** A folder with a program that has `nomos` installed, as the product of this run. */
export interface Place {
  readonly folder: string;
  readonly home: string;
  readonly run: (file: string, env?: Readonly<Record<string, string>>) => Promise<Ran>;
  /** Starts it and returns without waiting for its end. */
  readonly start: (file: string, env?: Readonly<Record<string, string>>) => ChildProcess;
  readonly write: (file: string, source: string) => Promise<void>;
}

export interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function newPlace(): Promise<Place> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-embed-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await mkdir(join(folder, "node_modules"));
  await symlink(join(dirname(BIN), ".."), join(folder, "node_modules", "nomos"));
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await cp(join(ROOT, "examples"), folder, { recursive: true });
  const home = join(folder, ".my-agent");
  // As at the second start of a program: bubblewrap was tried out before.
  const tried = process.env["NOMOS_TEST_BUBBLEWRAP"];
  await mkdir(join(home, "cache"), { recursive: true, mode: 0o700 });
  if (tried !== undefined) await cp(tried, join(home, "cache", "bubblewrap-works"));
  const start: Place["start"] = (file, env = {}) => {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(NOMOS_|NODE_OPTIONS|VITEST)/.test(name));
    const child = spawn(process.execPath, [file], {
      cwd: folder,
      env: { ...Object.fromEntries(inherited), HOME: folder, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  return {
    folder,
    home,
    start,
    write: (file, source) => writeFile(join(folder, file), source),
    run: async (file, env) => {
      const child = start(file, env);
      const { stdout: out, stderr: err } = child;
      if (out === null || err === null) throw new Error("no pipes");
      const [[exitCode], stdout, stderr] = await Promise.all([once(child, "exit"), text(out), text(err)]);
      return { exitCode, stdout, stderr };
    },
  };
}
