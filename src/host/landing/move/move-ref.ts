import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readSmall } from "../../git/find-repository.ts";
import type { GitOptions, GitRunner } from "../../git/run-git.ts";

export interface RefMove {
  /** Holds HEAD: a checkout's own git dir, so that its reflog is written too. */
  readonly gitDir: string;
  /** Where the person's hooks start. */
  readonly root: string | null;
  readonly branch: string;
  /** Null: there is no such branch yet. */
  readonly from: string | null;
  readonly to: string;
  readonly reason: string;
  readonly identity: { readonly name: string; readonly email: string };
  /** The person's hooks: one called `reference-transaction` may refuse. */
  readonly hooks: string | null;
}

export interface RefKept {
  readonly moved: false;
  /** `checkout`: git could not write the branch. */
  readonly why: "tip" | "hook" | "checkout";
  readonly words: string;
}

export type RefMoved = { readonly moved: true } | RefKept;

/** A branch that nobody else can move meanwhile. One of the two has to be called. */
export interface HeldRef {
  readonly commit: () => Promise<RefMoved>;
  readonly abort: () => Promise<void>;
}

const HELD_TIMEOUT_MS = 600_000;
const WORDS_CHARS = 500;
const PREPARED = "prepare: ok\n";

/** Moves it at once. */
export async function moveRef(git: GitRunner, move: RefMove): Promise<RefMoved> {
  const held = await holdRef(git, move);
  return "commit" in held ? held.commit() : held;
}

/**
 * Compare and swap in two steps: locks the branch (and HEAD, if it leads there) where it still points at `from` and the
 * person's hook agrees; moves it on `commit`. If the daemon dies before that, git gives the locks back.
 */
export async function holdRef(git: GitRunner, move: RefMove): Promise<HeldRef | RefKept> {
  const { branch, from, to, reason, identity } = move;
  const answer = Promise.withResolvers<"commit" | "abort">();
  const prepared = Promise.withResolvers<true>();
  async function* orders(): AsyncGenerator<string> {
    const order = from === null ? `create refs/heads/${branch} ${to}` : `update refs/heads/${branch} ${to} ${from}`;
    yield `start\n${order}\nprepare\n`;
    yield `${await answer.promise}\n`;
  }
  let told = "";
  const ended = git
    .run(["update-ref", "-m", reason, "--stdin"], {
      ...(await asPerson(move)),
      identity,
      input: orders(),
      timeoutMs: HELD_TIMEOUT_MS,
      endsGently: true,
      take: (chunk) => {
        told += chunk.toString();
        if (told.includes(PREPARED)) prepared.resolve(true);
        return null;
      },
    })
    .then(
      ({ stderr }) => stderr.trim(),
      (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
    );
  const outcome = await Promise.race([prepared.promise, ended]);
  if (outcome !== true) {
    // Ends the input, which nobody reads any more.
    answer.resolve("abort");
    return kept(git, move, outcome);
  }
  return {
    commit: async () => {
      answer.resolve("commit");
      const words = await ended;
      // A hook that fails afterwards does not take the move back.
      return (await tipIn(git, move)) === to ? { moved: true } : kept(git, move, words);
    },
    abort: async () => {
      answer.resolve("abort");
      await ended;
    },
  };
}

async function kept(git: GitRunner, move: RefMove, said: string): Promise<RefKept> {
  const words = said.slice(0, WORDS_CHARS);
  if (/aborted by (?:the reference-transaction )?hook/.test(said)) return { moved: false, why: "hook", words };
  const isMoved = (await tipIn(git, move)) !== move.from;
  return { moved: false, why: isMoved ? "tip" : "checkout", words: words || "the branch moved" };
}

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Where the branch points in the person's repository now; null when it is gone. */
export async function tipIn(
  git: GitRunner,
  { gitDir, branch }: { readonly gitDir: string; readonly branch: string },
): Promise<string | null> {
  // A ref of its own file counts before packed ones, and costs no process. Linked worktrees keep theirs elsewhere.
  const own = (await readSmall(join(gitDir, "refs", "heads", branch)))?.trim() ?? "";
  if (ID.test(own)) return own;
  const { exitCode, stdout } = await git.run(["rev-parse", "--verify", "-q", `refs/heads/${branch}`], { gitDir });
  return exitCode === 0 ? stdout.toString().trim() : null;
}

/** A daemon that runs as root writes as the owner of the repository, and runs their hooks as them. */
async function asPerson({ gitDir, root, hooks }: RefMove): Promise<GitOptions> {
  const { uid, gid } = await stat(gitDir);
  const isOther = process.getuid?.() === 0 && uid !== 0;
  return {
    gitDir,
    cwd: root ?? gitDir,
    ...(isOther ? { user: { uid, gid } } : {}),
    ...(hooks === null ? {} : { hooksPath: hooks }),
  };
}
