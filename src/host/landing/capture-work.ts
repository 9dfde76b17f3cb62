import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { copyPlain } from "../files/copy-plain.ts";
import { holdFolder } from "../files/held-folder.ts";
import { writeGitConfig } from "../git/config-file.ts";
import type { Repository } from "../git/find-repository.ts";
import { alternates, formatSections, type RepositoryView } from "../git/repository-view.ts";
import { refuseManyFiles } from "../git/tree-bounds.ts";
import { HostError } from "../host-error.ts";
import { removeTree } from "../trash/remove-tree.ts";
import { sessionChanges } from "../worktrees/apply/session-changes.ts";
import type { Look } from "../worktrees/find-work.ts";
import { asStored } from "./as-stored.ts";
import { COMMITS_MAX } from "./make-commits.ts";
import { unmergedFiles } from "./unmerged-files.ts";

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
  /** Work that is in none of the commits, because a repository or a submodule is in its place. */
  readonly omitted: readonly string[];
  /** Files of a merge that the session did not finish. */
  readonly unmerged: readonly string[];
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
  const { tree: asTheyLie, head, nested, omitted } = await sessionChanges(look).catch(orInvalid);
  const unmerged = await unmergedFiles(look);
  const tree = await asStored(look, { head, tree: asTheyLie });
  const userBase = record.userBase ?? record.base;
  const parents = head === null ? [] : ["-p", head];
  const { git } = view;
  await refuseBombs(look, head, asTheyLie, userBase);
  const kept = await git.text(["commit-tree", tree, ...parents, "-m", "captured"], { identity: CAPTURER });
  const input = [kept, ...(userBase === null ? [] : [`^${userBase}`])].map((id) => `${id}\n`).join("");
  const raw = join(folder, "raw");
  await mkdir(raw, { recursive: true, mode: 0o700 });
  const name = await git.text(["pack-objects", "-q", "--revs", join(raw, "pack")], {
    input,
    timeoutMs: PACK_TIMEOUT_MS,
  });
  const fault = await settlePack(look, join(raw, `pack-${name.trim()}.pack`), folder);
  await removeTree(raw);
  const repository = user === null ? null : { root: user.root, gitDir: user.commonDir };
  return { head, tree, userBase, nested, omitted, unmerged, repository, sharedObjects: record.objectDirs, fault };
}

/** A name that git never checks out, such as `.git/config` or `../x`, was put into a commit by hand. */
function orInvalid(thrown: unknown): never {
  const reason = thrown instanceof HostError ? /invalid path .*/.exec(thrown.message)?.[0] : undefined;
  if (reason === undefined) throw thrown;
  throw new HostError("repository_invalid", `git does not check out the worktree's commit: ${reason}`, {
    remedy: "make the commit anew without it: `git reset --soft HEAD~1` in the worktree",
    details: { reason },
    cause: thrown,
  });
}

/**
 * A few trees that name each other are more files than any disk has. Git keeps all of them in memory to compare two
 * commits; here it only lists. A history of more commits is refused later, or none of them is looked at.
 */
async function refuseBombs(
  { view: { git }, bounds }: Look,
  head: string | null,
  tree: string,
  userBase: string | null,
): Promise<void> {
  if (head === null) return;
  const listed = ["rev-list", `--max-count=${COMMITS_MAX + 1}`, "--no-commit-header", "--format=%T", head];
  const trees = await git.text([...listed, ...(userBase === null ? [] : [`^${userBase}`])], {
    timeoutMs: PACK_TIMEOUT_MS,
  });
  const all = trees.split("\n").filter(Boolean);
  if (all.length > COMMITS_MAX) return;
  // That of the files as they are is known to have no more.
  for (const one of new Set(all)) if (one !== tree) await refuseManyFiles(git, one, bounds);
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

/**
 * Checks objects by git's own rules for objects from strangers: names such as `.git`, broken links, planted
 * `.gitmodules`. Where the agent's objects cannot be seen, and with an index of its own: the one that comes with the pack
 * names objects as the agent's store did, whatever is in them.
 */
async function settlePack({ git, user, record, own }: Look, pack: string, folder: string): Promise<string | null> {
  const gitDir = join(own, "strangers");
  const objects = join(gitDir, "objects");
  const packs = join(folder, "objects", "pack");
  for (const path of [join(objects, "info"), join(objects, "pack"), join(gitDir, "refs"), packs])
    await mkdir(path, { recursive: true, mode: 0o700 });
  await writeFile(join(gitDir, "HEAD"), "ref: refs/heads/none\n");
  const { objectFormat } = record;
  const empty = { entries: [], get: () => undefined };
  const format = formatSections({ objectFormat, refFormat: "files", config: empty });
  await writeFile(join(gitDir, "config"), writeGitConfig(format));
  await writeFile(join(objects, "info", "alternates"), alternates([...record.objectDirs, ...(user?.objectDirs ?? [])]));
  const known = join(packs, basename(pack));
  await rename(pack, known);
  const args = [
    "index-pack",
    "--strict=badFilemode=error",
    "--fsck-objects",
    "-o",
    known.replace(/pack$/, "idx"),
    known,
  ];
  const { exitCode, stderr } = await git.run(args, { gitDir, timeoutMs: PACK_TIMEOUT_MS });
  if (exitCode === 0) return null;
  await rm(known, { force: true });
  return (stderr.trim() || `git index-pack ended with ${exitCode}`).slice(0, FAULT_CHARS);
}
