import { spawn } from "node:child_process";
import type { Repository } from "../git/find-repository.ts";
import type { GitRunner } from "../git/run-git.ts";
import { moveRef } from "./move-ref.ts";

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
  readonly repository: Repository;
  readonly identity: { readonly name: string; readonly email: string };
}

const PUSH_TIMEOUT_MS = 120_000;
const WORDS_CHARS = 2000;
/** What git and a forge's program need to act for the person: their settings, keys and logins. */
const PASSED =
  /^(HOME|PATH|USER|LOGNAME|LANG|LC_.*|SSH_AUTH_SOCK|XDG_.*|GH_.*|GITHUB_TOKEN|GITLAB_.*|GLAB_.*|HTTPS?_PROXY|https?_proxy|NO_PROXY|no_proxy)$/;

/**
 * Pushes a commit as a new branch, as the person would by `git push`: with their settings, logins and `pre-push` hook.
 * Never forced: a branch of that name that goes another way refuses it.
 */
export async function pushBranch(person: Person, { branch, commit, into, title }: Push): Promise<Pushing> {
  const { repository, git, identity } = person;
  const { commonDir, config, root } = repository;
  const remote = config.get(`branch.${into}.remote`) ?? "origin";
  const address = config.get(`remote.${remote}.url`);
  if (address === undefined) return { pushed: false, words: `the repository has no remote ${remote}` };
  const was = await git.run(["rev-parse", "--verify", "-q", `refs/heads/${branch}`], { gitDir: commonDir });
  const from = was.exitCode === 0 ? was.stdout.toString().trim() : "0".repeat(commit.length);
  const ref = { gitDir: commonDir, branch, from, to: commit, reason: "nomos: pull request", identity, hooks: null };
  const moved = from === commit ? { moved: true as const } : await moveRef(git, ref);
  if (!moved.moved) return { pushed: false, words: moved.words };
  const cwd = root ?? commonDir;
  const refspec = `refs/heads/${branch}:refs/heads/${branch}`;
  const { exitCode, words } = await runAsPerson(person, ["git", "push", remote, refspec], cwd);
  if (exitCode !== 0) return { pushed: false, words };
  return { pushed: true, remote, ...forgeOf(address, { branch, into, title }) };
}

/** The page that opens a request, and the commands that do it. */
export function forgeOf(
  address: string,
  { branch, into, title }: Pick<Push, "branch" | "into" | "title">,
): { readonly url: string | null; readonly next: readonly string[] } {
  const place =
    /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/(?:[^@/]*@)?|[^@/]+@)([^/:]+)(?::\d+)?[/:](.+?)(?:\.git)?\/?$/.exec(address);
  const [, host = "", path = ""] = place ?? [];
  const quoted = `'${title.replaceAll("'", "'\\''")}'`;
  if (host === "") return { url: null, next: [`git log ${into}..${branch}`] };
  if (/gitlab/i.test(host)) {
    const query = new URLSearchParams({ "merge_request[source_branch]": branch, "merge_request[target_branch]": into });
    return {
      url: `https://${host}/${path}/-/merge_requests/new?${query}`,
      next: [`glab mr create --source-branch ${branch} --target-branch ${into} --title ${quoted} --fill --yes`],
    };
  }
  return {
    url: `https://${host}/${path}/compare/${into}...${branch}?expand=1`,
    next: [`gh pr create --base ${into} --head ${branch} --title ${quoted} --fill`],
  };
}

function runAsPerson(
  { environment }: Person,
  [program = "", ...args]: readonly string[],
  cwd: string,
): Promise<{ readonly exitCode: number; readonly words: string }> {
  const passed = Object.entries(environment).filter(([name, value]) => PASSED.test(name) && value !== undefined);
  const env = { ...Object.fromEntries(passed), GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  const { promise, resolve } = Promise.withResolvers<{ exitCode: number; words: string }>();
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PUSH_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  let words = "";
  const hear = (chunk: Buffer): void => {
    words = (words + chunk.toString()).slice(-WORDS_CHARS);
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  child.once("error", (cause) => resolve({ exitCode: 1, words: cause.message }));
  child.once("close", (exitCode) => resolve({ exitCode: exitCode ?? 1, words: words.trim() }));
  return promise;
}
