import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { sampled } from "./sampled.ts";
import { makeTestHome } from "./store-home.ts";

const SCRIPT = fileURLToPath(new URL("../crash/store/scripted-writer.ts", import.meta.url));
const PROOF = fileURLToPath(new URL("../crash/store/prove-intact.ts", import.meta.url));
const ROUNDS = 5;

export type Syscall = "fsync" | "pwrite64" | "ftruncate";

export interface Outcome {
  /** The program's output, line by line. */
  readonly lines: readonly string[];
  readonly exitCode: number | null;
  readonly home: string;
}

/** Runs the scripted writer with a fault injected by strace, only on the files of the log. */
export async function runWithFault(home: string, inject: string): Promise<Outcome> {
  return runTraced(home, ["-o", "/dev/null", "-e", `inject=${inject}`]);
}

/** How often each system call is made in a run without faults. */
export async function countCalls(): Promise<ReadonlyMap<Syscall, number>> {
  await using home = await makeTestHome();
  const trace = join(home.path, "trace");
  const outcome = await runTraced(join(home.path, "home"), ["-o", trace]);
  expect(outcome.lines.at(-1)).toBe("done");
  const traced = await readFile(trace, "utf8");
  const calls: readonly Syscall[] = ["fsync", "pwrite64", "ftruncate"];
  return new Map(calls.map((call) => [call, traced.split("\n").filter((line) => line.includes(` ${call}(`)).length]));
}

function runTraced(home: string, options: readonly string[]): Promise<Outcome> {
  const paths = ["log.db", "log.db-wal"].flatMap((name) => ["-P", join(home, name)]);
  // Faster, but an injected signal would then not be delivered.
  const fast = options.some((option) => option.includes("signal=")) ? [] : ["--seccomp-bpf"];
  const traced = ["-f", ...fast, "-qq", "-e", "trace=fsync,pwrite64,ftruncate", ...paths, ...options];
  return run("strace", [...traced, process.execPath, SCRIPT, home, String(ROUNDS)], home);
}

function run(command: string, args: readonly string[], home: string): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    out += piece;
  });
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    err += piece;
  });
  child.on("error", reject);
  child.on("close", (exitCode) => {
    if (exitCode !== null && exitCode !== 0 && exitCode < 70) reject(new Error(`exit ${exitCode}: ${err}${out}`));
    else resolve({ lines: out.split("\n").filter((line) => line !== ""), exitCode, home });
  });
  return promise;
}

/** Spread over a run: the first, the last and some in between. */
export function spread(of: number, samples: number): readonly number[] {
  const count = sampled(of, Math.min(samples, of));
  return Array.from({ length: count }, (_, n) => 1 + Math.round((n * (of - 1)) / Math.max(1, count - 1)));
}

/** Two at a time: the number of cores of a small machine. */
export async function forEachFault(faults: readonly number[], prove: (n: number) => Promise<void>): Promise<void> {
  const left = [...faults];
  const work = async (): Promise<void> => {
    for (let n = left.shift(); n !== undefined; n = left.shift()) await prove(n);
  };
  await Promise.all([work(), work()]);
}

/**
 * Each fault must end the program as expected. The number of calls varies a little with group commit, so a late fault
 * may hit nothing; that run must end well, and must be the exception.
 */
export async function forEachFatalFault(
  faults: readonly number[],
  inject: (n: number) => string,
  proveEnd: (outcome: Outcome) => void,
): Promise<void> {
  let missed = 0;
  await forEachFault(faults, async (n) => {
    await using home = await makeTestHome();
    const outcome = await runWithFault(home.path, inject(n));
    if (outcome.lines.at(-1) === "done" && n > Math.max(...faults) / 2) missed += 1;
    else proveEnd(outcome);
    await proveIntact(outcome);
  });
  expect(missed, "faults that struck nothing").toBeLessThan(faults.length / 2);
}

/** After a restart without faults: nothing acknowledged is lost, nothing is half there, and it goes on. */
export async function proveIntact({ lines, home }: Outcome): Promise<void> {
  const child = spawn(process.execPath, [PROOF, home], { stdio: ["pipe", "inherit", "pipe"] });
  child.stdin.end(lines.join("\n"));
  const [said, [exitCode, signal]] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect({ exitCode, signal, said }).toMatchObject({ exitCode: 0, signal: null });
}
