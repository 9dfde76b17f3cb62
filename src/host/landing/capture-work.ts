import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { copyPlain } from "../files/copy-plain.ts";
import { holdFolder } from "../files/held-folder.ts";
import type { Repository } from "../git/find-repository.ts";
import type { RepositoryView } from "../git/repository-view.ts";
import { sessionChanges } from "../worktrees/apply/session-changes.ts";
import type { Look } from "../worktrees/find-work.ts";

/** What a worktree holds, put where no agent can write: later changes of the worktree do not reach it. */
export interface CapturedWork {
  /** The worktree's commit; null when it has none. */
  readonly head: string | null;
  /** Its files as they were, committed or not. */
  readonly tree: string;
  /** The user's commit that the worktree derives from. */
  readonly userBase: string | null;
  /** Object directories that the worktree may read, without those of its own. */
  readonly sharedObjects: readonly string[];
  /** Repositories inside of the worktree; their files are not part of it. */
  readonly nested: readonly string[];
  /** The user's repository: null when it is gone. */
  readonly repository: { readonly root: string | null; readonly gitDir: string } | null;
  /** Why git does not accept its objects; null when it does. */
  readonly fault: string | null;
}

const PACK_TIMEOUT_MS = 600_000;
const FAULT_CHARS = 500;
const CAPTURER = { name: "Nomos", email: "nomos@localhost" } as const;

/** `folder` gets an object store with everything that the session added. */
export async function captureWork(look: Look, folder: string): Promise<CapturedWork> {
  const { view, record, user } = look;
  await useOwnShallow(view, user);
  const { tree, head, nested } = await sessionChanges(look);
  const userBase = record.userBase ?? record.base;
  const parents = head === null ? [] : ["-p", head];
  const { git } = view;
  const kept = await git.text(["commit-tree", tree, ...parents, "-m", "captured"], { identity: CAPTURER });
  const packs = join(folder, "objects", "pack");
  await mkdir(packs, { recursive: true, mode: 0o700 });
  const input = [kept, ...(userBase === null ? [] : [`^${userBase}`])].map((id) => `${id}\n`).join("");
  const name = await git.text(["pack-objects", "-q", "--revs", join(packs, "pack")], {
    input,
    timeoutMs: PACK_TIMEOUT_MS,
  });
  const fault = await faultOf(view, join(packs, `pack-${name.trim()}.pack`), join(folder, "checked.idx"));
  const repository = user === null ? null : { root: user.root, gitDir: user.commonDir };
  return { head, tree, userBase, nested, repository, sharedObjects: record.objectDirs, fault };
}

/**
 * A `shallow` file cuts the history off where it says. The one in the worktree is the agent's: it could hide commits.
 */
async function useOwnShallow({ gitDir }: RepositoryView, user: Repository | null): Promise<void> {
  const shallow = join(gitDir, "shallow");
  await rm(shallow, { force: true });
  await using source = user === null ? null : await holdFolder(user.commonDir);
  if (source !== null) await copyPlain(source, Buffer.from("shallow"), Buffer.from(shallow));
}

/** Git's own rules for objects from strangers: names such as `.git`, broken links, planted `.gitmodules`. */
async function faultOf({ git }: RepositoryView, pack: string, index: string): Promise<string | null> {
  const args = ["-c", "fsck.zeroPaddedFilemode=error", "index-pack", "--strict", "--fsck-objects", "-o", index, pack];
  const { exitCode, stderr } = await git.run(args, { timeoutMs: PACK_TIMEOUT_MS });
  await rm(index, { force: true });
  return exitCode === 0 ? null : (stderr.trim() || `git index-pack ended with ${exitCode}`).slice(0, FAULT_CHARS);
}
