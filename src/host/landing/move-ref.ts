import type { GitRunner } from "../git/run-git.ts";

export interface RefMove {
  /** Holds HEAD: a checkout's own git dir, so that its reflog is written too. */
  readonly gitDir: string;
  readonly branch: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  readonly identity: { readonly name: string; readonly email: string };
  /** The person's hooks: one called `reference-transaction` may refuse. */
  readonly hooks: string | null;
}

export type RefMoved =
  | { readonly moved: true }
  | { readonly moved: false; readonly why: "tip" | "hook"; readonly words: string };

const REF_TIMEOUT_MS = 60_000;
const WORDS_CHARS = 500;

/** Compare and swap: the branch moves only if it still points at `from`. Never forced, never a second try. */
export async function moveRef(git: GitRunner, move: RefMove): Promise<RefMoved> {
  const { gitDir, branch, from, to, reason, identity, hooks } = move;
  const ref = `refs/heads/${branch}`;
  const { exitCode, stderr } = await git.run(["update-ref", "--create-reflog", "-m", reason, ref, to, from], {
    gitDir,
    identity,
    timeoutMs: REF_TIMEOUT_MS,
    ...(hooks === null ? {} : { hooksPath: hooks }),
  });
  if (exitCode === 0) return { moved: true };
  const words = stderr.trim().slice(0, WORDS_CHARS);
  return { moved: false, why: /hook|aborted/i.test(words) ? "hook" : "tip", words };
}
