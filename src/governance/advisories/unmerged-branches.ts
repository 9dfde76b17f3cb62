import { ADVISORY_LIMITS, type OtherBranch } from "../../domains/index.ts";
import type { RepositoryGit } from "../../host/index.ts";

const LISTED_MAX = 20;
const PATHS_MAX = 200;
const DAY_S = 86_400;

/** Young branches, here and of remotes, with work that a commit does not have. Newest first. */
export async function unmergedBranches(
  git: RepositoryGit,
  commit: string,
  nowMs: number,
): Promise<readonly OtherBranch[]> {
  const format = "%(objectname) %(committerdate:unix) %(symref) %(refname)%00%(contents:subject)";
  const order = [`--no-merged=${commit}`, "--sort=-committerdate", `--format=${format}`];
  const told = await git.text(["for-each-ref", ...order, "refs/heads", "refs/remotes"]);
  const since = nowMs / 1000 - ADVISORY_LIMITS.unmergedDaysMax * DAY_S;
  const found = new Map<string, Omit<OtherBranch, "paths" | "more">>();
  for (const line of told.split("\n")) {
    const [facts = "", summary = ""] = line.split("\0");
    const [id = "", at = "", symref = "", ...ref] = facts.split(" ");
    const name = ref.join(" ").replace(/^refs\/(?:heads|remotes)\//, "");
    // A branch and its copy of a remote are one.
    if (name === "" || symref !== "" || Number(at) < since || found.has(id)) continue;
    found.set(id, { name, commit: id, atMs: Number(at) * 1000, summary, ticketId: null });
    if (found.size === LISTED_MAX) break;
  }
  const branches: OtherBranch[] = [];
  for (const branch of found.values()) {
    const paths = await pathsOf(git, commit, branch.commit);
    if (paths.length > 0)
      branches.push({ ...branch, paths: paths.slice(0, PATHS_MAX), more: Math.max(0, paths.length - PATHS_MAX) });
  }
  return branches;
}

/** What a branch changed since it left, and that is not the same here by now: a squashed landing leaves nothing. */
async function pathsOf(git: RepositoryGit, commit: string, branch: string): Promise<readonly string[]> {
  const names = async (range: readonly string[]) => {
    const { exitCode, stdout } = await git.run(["diff", "--name-only", "-z", "--no-renames", ...range, "--"]);
    return exitCode === 0 ? stdout.toString().split("\0").filter(Boolean) : null;
  };
  const differs = await names([commit, branch]);
  const own = await names([`${commit}...${branch}`]);
  if (own === null || differs === null) return differs ?? [];
  const left = new Set(differs);
  return own.filter((path) => left.has(path));
}
