import type { LandedChange, LandingRepository } from "../../../host/index.ts";
import { type Gathered, shownPath } from "./gather-findings.ts";
import { newBlobs } from "./judge-size.ts";

type Opened = Pick<LandingRepository, "filters" | "blobs" | "sizes">;

const FILES = ["100644", "100755"];
const LFS = "lfs";
/** Git LFS writes no longer pointer. */
const POINTER_BYTES_MAX = 1024;
const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\//;
const SHORT = 12;

/**
 * Filters never run here, so a new file that one would convert holds what the agent wrote: a large file instead of its
 * LFS pointer, or plain text that the person's filter would have sealed. LFS pointers are what a commit should hold.
 */
export async function judgeFilters(
  opened: Opened,
  commit: string,
  changes: readonly LandedChange[],
  found: Gathered,
): Promise<void> {
  const blobs = newBlobs(changes);
  const files = changes.filter(({ after }) => after !== null && FILES.includes(after.mode) && blobs.has(after.id));
  const filters = await opened.filters(commit, [...new Set(files.map(({ path }) => path))]);
  const filtered = files.filter(({ path }) => filters.has(path));
  if (filtered.length === 0) return;
  const ids = [...new Set(filtered.flatMap(({ after }) => after?.id ?? []))];
  const sizes = await opened.sizes(ids);
  const pointers = new Set<string>();
  const short = ids.filter((id) => (sizes.get(id) ?? POINTER_BYTES_MAX) < POINTER_BYTES_MAX);
  await opened.blobs(short, (id, bytes) => void (POINTER.test(bytes?.toString() ?? "") && pointers.add(id)));
  for (const { path, after, commit: from } of filtered) {
    const filter = filters.get(path) ?? "";
    const id = after?.id ?? "";
    // Filters leave what is empty as it is.
    if (sizes.get(id) === 0 || (filter === LFS && pointers.has(id)) || found.has("policy", path)) continue;
    found.add("policy", {
      path,
      message: `${shownPath(path)}${from === null ? "" : ` in commit ${from.slice(0, SHORT)}`} has to go through your filter ${shownPath(filter)}, and no filter runs for a landing.`,
      remedy: "Copy it from the worktree to your checkout, commit it there, and take it out of the session's commits.",
    });
  }
}
