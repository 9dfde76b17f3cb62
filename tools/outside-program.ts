/**
 * Programs that tests run but that are not in the tree: large, or with an install script. Installed on demand, at one
 * exact version and without scripts, into a cache of this user, where the next run finds them.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export const OUTSIDE_PROGRAMS = {
  "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
  "@modelcontextprotocol/inspector": "2.12.0",
} as const;

export type OutsideProgram = keyof typeof OUTSIDE_PROGRAMS;

const INSTALL_TIMEOUT_MS = 300_000;

/** The path of the program's file, to be run by Node. Rejects when it is missing and cannot be fetched. */
export async function outsideProgram(name: OutsideProgram): Promise<string> {
  const folder = join(cacheRoot(), `${name.replace("/", "+")}@${OUTSIDE_PROGRAMS[name]}`);
  const home = join(folder, "node_modules", name);
  if (!existsSync(join(home, "package.json"))) await install(folder, name);
  const manifest: { readonly bin: string | Readonly<Record<string, string>> } = JSON.parse(
    await readFile(join(home, "package.json"), "utf8"),
  );
  const [bin] = typeof manifest.bin === "string" ? [manifest.bin] : Object.values(manifest.bin);
  if (bin === undefined) throw new Error(`${name} is no program`);
  return join(home, bin);
}

function cacheRoot(): string {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "nomos-tools");
}

async function install(folder: string, name: OutsideProgram): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${OUTSIDE_PROGRAMS[name]}`];
  await promisify(execFile)("npm", args, { cwd: folder, timeout: INSTALL_TIMEOUT_MS });
}
