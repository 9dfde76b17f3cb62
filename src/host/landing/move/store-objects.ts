import { chmod, chown, copyFile, lstat, mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errno } from "../../errno.ts";
import { readSmallFile } from "../../files/small-file.ts";
import type { Repository } from "../../git/find-repository.ts";
import type { RepositoryView } from "../../git/repository-view.ts";
import type { CheckoutMove } from "./checkout-move.ts";

const PACK_TIMEOUT_MS = 600_000;
/** Names the `.keep` file of a pack that no ref leads to yet. */
const KEPT = "kept";
const KEPT_BYTES_MAX = 65_536;

/** Puts the commit that a branch moves to into the person's repository, with all that it brings. */
export function storeWork({
  view,
  repository,
  ref,
  folder,
  isLight = false,
}: Omit<CheckoutMove, "checkout">): Promise<void> {
  return isLight ? storeLoose(view, repository, ref) : storeObjects(view, repository, ref, folder);
}

/**
 * Puts a commit and what it needs into the person's repository, as one pack. A pack counts once its index is there, so
 * the index comes last. Until `releaseObjects`, a `.keep` file keeps the person's `git gc` from removing it.
 */
export async function storeObjects(
  { git }: RepositoryView,
  { commonDir }: Repository,
  { from, to }: { readonly from: string | null; readonly to: string },
  scratch: string,
): Promise<void> {
  const made = join(scratch, "pack");
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { recursive: true, mode: 0o700 });
  await git.must(["pack-objects", "-q", "--revs", "--non-empty", join(made, "pack")], {
    input: `${to}\n${from === null ? "" : `^${from}\n`}`,
    timeoutMs: PACK_TIMEOUT_MS,
  });
  const target = join(commonDir, "objects", "pack");
  await mkdir(target, { recursive: true });
  const names = (await readdir(made)).toSorted((a, b) => Number(a.endsWith(".idx")) - Number(b.endsWith(".idx")));
  const [pack] = names.filter((name) => name.endsWith(".pack"));
  if (pack === undefined) return;
  await keep(join(target, pack.replace(/pack$/, "keep")), scratch);
  const owner = await stat(target);
  for (const name of names) await moveInto(join(made, name), join(target, name), owner);
  await syncFolder(target);
}

/**
 * Puts the few objects that a commit brings into the person's repository one by one, as `git commit` does: a pack for each
 * of many small commits would slow their git down. The commit comes last.
 */
async function storeLoose(
  { git, gitDir }: RepositoryView,
  { commonDir }: Repository,
  { to }: { readonly to: string },
): Promise<void> {
  const args = ["rev-list", "--objects", "--no-object-names", to, "--not", `${to}^@`];
  const ids = (await git.text(args, { timeoutMs: PACK_TIMEOUT_MS })).split("\n").filter(Boolean);
  const target = join(commonDir, "objects");
  const owner = await stat(target);
  const touched = new Set<string>([target]);
  for (const id of ids.toReversed()) {
    const [folder, name] = [id.slice(0, 2), id.slice(2)];
    const made = join(gitDir, "objects", folder, name);
    // What the view did not make is in the repository already.
    if ((await lstat(made).catch(() => null)) === null) continue;
    const place = join(target, folder);
    if ((await mkdir(place, { recursive: true })) !== undefined) await openAs(place, owner);
    if ((await lstat(join(place, name)).catch(() => null)) === null)
      await copyAcross(made, join(place, name), { ...owner, mode: owner.mode & 0o444 });
    touched.add(place);
  }
  for (const folder of touched) await syncFolder(folder);
}

async function openAs(folder: string, { uid, gid, mode }: Owner): Promise<void> {
  if (process.getuid?.() === 0) await chown(folder, uid, gid);
  await chmod(folder, mode & 0o2777);
}

/** Called when the branch leads to them, or never will. */
export async function releaseObjects(scratch: string): Promise<void> {
  const kept = await readSmallFile(join(scratch, KEPT), KEPT_BYTES_MAX);
  if (kept === null) return;
  await rm(kept, { force: true }).catch((thrown: unknown) => {
    // It was not made either.
    if (errno(thrown) !== "EROFS") throw thrown;
  });
  await rm(join(scratch, KEPT), { force: true });
}

/** One that is there is somebody else's, and stays. */
async function keep(path: string, scratch: string): Promise<void> {
  if ((await lstat(path).catch(() => null)) !== null) return;
  await writeFile(join(scratch, KEPT), path);
  await writeFile(path, "nomos landing\n", { flag: "wx", mode: 0o600 });
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

async function moveInto(source: string, target: string, owner: Owner): Promise<void> {
  // A pack is named after its bytes.
  if ((await lstat(target).catch(() => null)) !== null) return;
  await giveTo(source, owner);
  await flush(source);
  await rename(source, target).catch(async (thrown: unknown) => {
    if (errno(thrown) !== "EXDEV") throw thrown;
    await copyAcross(source, target, owner);
  });
}

/** The home may lie on another disk. Under another name first: git takes up whatever is called `pack-*`. */
async function copyAcross(source: string, target: string, owner: Owner): Promise<void> {
  const beside = join(target, "..", `tmp_obj_nomos_${crypto.randomUUID()}`);
  try {
    await copyFile(source, beside);
    await giveTo(beside, owner);
    await flush(beside);
    await rename(beside, target);
  } catch (thrown) {
    await rm(beside, { force: true });
    throw thrown;
  }
}

/** Whoever may list the folder may read its packs, as `core.sharedRepository` or a umask made it. */
async function giveTo(path: string, { uid, gid, mode }: Owner): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, uid, gid);
  await chmod(path, mode & 0o444);
}

async function flush(path: string): Promise<void> {
  const file = await open(path, "r");
  await file.sync().finally(() => file.close());
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}
