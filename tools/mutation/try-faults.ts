import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { copyTree } from "./copy-tree.ts";
import { FAULTS, type Fault } from "./faults.ts";

const run = promisify(execFile);
const OUTPUT_MAX = 64 * 1024 * 1024;

/** Puts each fault into a copy of the tree and runs its tests. Returns those that no test found. */
export async function tryFaults(root: string, say: (line: string) => void): Promise<readonly Fault[]> {
  await using copy = await copyTree(root);
  const missed: Fault[] = [];
  for (const fault of FAULTS) {
    const found = await isFound(copy.path, fault);
    say(`  ${found ? "found " : "MISSED"} ${fault.name}`);
    if (!found) missed.push(fault);
  }
  return missed;
}

async function isFound(cwd: string, { name, file, from, to, project, tests }: Fault): Promise<boolean> {
  const path = join(cwd, file);
  const text = await readFile(path, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${name}: ${file} does not have the text to change exactly once`);
  await writeFile(
    path,
    text.replace(from, () => to),
  );
  const vitest = join(cwd, "node_modules", "vitest", "vitest.mjs");
  try {
    await run(process.execPath, [vitest, "run", "--project", project, "--bail", "1", ...tests], {
      cwd,
      maxBuffer: OUTPUT_MAX,
    });
    return false;
  } catch {
    return true;
  } finally {
    await writeFile(path, text);
  }
}
