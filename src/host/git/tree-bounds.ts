import { HostError } from "../host-error.ts";
import type { GitOptions, GitRunner } from "./run-git.ts";

/** Limits for a commit before git checks it out. */
export interface TreeBounds {
  /** Files and folders. */
  readonly filesMax: number;
  /** All files together, uncompressed. */
  readonly bytesMax: number;
}

/** The depth limit of snapshots, and the system's limit for a path. */
const DEPTH_MAX = 200;
const PATH_BYTES_MAX = 3500;
/** Git keeps a file that is stored as a delta completely in memory. */
const FILE_BYTES_MAX = 2_147_483_648;

/**
 * Counts the entries of a commit and refuses `tree_too_large` at the limit. Ten trees that each name the next ten times
 * are a few hundred bytes but ten thousand million files: `read-tree` would use all memory, and a checkout the whole
 * disk. Here git only lists, in little memory, and is ended at the first entry too many.
 */
export async function refuseManyFiles(
  git: GitRunner,
  commit: string,
  { filesMax }: Pick<TreeBounds, "filesMax">,
  options: GitOptions = {},
): Promise<void> {
  let files = 0;
  await eachEntry(git, commit, { ...options, flags: ["-t"] }, (_facts, path) => {
    files += 1;
    if (files > filesMax) return tooLarge(commit, "worktree.filesMax", filesMax);
    if (path.length > PATH_BYTES_MAX) return tooLarge(commit, "bytes of a path", PATH_BYTES_MAX);
    return path.split("/").length > DEPTH_MAX ? tooLarge(commit, "folders in each other", DEPTH_MAX) : null;
  });
}

/** The same for bytes; returns their sum. Call after the number of files was checked. */
export async function refuseManyBytes(
  git: GitRunner,
  commit: string,
  { bytesMax }: Pick<TreeBounds, "bytesMax">,
  options: GitOptions = {},
): Promise<number> {
  let bytes = 0;
  await eachEntry(git, commit, { ...options, flags: ["-l"] }, (facts) => {
    // Not a number for entries that are no files or are missing.
    const size = Number(facts.slice(facts.lastIndexOf(" ") + 1)) || 0;
    bytes += size;
    if (size > FILE_BYTES_MAX) return tooLarge(commit, "bytes of one file", FILE_BYTES_MAX);
    return bytes > bytesMax ? tooLarge(commit, "worktree.bytesMax", bytesMax) : null;
  });
  return bytes;
}

/** Entries are `<mode> <type> <id>[ <size>]\t<path>`. */
async function eachEntry(
  git: GitRunner,
  commit: string,
  { flags, ...options }: GitOptions & { readonly flags: readonly string[] },
  judge: (facts: string, path: string) => HostError | null,
): Promise<void> {
  let rest = "";
  const take = (chunk: Buffer): HostError | null => {
    const entries = (rest + chunk.toString("latin1")).split("\0");
    rest = entries.pop() ?? "";
    for (const entry of entries) {
      const tab = entry.indexOf("\t");
      const refusal = judge(entry.slice(0, tab), entry.slice(tab + 1));
      if (refusal !== null) return refusal;
    }
    return rest.length > PATH_BYTES_MAX * 2 ? tooLarge(commit, "bytes of a path", PATH_BYTES_MAX) : null;
  };
  await git.must(["ls-tree", "-r", ...flags, "-z", "--full-tree", commit], { ...options, take });
}

function tooLarge(commit: string, limit: string, max: number): HostError {
  return new HostError("tree_too_large", `commit ${commit} is too large to check out: ${limit} ${max}`, {
    remedy: "if that is meant, raise `worktree.filesMax` or `worktree.bytesMax`; otherwise name another base",
    details: { commit, limit, max },
  });
}
