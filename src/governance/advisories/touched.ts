import { lstat } from "node:fs/promises";
import { join } from "node:path";

const LOOKED_MAX = 200;

/** When git or somebody last wrote in a checkout, as far as its git dir and its changed files tell. */
export async function touchedMs(
  gitDir: string,
  root: string,
  files: readonly { readonly path: string }[],
): Promise<number> {
  const paths = [join(gitDir, "index"), join(gitDir, "HEAD"), ...files.map(({ path }) => join(root, path))];
  const times = paths.slice(0, LOOKED_MAX).map(async (path) => (await lstat(path).catch(() => null))?.mtimeMs ?? 0);
  return Math.floor(Math.max(...(await Promise.all(times))));
}
