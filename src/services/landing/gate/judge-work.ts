import type { Finding } from "../../../domains/index.ts";
import type { CapturedWork, LandingRepository } from "../../../host/index.ts";
import { type Gathered, shownPath } from "./gather-findings.ts";

const NAMED_MAX = 100;

/** Why git does not accept what the session made: then nothing else of it can be looked at. */
export function faultFinding(fault: string): Finding {
  return {
    rule: "policy",
    message: `Git does not accept what the session's commits are made of: ${shownPath(fault.replaceAll("\n", " "))}`,
    remedy: "Make the commits anew with git in the worktree; `git fsck` there says what is damaged.",
  };
}

/** What was captured that no commit holds. */
export async function judgeWork(
  { git }: Pick<LandingRepository, "git">,
  captured: CapturedWork,
  { hasUncommitted, uncommitted }: { readonly hasUncommitted: boolean; readonly uncommitted: "commit" | "refuse" },
  found: Gathered,
): Promise<void> {
  // What is left out by silence would count as landed.
  const leftOut = uncommitted === "commit" ? captured.omitted : [...captured.nested, ...captured.omitted];
  for (const path of new Set(leftOut.slice(0, NAMED_MAX)))
    found.add("policy", { path, message: `${shownPath(path)} ${whyLeftOut(captured, path)}.`, remedy: MOVE_OUT });
  for (const path of captured.unmerged.slice(0, NAMED_MAX))
    found.add("conflict", {
      path,
      message: `${shownPath(path)} is in a merge or rebase that the session did not finish.`,
      remedy: "Finish it in the worktree: mend the file, then `git add` it and commit; or give it up there.",
    });
  if (uncommitted === "commit" || !hasUncommitted) return;
  for (const path of await uncommittedPaths(git, captured))
    found.add("policy", {
      path,
      message: `${shownPath(path)} is not committed, and \`landing.uncommitted\` is \`refuse\`.`,
      remedy: "Commit it in the worktree, or delete it.",
    });
}

const MOVE_OUT = "Delete it in the worktree, or move its files elsewhere and commit them.";

function whyLeftOut({ nested }: Pick<CapturedWork, "nested">, path: string): string {
  return nested.includes(path)
    ? "is a repository of its own in the worktree: its files are not part of the landing"
    : "lies where a submodule belongs, so git commits nothing there";
}

async function uncommittedPaths(
  git: LandingRepository["git"],
  { head, tree }: Pick<CapturedWork, "head" | "tree">,
): Promise<readonly string[]> {
  const args =
    head === null
      ? ["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree]
      : ["diff-tree", "-r", "-z", "--name-only", "--no-renames", `${head}^{tree}`, tree];
  return (await git.must(args)).toString().split("\0").filter(Boolean).slice(0, NAMED_MAX);
}
