import { execFileSync } from "node:child_process";

/**
 * What the person works on: everything that differs from `since`, new files included. Without `since`: from where the
 * branch left main; on main itself, or without a main, the uncommitted changes, or else the last commit.
 */
export function changedFiles(root: string, since: string | undefined): readonly string[] {
  const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");
  const uncommitted = linesOf(git("ls-files", "--others", "--exclude-standard"));
  const changedSince = (revision: string): readonly string[] => [
    ...new Set([...linesOf(git("diff", "--name-only", revision, "--")), ...uncommitted]),
  ];
  if (since !== undefined) return changedSince(since);
  const hasMain = linesOf(git("branch", "--list", "main")).length > 0;
  const changed = changedSince(hasMain ? git("merge-base", "HEAD", "main") : "HEAD");
  return changed.length > 0 ? changed : changedSince("HEAD~1");
}
