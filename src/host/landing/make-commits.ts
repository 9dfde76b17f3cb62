import type { LandHow } from "../../domains/index.ts";
import type { GitRunner, GitSigning } from "../git/run-git.ts";
import { HostError } from "../host-error.ts";
import { type Merged, mergeTrees, pickOnto } from "./merge-trees.ts";
import { plainText } from "./plain-text.ts";

export interface CommitOrder {
  readonly how: LandHow;
  /** Where the branch points. */
  readonly tip: string;
  readonly head: string | null;
  /** The files of the worktree as they were captured. */
  readonly tree: string;
  readonly message: string;
  readonly trailers: readonly string[];
  readonly identity: { readonly name: string; readonly email: string };
  readonly signing: GitSigning | null;
  /** The folder with the attributes of `tip`: they say how files are merged. */
  readonly attributes: string;
}

export type Made =
  | {
      readonly commit: string;
      /** New commits with the session's work, oldest first; the last one is `commit`. */
      readonly commits: readonly string[];
      /** The session's own commits among what becomes part of the branch; none when they are made anew. */
      readonly kept: readonly string[];
      /** Files that the session had not committed. */
      readonly hasUncommitted: boolean;
    }
  | { readonly conflicts: readonly string[] }
  | { readonly unrelated: true }
  | { readonly nothing: true };

const COMMIT_TIMEOUT_MS = 120_000;
/** A history of more commits is landed with `squash`. */
export const COMMITS_MAX = 500;

/** Makes the commits that a branch would point at, in the view. No ref moves. */
export async function makeCommits(git: GitRunner, order: CommitOrder): Promise<Made> {
  const { how, tip, head, tree } = order;
  const own = head === null ? [] : await ownCommits(git, head, tip);
  const headTree = head === null ? null : await git.text(["rev-parse", `${head}^{tree}`]);
  const hasUncommitted = headTree !== tree;
  const work = hasUncommitted || head === null ? await commitTree(git, order, tree, head === null ? [] : [head]) : head;
  const merged = await mergeTrees(git, tip, work, order.attributes);
  if (!("tree" in merged)) return unmade(merged);
  if (merged.tree === (await git.text(["rev-parse", `${tip}^{tree}`])) && (own.length === 0 || how !== "merge"))
    return { nothing: true };
  if (how === "rebase" && own.length > 0)
    return rebase(git, order, { own, uncommitted: hasUncommitted ? work : null, merged: merged.tree });
  if (how === "merge" && own.length > 0) {
    const commit = await commitTree(git, order, merged.tree, [tip, work]);
    const commits = [...own, ...(hasUncommitted ? [work] : []), commit];
    return { commit, commits, kept: own, hasUncommitted };
  }
  const commit = await commitTree(git, order, merged.tree, [tip]);
  return { commit, commits: [commit], kept: [], hasUncommitted };
}

function unmade(merged: Exclude<Merged, { readonly tree: string }>): Made {
  return "conflicts" in merged ? { conflicts: merged.conflicts } : merged;
}

/** Oldest first. */
async function ownCommits(git: GitRunner, head: string, tip: string): Promise<readonly string[]> {
  const args = ["rev-list", "--reverse", "--topo-order", head, `^${tip}`];
  return (await git.text(args, { timeoutMs: COMMIT_TIMEOUT_MS })).split("\n").filter(Boolean);
}

interface Rebased {
  readonly own: readonly string[];
  readonly uncommitted: string | null;
  /** The files that a merge of the same work would give. */
  readonly merged: string;
}

async function rebase(git: GitRunner, order: CommitOrder, { own, uncommitted, merged }: Rebased): Promise<Made> {
  if (own.length > COMMITS_MAX) throw tooMany(own.length);
  let current = order.tip;
  let hasMerges = false;
  const commits: string[] = [];
  const treeOf = (commit: string): Promise<string> => git.text(["rev-parse", `${commit}^{tree}`]);
  for (const one of [...own, ...(uncommitted === null ? [] : [uncommitted])]) {
    const [parent, ...others] = (await git.text(["rev-parse", `${one}^@`])).split("\n").filter(Boolean);
    // As `git rebase` does: what a merge brought is among the commits before it.
    if (others.length > 0) {
      hasMerges = true;
      continue;
    }
    if (parent === undefined) return { unrelated: true };
    // Made on a merge that is left out: the last commit brings it.
    if (hasMerges && one === uncommitted) continue;
    const picked = await pickOnto(git, current, one, parent, order);
    if (!("tree" in picked)) return unmade(picked);
    if (picked.tree === (await treeOf(current))) continue;
    const isTheirs = one !== uncommitted;
    current = isTheirs
      ? await commitAgain(git, order, one, picked.tree, current)
      : await commitTree(git, order, picked.tree, [current]);
    commits.push(current);
  }
  // Unlike `git rebase`, which drops what somebody changed in the merge itself: nothing of the work is lost.
  if (hasMerges && (await treeOf(current)) !== merged) {
    current = await commitTree(git, order, merged, [current]);
    commits.push(current);
  }
  if (commits.length === 0) return { nothing: true };
  return { commit: current, commits, kept: [], hasUncommitted: uncommitted !== null };
}

/** In UTF-8, whatever encoding the commit has. */
const FORMAT = "--format=%an%x00%ae%x00%ad%x00%B";

function tooMany(commits: number): HostError {
  return new HostError("tree_too_large", `${commits} commits are too many to make anew one by one`, {
    remedy: "land with `--squash`",
    details: { limit: "commits of one landing", max: COMMITS_MAX },
  });
}

async function commitAgain(
  git: GitRunner,
  order: CommitOrder,
  commit: string,
  tree: string,
  parent: string,
): Promise<string> {
  const told = await git.text(["log", "-1", "--no-show-signature", "--date=raw", FORMAT, commit]);
  const [name = "", email = "", date = "", ...words] = told.split("\0");
  const message = withTrailers(words.join(" "), order.trailers);
  return commitTree(git, { ...order, message }, tree, [parent], {
    ...{ name: plainText(name) || "unknown", email: plainText(email), date: `@${date}` },
  });
}

async function commitTree(
  git: GitRunner,
  { message, identity, signing }: CommitOrder,
  tree: string,
  parents: readonly string[],
  author?: { readonly name: string; readonly email: string; readonly date: string },
): Promise<string> {
  const sign = signing === null ? [] : ["-S"];
  const made = git.text(["commit-tree", tree, ...sign, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"], {
    input: message,
    identity,
    timeoutMs: COMMIT_TIMEOUT_MS,
    ...(author === undefined ? {} : { author }),
    ...(signing === null ? {} : { signing }),
  });
  return signing === null ? made : made.catch(unsigned);
}

/** Marked, because trying again would ask the person for their key again. */
function unsigned(cause: unknown): never {
  if (!(cause instanceof HostError) || cause.code !== "git_failed") throw cause;
  throw new HostError("git_failed", cause.message, {
    remedy: "run `git commit -S` in the repository to see why, then land again",
    details: { ...cause.details, isUnsigned: true },
    cause,
  });
}

/** Also after an odd space or a return, which other readers may take for the end of a line. */
const FORGED = /(?:^|[\r\v\f\u0085\u2028\u2029])\s*Nomos-[\w-]+\s*:/i;

const TRAILER = /^[A-Za-z][\w-]*\s*: /;

/**
 * Ours are the only ones of their names: who else wrote some is not believed. Git's own command would put them before a
 * last line that begins with `#`, where nobody finds them.
 */
export function withTrailers(message: string, trailers: readonly string[]): string {
  // First: what is left may be a trailer of ours.
  const lines = plainText(message)
    .split("\n")
    .filter((line) => !FORGED.test(line));
  const text = lines.join("\n").trim() || "Land a session's work";
  if (trailers.length === 0) return `${text}\n`;
  const last = text.slice(text.lastIndexOf("\n\n") + 2).split("\n");
  const goesOn = text.includes("\n\n") && last.every((line) => TRAILER.test(line));
  return `${text}\n${goesOn ? "" : "\n"}${trailers.join("\n")}\n`;
}
