import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { GitRunner } from "../git/run-git.ts";

/** What the index held for some paths: lines as `git update-index --index-info` reads them. */
export type StagedBefore = readonly string[];

/** Makes the index hold these paths as they are on disk. `add` would refuse ignored files. */
export async function stagePaths(
  git: GitRunner,
  { root, objectFormat }: { readonly root: string; readonly objectFormat: "sha1" | "sha256" },
  paths: readonly string[],
): Promise<StagedBefore> {
  const known = new Map<string, string>();
  for (let at = 0; at < paths.length; at += NAMED_AT_ONCE) {
    const told = await git.must(["ls-files", "-z", "-s", "--", ...paths.slice(at, at + NAMED_AT_ONCE)]);
    for (const line of told.toString().split("\0").filter(Boolean)) known.set(line.slice(line.indexOf("\t") + 1), line);
  }
  const there = await Promise.all(paths.map((path) => lstat(join(root, path)).catch(() => null)));
  const [present, gone] = [paths.filter((_, at) => there[at] !== null), paths.filter((_, at) => there[at] === null)];
  const lists = [
    [["--add"], present],
    [["--force-remove"], gone],
  ] as const;
  for (const [how, names] of lists)
    if (names.length > 0)
      await git.must(["update-index", ...how, "-z", "--stdin"], { input: names.map((path) => `${path}\0`).join("") });
  // Mode 0: the path is not in the index.
  const nothing = "0".repeat(objectFormat === "sha256" ? 64 : 40);
  return paths.map((path) => known.get(path) ?? `0 ${nothing} 0\t${path}`);
}

const NAMED_AT_ONCE = 500;

export async function unstagePaths(git: GitRunner, before: StagedBefore): Promise<void> {
  await git.must(["update-index", "-z", "--index-info"], { input: before.map((line) => `${line}\0`).join("") });
}
