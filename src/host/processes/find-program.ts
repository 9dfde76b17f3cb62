import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import { UNREACHABLE, unless } from "../errno.ts";

/** The files that `name` could mean, best first, in the order of a shell's search. */
export function findProgram(name: string, where: { searchPath: string; cwd: string }): string[] {
  const candidates = name.includes("/")
    ? [name]
    : where.searchPath.split(":").map((entry) => `${entry || "."}/${name}`);
  return candidates.map((candidate) => resolve(where.cwd, candidate)).filter(isExecutable);
}

function isExecutable(path: string): boolean {
  return (
    unless(UNREACHABLE, () => {
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    }) ?? false
  );
}
