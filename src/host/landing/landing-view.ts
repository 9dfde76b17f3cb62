import { lstat, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { findRepository, type Repository } from "../git/find-repository.ts";
import { openView, type RepositoryView } from "../git/repository-view.ts";
import type { GitOptions, GitRunner } from "../git/run-git.ts";
import { HostError } from "../host-error.ts";
import type { CommitSettings } from "./commit-settings.ts";

/** The person's repository as a landing knows it. */
export interface RepositoryPlace {
  readonly root: string | null;
  /** The common git dir: branches and objects are there. */
  readonly gitDir: string;
}

export async function repositoryAt(git: GitRunner, { root, gitDir }: RepositoryPlace): Promise<Repository> {
  // A linked worktree may be gone: its branches are not.
  for (const start of [root, ...(basename(gitDir) === ".git" ? [dirname(gitDir)] : []), gitDir]) {
    if (start === null || (await lstat(start).catch(() => null)) === null) continue;
    const found = await findRepository(git, start);
    if (found !== null && found.commonDir === gitDir) return found;
  }
  throw new HostError("not_a_repository", `${root ?? gitDir} is no longer the repository that it was`, {
    remedy: "put it back where it was, and land again",
    details: { path: root ?? gitDir },
  });
}

/**
 * Shows the person's repository as it is now, together with captured work and the objects it was made from. Files look as
 * the person's settings and attributes say; filters never run.
 */
export async function openLandingView(
  git: GitRunner,
  repository: Repository,
  scratch: string,
  captured: readonly { readonly folder: string; readonly sharedObjects: readonly string[] }[],
  settings: Pick<CommitSettings, "setting" | "attributes">,
): Promise<RepositoryView> {
  const wanted = captured.flatMap(({ folder, sharedObjects }) => [join(folder, "objects"), ...sharedObjects]);
  const there: string[] = [];
  // A worktree that is gone took the objects it was made from with it; the repository has them, or git says so.
  for (const path of new Set(wanted))
    if ((await lstat(path).catch(() => null))?.isDirectory() === true) there.push(path);
  const config = { entries: [], get: settings.setting };
  const view = await openView(git, { ...repository, config }, scratch, there);
  await mkdir(join(view.gitDir, "info"));
  await writeFile(join(view.gitDir, "info", "attributes"), settings.attributes.repository);
  const attributesFile = join(view.gitDir, "nomos-attributes");
  await writeFile(attributesFile, settings.attributes.everywhere);
  const within = (options: GitOptions = {}): GitOptions => ({ ...options, attributesFile });
  return {
    ...view,
    git: {
      run: (args, options) => view.git.run(args, within(options)),
      must: (args, options) => view.git.must(args, within(options)),
      text: (args, options) => view.git.text(args, within(options)),
    },
  };
}

/** The commit of a branch; null when there is no such branch. */
export async function tipOf(git: GitRunner, branch: string): Promise<string | null> {
  const { exitCode, stdout } = await git.run([
    "rev-parse",
    "--verify",
    "-q",
    "--end-of-options",
    `refs/heads/${branch}^{commit}`,
  ]);
  return exitCode === 0 ? stdout.toString().trim() : null;
}

export async function isAncestor(git: GitRunner, commit: string, of: string): Promise<boolean> {
  // A commit that is not there is no ancestor either: git says 128 then.
  return (await git.run(["merge-base", "--is-ancestor", commit, of])).exitCode === 0;
}
