import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../git/find-repository.ts";
import type { RepositoryView } from "../git/repository-view.ts";
import { runAsPerson } from "../git/run-as-person.ts";
import type { GitRunner } from "../git/run-git.ts";
import { shellQuoted } from "../processes/shell-quoted.ts";
import { placesOf } from "./move/checkouts.ts";
import { moveRef, tipIn } from "./move/move-ref.ts";
import { releaseObjects, storeObjects } from "./move/store-objects.ts";

export interface Push {
  /** The new branch, here and at the remote. */
  readonly branch: string;
  readonly commit: string;
  /** The branch that the request is for. */
  readonly into: string;
  readonly title: string;
}

export type Pushing =
  | { readonly pushed: true; readonly remote: string; readonly url: string | null; readonly next: readonly string[] }
  | { readonly pushed: false; readonly words: string };

interface Person {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly git: GitRunner;
  readonly view: RepositoryView;
  readonly repository: Repository;
  readonly identity: { readonly name: string; readonly email: string };
  readonly hooks: string | null;
}

const PUSH_TIMEOUT_MS = 120_000;

/**
 * Pushes a commit as a new branch, as the person would by `git push`: with their settings, logins and `pre-push` hook.
 * Never forced: a branch of that name that goes another way refuses it. After a refusal the branch is not here either.
 */
export async function pushBranch(person: Person, { branch, commit, into, title }: Push): Promise<Pushing> {
  const { repository, git, view, identity, hooks } = person;
  const { commonDir, config, root } = repository;
  const told = config.get(`branch.${into}.remote`);
  const remote = told === undefined || told === "." ? "origin" : told;
  if (config.get(`remote.${remote}.url`) === undefined)
    return { pushed: false, words: `the repository has no remote ${remote}` };
  const { blocked, checkouts } = await placesOf(git, repository, branch);
  const [shown] = checkouts;
  if (blocked !== null || shown !== undefined)
    return { pushed: false, words: blocked ?? `${branch} is checked out in ${shown?.root}` };
  const scratch = join(view.gitDir, "push");
  await mkdir(scratch, { recursive: true });
  const was = await tipIn(git, { gitDir: commonDir, branch });
  const none = "0".repeat(commit.length);
  const move = { gitDir: commonDir, root, branch, reason: "nomos: pull request", identity, hooks };
  try {
    await storeObjects(
      view,
      repository,
      { from: was ?? (await tipIn(git, { gitDir: commonDir, branch: into })), to: commit },
      scratch,
    );
    const moved =
      was === commit ? { moved: true as const } : await moveRef(git, { ...move, from: was ?? none, to: commit });
    if (!moved.moved) return { pushed: false, words: moved.words };
    const cwd = root ?? commonDir;
    const refspec = `refs/heads/${branch}:refs/heads/${branch}`;
    const { exitCode, words } = await actAsPerson(person, ["git", "push", "--", remote, refspec], cwd);
    if (exitCode !== 0) {
      if (was !== commit) await moveRef(git, { ...move, from: commit, to: was ?? none, hooks: null });
      return { pushed: false, words };
    }
    const address = await actAsPerson(person, ["git", "ls-remote", "--get-url", "--", remote], cwd);
    return { pushed: true, remote, ...forgeOf(address.words, { branch, into, title }) };
  } finally {
    await releaseObjects(scratch);
  }
}

const ADDRESS =
  /^(?:(?:https?|ssh|git):\/\/(?:[^@/]*@)?|(?:[^@/:]+@)?(?=[^/:]+:(?!\/\/)))(?<host>[^/:@]+)(?:(?<=^\w+:\/\/.*):\d+)?[/:](?<path>.+?)(?:\.git)?\/*$/;
const HOST = /^[\w.-]+$/;

/** The page that opens a request, and the commands that do it: safe to paste, whatever the names are. */
export function forgeOf(
  address: string,
  { branch, into, title }: Pick<Push, "branch" | "into" | "title">,
): { readonly url: string | null; readonly next: readonly string[] } {
  const { host = "", path = "" } = ADDRESS.exec(address)?.groups ?? {};
  if (!HOST.test(host)) return { url: null, next: [commandOf(["git", "log", `${into}..${branch}`, "--"])] };
  const page = `https://${host}/${inAddress(path.replace(/^\/+/, ""))}`;
  if (/gitlab/i.test(host)) {
    const query = new URLSearchParams({ "merge_request[source_branch]": branch, "merge_request[target_branch]": into });
    const words = [`--source-branch=${branch}`, `--target-branch=${into}`, `--title=${title}`, "--fill", "--yes"];
    return { url: `${page}/-/merge_requests/new?${query}`, next: [commandOf(["glab", "mr", "create", ...words])] };
  }
  const words = [`--base=${into}`, `--head=${branch}`, `--title=${title}`, "--fill"];
  return {
    url: `${page}/compare/${inAddress(into)}...${inAddress(branch)}?expand=1`,
    next: [commandOf(["gh", "pr", "create", ...words])],
  };
}

function commandOf(words: readonly string[]): string {
  return words.map(shellQuoted).join(" ");
}

function inAddress(path: string): string {
  const odd = (one: string) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`;
  return path
    .split("/")
    .map((part) => encodeURIComponent(part).replace(/['()!*]/g, odd))
    .join("/");
}

function actAsPerson({ environment }: Person, argv: readonly string[], cwd: string): ReturnType<typeof runAsPerson> {
  return runAsPerson({ environment, argv, cwd, timeoutMs: PUSH_TIMEOUT_MS });
}
