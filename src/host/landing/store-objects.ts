import { chmod, chown, mkdir, open, readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../git/find-repository.ts";
import type { RepositoryView } from "../git/repository-view.ts";

const PACK_TIMEOUT_MS = 600_000;

/**
 * Puts a commit and what it needs into the person's repository, as one pack. A pack counts once its index is there, so
 * the index comes last; nothing refers to the objects before the branch moves.
 */
export async function storeObjects(
  { git }: RepositoryView,
  { commonDir }: Repository,
  { from, to }: { readonly from: string; readonly to: string },
  scratch: string,
): Promise<void> {
  const made = join(scratch, "pack");
  await mkdir(made, { recursive: true, mode: 0o700 });
  await git.must(["pack-objects", "-q", "--revs", join(made, "pack")], {
    input: `${to}\n^${from}\n`,
    timeoutMs: PACK_TIMEOUT_MS,
  });
  const target = join(commonDir, "objects", "pack");
  await mkdir(target, { recursive: true });
  const { uid, gid } = await stat(target);
  const names = (await readdir(made)).toSorted((a, b) => Number(a.endsWith(".idx")) - Number(b.endsWith(".idx")));
  for (const name of names) await moveInto(join(made, name), join(target, name), { uid, gid });
  await syncFolder(target);
}

async function moveInto(
  source: string,
  target: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): Promise<void> {
  await chmod(source, 0o444);
  if (process.getuid?.() === 0) await chown(source, uid, gid);
  await rename(source, target).catch(async (thrown: unknown) => {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EXDEV")) throw thrown;
    await copyAcross(source, target, { uid, gid });
  });
}

/** The home may lie on another disk. Under another name first: git takes up whatever is called `pack-*`. */
async function copyAcross(
  source: string,
  target: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): Promise<void> {
  const beside = join(target, "..", `tmp_nomos_${crypto.randomUUID()}`);
  const [from, to] = [await open(source, "r"), await open(beside, "wx", 0o444)];
  try {
    for await (const chunk of from.createReadStream({ autoClose: false })) await to.write(chunk);
    if (process.getuid?.() === 0) await to.chown(uid, gid);
    await to.sync();
  } finally {
    await from.close();
    await to.close();
  }
  await rename(beside, target);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}
