import { rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What decides about a bundle besides its sources. */
export const BUILT_WITH: readonly string[] = [
  "package.json",
  "node_modules/esbuild/package.json",
  ...[
    "build",
    "built-from",
    "bundle",
    "bundle-client",
    "bundle-web",
    "declarations",
    "entries",
    "module-references",
  ].map((tool) => `tools/${tool}.ts`),
];

/**
 * Writes `built-from.json`: path, size and time of change of every file that the bundle was made from. In a checkout
 * bin/nomos.js runs the bundle only while all of them are as they were, and the sources otherwise. A file that changed
 * during the build may be in the bundle as it was before: then nothing is written.
 */
export async function noteSources(
  root: string,
  outDir: string,
  inputs: readonly string[],
  buildStartedMs: number,
): Promise<void> {
  const found = await Promise.all(
    [...inputs, ...BUILT_WITH].map(async (path) => ({ path, ...(await stampOf(join(root, path))) })),
  );
  if (found.some(({ changedMs }) => changedMs >= buildStartedMs)) return;
  const files = found.map(({ path, size, mtimeMs }) => [path, size, mtimeMs]);
  const list = join(outDir, "built-from.json");
  await writeFile(`${list}.new`, JSON.stringify({ files }));
  await rename(`${list}.new`, list);
}

/** The change of a file's content always sets its ctime, whatever sets its mtime back. */
async function stampOf(path: string): Promise<{ size: number; mtimeMs: number; changedMs: number }> {
  const { size, mtimeMs, ctimeMs } = await stat(path);
  return { size, mtimeMs, changedMs: ctimeMs };
}
