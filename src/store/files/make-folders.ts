import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * A folder with those above it that are missing; the first that was made, or nothing. Not Node's own `recursive`: that
 * never ends where a folder is there and takes no new one, as in `/proc` or in a folder that was deleted.
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
