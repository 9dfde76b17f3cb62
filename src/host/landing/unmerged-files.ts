import { join } from "node:path";
import { copyPlain } from "../files/copy-plain.ts";
import { holdFolder } from "../files/held-folder.ts";
import { INDEX_BYTES_MAX, type Look } from "../worktrees/find-work.ts";
import { Unclear } from "../worktrees/own-objects.ts";

/**
 * Files of a merge or rebase that the session did not finish: they hold conflict markers, or one side of what collided.
 * Only the worktree's own index tells, and an agent may write it; so nothing else is believed of it.
 */
export async function unmergedFiles({ view, place, own }: Look): Promise<readonly string[]> {
  await using gitDir = await holdFolder(join(place.tree, ".git"));
  if (gitDir === null) return [];
  const indexFile = join(own, "index-unmerged");
  const taken = await copyPlain(gitDir, Buffer.from("index"), Buffer.from(indexFile), ({ size }) => {
    if (size > INDEX_BYTES_MAX) throw new Unclear(`its index has more than ${INDEX_BYTES_MAX} bytes`);
  });
  if (taken !== "taken") return [];
  // One that is damaged tells of no merge: the files count as they lie.
  const { exitCode, stdout } = await view.git.run(["ls-files", "--unmerged", "-z"], { indexFile });
  const lines = exitCode === 0 ? stdout.toString().split("\0").filter(Boolean) : [];
  return [...new Set(lines.map((line) => line.slice(line.indexOf("\t") + 1)))];
}
