import { join } from "node:path";
import type { GitRunner } from "../../git/run-git.ts";
import type { WorktreePlace, WorktreeRecord } from "../worktree-record.ts";

const PACK_TIMEOUT_MS = 600_000;

/**
 * Packs what the worktree lacks of a commit into the objects that we put beside its tree: its git reads them, its agent
 * cannot write them, and they do not count as work.
 */
export async function offerCommit(
  { objects }: WorktreePlace,
  { userBase, base }: Pick<WorktreeRecord, "userBase" | "base">,
  from: GitRunner,
  commit: string,
): Promise<void> {
  const had = userBase ?? base;
  const isKnown = had !== null && (await from.run(["cat-file", "-e", `${had}^{commit}`])).exitCode === 0;
  await from.must(["pack-objects", "-q", "--revs", join(objects, "pack", "pack")], {
    input: `${commit}\n${isKnown ? `^${had}\n` : ""}`,
    timeoutMs: PACK_TIMEOUT_MS,
  });
}
