import { createHash, randomUUID } from "node:crypto";
import { access, link, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflate } from "node:zlib";
import type { RefPlace } from "./ref-place.ts";

export interface DocumentCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: { readonly name: string; readonly email: string };
  readonly atMs: number;
  readonly text: string;
}

const READ_ONLY = 0o444;

/** The bytes that git would make. */
export function commitBytes({ tree, parents, author, atMs, text }: DocumentCommit): Buffer {
  const who = `${author.name} <${author.email}> ${Math.max(0, Math.floor(atMs / 1000))} +0000`;
  const lines = [`tree ${tree}`, ...parents.map((oid) => `parent ${oid}`), `author ${who}`, `committer ${who}`];
  return Buffer.from(`${lines.join("\n")}\n\n${text}`);
}

/**
 * Writes a loose object as git does: under another name first, read-only. A process of git for each would take a tenth
 * of a claim across clones.
 */
export async function writeObject(place: RefPlace, bytes: Buffer, isFlushed: boolean): Promise<string> {
  const whole = Buffer.concat([Buffer.from(`commit ${bytes.length}\0`), bytes]);
  const oid = createHash(place.objectFormat).update(whole).digest("hex");
  const folder = join(place.commonDir, "objects", oid.slice(0, 2));
  const path = join(folder, oid.slice(2));
  if (await isThere(path)) return oid;
  await mkdir(folder, { recursive: true });
  // `git gc` removes what has this name and is old.
  const beside = join(folder, `tmp_obj_${randomUUID()}`);
  try {
    await using file = await open(beside, "wx", READ_ONLY);
    await file.writeFile(await promisify(deflate)(whole));
    if (isFlushed) await file.datasync();
    await link(beside, path);
  } catch (thrown) {
    if (!(await isThere(path))) throw thrown;
  } finally {
    await rm(beside, { force: true });
  }
  return oid;
}

/** Whether a process of this user writes what git would write: the owner and the mode of its files. */
export function writesAsGit({ config }: RefPlace, isOwner: boolean): boolean {
  const shared = config.get("core.sharedrepository")?.toLowerCase() ?? "umask";
  return isOwner && ["umask", "false", "0", "no", "off"].includes(shared);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
