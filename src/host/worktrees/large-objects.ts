import { copyFile, link, lstat, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errno } from "../errno.ts";
import { sideBySide } from "../files/copy-plain.ts";

/** Packing compresses a loose object again. A large one is faster to take as a file, which holds nothing else. */
const LARGE_BYTES = 32_768;

/** The ids of large loose objects in an object store. */
export async function largeObjects(store: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const folders = (await readdir(store)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  await sideBySide(folders, async (folder) => {
    for (const name of await readdir(join(store, folder)))
      if ((await lstat(join(store, folder, name))).size > LARGE_BYTES) ids.add(folder + name);
  });
  return ids;
}

/** Splits a list of ids into those in the set and the rest. */
export function splitIds(lines: Buffer, set: ReadonlySet<string>): { readonly inSet: string[]; readonly rest: Buffer } {
  if (set.size === 0) return { inSet: [], rest: lines };
  const inSet: string[] = [];
  const rest: Buffer[] = [];
  let from = 0;
  for (let at = 0; at < lines.length; ) {
    const end = lines.indexOf(NEWLINE, at);
    const next = end < 0 ? lines.length : end + 1;
    const id = lines.toString("latin1", at, end < 0 ? lines.length : end);
    if (set.has(id)) {
      inSet.push(id);
      rest.push(lines.subarray(from, at));
      from = next;
    }
    at = next;
  }
  return { inSet, rest: Buffer.concat([...rest, lines.subarray(from)]) };
}

const NEWLINE = 0x0a;

export async function linkObjects(from: string, to: string, ids: readonly string[]): Promise<void> {
  await sideBySide(ids, async (id) => {
    const path = looseFile(to, id);
    await mkdir(dirname(path), { recursive: true });
    await linkOrCopy(looseFile(from, id), path);
  });
}

export function looseFile(store: string, id: string): string {
  return join(store, id.slice(0, 2), id.slice(2));
}

/** Keeps a file that exists already. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (thrown: unknown) => {
    if (errno(thrown) === "EEXIST") return;
    if (!NO_LINK.includes(errno(thrown) ?? "")) throw thrown;
    await copyFile(from, to);
  });
}

/** The file system supports no hard links, or no more of them. */
const NO_LINK = ["EPERM", "EMLINK", "ENOTSUP", "ENOSYS", "EXDEV"];
