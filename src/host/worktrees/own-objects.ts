import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryView } from "../git/repository-view.ts";

/**
 * The commits and tags made in a worktree: all in its own object store, whether a branch, a stash, a reflog or nothing
 * names them. Looking at objects instead of refs cannot miss any.
 */
export async function ownCommits(
  view: RepositoryView,
  objects: string,
): Promise<{ readonly commits: readonly string[]; readonly tags: readonly string[] }> {
  const ids = [...(await looseIds(objects)), ...(await packedIds(view, objects))];
  if (ids.length === 0) return { commits: [], tags: [] };
  const input = `${ids.join("\n")}\n`;
  const listed = await view.git.text(["cat-file", "--batch-check=%(objectname) %(objecttype)"], { input });
  const lines = listed.split("\n").map((line) => line.split(" "));
  const damaged = lines.find(([, type]) => !["blob", "tree", "commit", "tag"].includes(type ?? ""));
  if (damaged !== undefined) throw new Unclear(`object ${damaged[0]} cannot be read`);
  const of = (wanted: string) => lines.flatMap(([id = "", type]) => (type === wanted ? [id] : []));
  return { commits: of("commit"), tags: of("tag") };
}

/** It cannot be determined what a worktree contains, so it is kept. */
export class Unclear extends Error {}

async function looseIds(objects: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const name of await readdir(await plainFolder(objects))) {
    if (!/^[0-9a-f]{2}$/.test(name)) continue;
    const rest = await readdir(await plainFolder(join(objects, name)));
    ids.push(...rest.filter((one) => LOOSE.test(one)).map((one) => name + one));
  }
  return ids;
}

const LOOSE = /^([0-9a-f]{38}|[0-9a-f]{62})$/;
const PACK_INDEX_BYTES_MAX = 1_073_741_824;

async function packedIds(view: RepositoryView, objects: string): Promise<readonly string[]> {
  const folder = await plainFolder(join(objects, "pack"));
  const ids: string[] = [];
  for (const name of (await readdir(folder)).filter((one) => one.endsWith(".idx"))) {
    const path = join(folder, name);
    const found = await lstat(path);
    if (!found.isFile() || found.size > PACK_INDEX_BYTES_MAX) throw new Unclear(`${name} is no index of a pack`);
    const listed = await view.git.text(["show-index"], { input: await readFile(path) });
    ids.push(...listed.split("\n").flatMap((line) => line.split(" ")[1] ?? []));
  }
  return ids;
}

async function plainFolder(path: string): Promise<string> {
  const found = await lstat(path).catch(() => null);
  if (found?.isDirectory() === true) return path;
  throw new Unclear(`${path} is no folder`);
}
