import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Path to text. */
export type Files = Readonly<Record<string, string>>;

/** Writes the files into a new folder, removed when the test ends. Returns the folder's real path. */
export async function plantTree(files: Files): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "nomos-test-")));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}
