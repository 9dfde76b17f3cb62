import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { copyTree } from "./copy-tree.ts";
import type { Fault } from "./fault.ts";
import { FAULTS } from "./faults.ts";

const run = promisify(execFile);
const OUTPUT_MAX = 64 * 1024 * 1024;

/**
 * Puts each fault into a copy of the tree and runs its tests. Returns those that no test found, and those whose tests
 * fail without it: they say nothing about the fault.
 */
export async function tryFaults(root: string, say: (line: string) => void): Promise<readonly Fault[]> {
  await using copy = await copyTree(root);
  const missed: Fault[] = [];
  const passing = new Set<string>();
  for (const fault of FAULTS) {
    const tests = [fault.project, ...fault.tests].join(" ");
    if (passing.has(tests) || (await pass(copy.path, fault))) passing.add(tests);
    const found = passing.has(tests) && (await isFound(copy.path, fault));
    const verdict = found ? "found " : passing.has(tests) ? "MISSED" : "FAILS WITHOUT IT";
    say(`  ${verdict} ${fault.name}`);
    if (!found) missed.push(fault);
  }
  return missed;
}

async function isFound(cwd: string, fault: Fault): Promise<boolean> {
  const path = join(cwd, fault.file);
  const text = await readFile(path, "utf8");
  if (text.split(fault.from).length !== 2)
    throw new Error(`${fault.name}: the text to change is not in ${fault.file} exactly once`);
  await writeFile(
    path,
    text.replace(fault.from, () => fault.to),
  );
  try {
    return !(await pass(cwd, fault));
  } finally {
    await writeFile(path, text);
  }
}

async function pass(cwd: string, { project, tests }: Fault): Promise<boolean> {
  const vitest = join(cwd, "node_modules", "vitest", "vitest.mjs");
  const argv = [vitest, "run", "--project", project === "unit" ? "unit*" : project, "--bail", "1", ...tests];
  return run(process.execPath, argv, { cwd, maxBuffer: OUTPUT_MAX }).then(
    () => true,
    () => false,
  );
}
