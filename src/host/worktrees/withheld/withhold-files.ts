import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { deflate } from "node:zlib";
import type { GitRunner } from "../../git/run-git.ts";
import { looseFile } from "../large-objects.ts";

/** Files that a worktree must not have: neither in its tree nor in any commit that it can read. */
export interface Withheld {
  /** Of all their versions. */
  readonly blobs: readonly string[];
  /** Lines `<id> <name>`: git shows a placeholder for each, where it would stop at a missing object. */
  readonly refs: readonly string[];
}

const LONG = { timeoutMs: 600_000 } as const;
const PLACEHOLDER = Buffer.from("[withheld: this session works without this file]\n");

/** The versions of all files in these folders, in everything that the tips reach. */
export async function findWithheld(
  git: GitRunner,
  tips: readonly string[],
  folders: readonly string[],
  format: "sha1" | "sha256",
): Promise<Withheld> {
  if (folders.length === 0 || tips.length === 0) return { blobs: [], refs: [] };
  const args = ["rev-list", "--objects", "--full-history", "--no-object-names", "--filter=object:type=blob"];
  const told = await git.text([...args, "--filter-provided-objects", "--stdin", "--", ...folders], {
    ...LONG,
    input: lines(tips),
  });
  const blobs = [...new Set(told.split("\n").filter(Boolean))];
  return { blobs, refs: blobs.map((id) => `${placeholderId(format)} refs/replace/${id}`) };
}

/** Removes them from objects that are this worktree's own: packs that hold one are made anew without it. */
export async function dropObjects(git: GitRunner, objects: string, { blobs }: Withheld, format: "sha1" | "sha256") {
  if (blobs.length === 0) return;
  const without = new Set(blobs);
  for (const id of blobs) await rm(looseFile(objects, id), { force: true });
  const folder = join(objects, "pack");
  for (const name of (await readdir(folder)).filter((one) => one.endsWith(".idx"))) {
    const told = await git.text(["show-index"], { ...LONG, input: await readFile(join(folder, name)) });
    const all = told.split("\n").flatMap((line) => line.split(" ")[1] ?? []);
    const kept = all.filter((id) => !without.has(id));
    if (kept.length === all.length) continue;
    const flags = ["-q", "--window=0", "--delta-base-offset", "--compression=1"];
    if (kept.length > 0)
      await git.text(["pack-objects", ...flags, join(folder, "pack")], { ...LONG, input: lines(kept) });
    const old = name.slice(0, -".idx".length);
    for (const ending of ["pack", "rev", "idx"]) await rm(join(folder, `${old}.${ending}`), { force: true });
  }
  const path = looseFile(objects, placeholderId(format));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await promisify(deflate)(placeholder()));
}

/** Takes them out of a checked-out tree. The index says that they are left out, and not that they were deleted. */
export async function dropFiles(git: GitRunner, workTree: string, indexFile: string, folders: readonly string[]) {
  if (folders.length === 0) return;
  const told = await git.must(["ls-files", "-z", "--", ...folders], { indexFile, workTree });
  if (told.length === 0) return;
  await git.must(["update-index", "-z", "--skip-worktree", "--stdin"], { indexFile, workTree, input: told });
  for (const folder of folders) await rm(join(workTree, folder), { recursive: true, force: true });
}

const placeholder = (): Buffer => Buffer.concat([Buffer.from(`blob ${PLACEHOLDER.length}\0`), PLACEHOLDER]);

function placeholderId(format: "sha1" | "sha256"): string {
  return createHash(format).update(placeholder()).digest("hex");
}

function lines(list: readonly string[]): string {
  return list.map((one) => `${one}\n`).join("");
}
