import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder with its missing parents; returns the first one made, if any. Replaces Node's `recursive` option,
 * which loops for ever below a folder that accepts no new entry, such as `/proc` or a deleted folder.
 */
export function makeFolders(path: string, mode = 0o700): string | undefined {
  try {
    mkdirSync(path, { mode });
    return path;
  } catch (thrown) {
    const above = dirname(path);
    if (codeOf(thrown) === "EEXIST" && isFolder(path)) return undefined;
    if (codeOf(thrown) !== "ENOENT" || above === path) throw thrown;
    const first = makeFolders(above, mode);
    mkdirUnlessThere(path, mode);
    return first ?? path;
  }
}

function mkdirUnlessThere(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST" || !isFolder(path)) throw thrown;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : null;
}
