import { chmod, chown, copyFile, lstat, mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errno } from "../../errno.ts";
import { readSmallFile } from "../../files/small-file.ts";
import type { Repository } from "../../git/find-repository.ts";
import type { RepositoryView } from "../../git/repository-view.ts";

const PACK_TIMEOUT_MS = 600_000;
/** Names the `.keep` file of a pack that no ref leads to yet. */
const KEPT = "kept";
const KEPT_BYTES_MAX = 65_536;

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
  const beside = join(target, "..", `tmp_nomos_${crypto.randomUUID()}`);
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
