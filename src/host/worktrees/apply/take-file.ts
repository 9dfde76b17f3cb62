import type { BigIntStats } from "node:fs";
import { lstat, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errno } from "../../errno.ts";
import { copyPlain } from "../../files/copy-plain.ts";
import { type HeldFolder, holdFolder } from "../../files/held-folder.ts";
import type { RepositoryView } from "../../git/repository-view.ts";
import type { Entry } from "../../git/tree-diff.ts";
import { HostError } from "../../host-error.ts";

/** What lies at a path, taken without following any link. */
export type Found =
  | { readonly kind: "absent" }
  | { readonly kind: "folder" }
  | { readonly kind: "other" }
  /** A part of the path is no folder. */
  | { readonly kind: "blocked"; readonly by: string }
  | { readonly kind: "taken"; readonly entry: Entry; readonly copy: string; readonly stamp: string };

type Taken = Found | { readonly kind: "copied"; readonly mode: string; readonly copy: string; readonly stamp: string };

export interface TakeOptions {
  /** Must be a real path. */
  readonly root: string;
  readonly view: RepositoryView;
  /** Copies are put here, out of any agent's reach. */
  readonly scratch: string;
  readonly bytesMax: number;
}

/**
 * Copies files out of a tree that somebody may change meanwhile, through open handles, and stores their bytes in the
 * view. No attribute, filter or line ending has a say.
 */
export async function takeFiles(options: TakeOptions, paths: readonly string[]): Promise<ReadonlyMap<string, Found>> {
  const { root, view, scratch, bytesMax } = options;
  await using held = await holdFolder(root);
  if (held === null) throw notThere(root);
  const left = { bytes: bytesMax };
  const taken = new Map<string, Taken>();
  for (const path of paths) taken.set(path, await takeOne(held, path, join(scratch, String(taken.size)), left));
  const copied = [...taken].filter((pair): pair is [string, Extract<Taken, { kind: "copied" }>] => {
    return pair[1].kind === "copied";
  });
  const input = copied.map(([, { copy }]) => `${copy}\n`).join("");
  const told = await view.git.text(["hash-object", "-w", "--no-filters", "--stdin-paths"], { input });
  const ids = told.split("\n").filter(Boolean);
  if (ids.length !== copied.length)
    throw new HostError("git_failed", "git hash-object did not answer for all files", REMEDY);
  const entries = new Map(copied.map(([path, { mode }], at) => [path, { mode, id: ids[at] ?? "" }]));
  return new Map([...taken].map(([path, one]) => [path, withEntry(one, entries.get(path))]));
}

const REMEDY = { remedy: "try again" };

function withEntry(taken: Taken, entry: Entry | undefined): Found {
  if (taken.kind !== "copied") return taken;
  return { kind: "taken", copy: taken.copy, stamp: taken.stamp, entry: entry ?? { mode: "", id: "" } };
}

async function takeOne(root: HeldFolder, path: string, copy: string, left: { bytes: number }): Promise<Taken> {
  return inParent(root, path, async (parent, name, missing) => {
    if (parent === null) return missing;
    const found = await statAt(parent, name);
    if (found === null) return { kind: "absent" };
    if (found.isDirectory()) return { kind: "folder" };
    const stamp = stampOf(found);
    if (found.isSymbolicLink()) {
      await writeFile(copy, await readlink(parent.at(name), { encoding: "buffer" }));
      return { kind: "copied", mode: "120000", copy, stamp };
    }
    const taken = await copyPlain(parent, Buffer.from(name), Buffer.from(copy), ({ size }) => {
      left.bytes -= size;
      if (left.bytes < 0) throw tooMuch();
    });
    if (taken !== "taken") return { kind: taken === "gone" ? "absent" : "other" };
    return { kind: "copied", mode: (found.mode & 0o100n) === 0n ? "100644" : "100755", copy, stamp };
  });
}

/** Enters the folders of a path one by one, never through a link. `parent` is null where there is no such folder. */
export async function inParent<T>(
  root: HeldFolder,
  path: string,
  work: (parent: HeldFolder | null, name: string, missing: Found) => Promise<T>,
): Promise<T> {
  const parts = path.split("/");
  const opened: HeldFolder[] = [];
  let parent = root;
  try {
    for (const [at, part] of parts.slice(0, -1).entries()) {
      const inner = await parent.inner(part);
      if (inner === null) {
        const isThere = (await statAt(parent, part)) !== null;
        const by = parts.slice(0, at + 1).join("/");
        return await work(null, parts.at(-1) ?? "", isThere ? { kind: "blocked", by } : { kind: "absent" });
      }
      opened.push(inner);
      parent = inner;
    }
    return await work(parent, parts.at(-1) ?? "", { kind: "absent" });
  } finally {
    for (const folder of opened.toReversed()) await folder[Symbol.asyncDispose]();
  }
}

export async function statAt(parent: HeldFolder, name: string): Promise<BigIntStats | null> {
  return lstat(parent.at(name), { bigint: true }).catch((thrown: unknown) => {
    if (errno(thrown) === "ENOENT") return null;
    throw thrown;
  });
}

/** Changes with every write to the file, and when another one is put in its place. */
export function stampOf({ dev, ino, size, mtimeNs, ctimeNs, mode }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs, mode].join(" ");
}

function notThere(path: string): HostError {
  return new HostError("repository_invalid", `${path} is not a directory, or a link is on the way to it`, {
    remedy: "put it back where it was",
    details: { path },
  });
}

function tooMuch(): HostError {
  return new HostError("tree_too_large", "the changed files are too large", {
    remedy: "raise `worktree.bytesMax`, or copy large files by hand",
    details: { limit: "worktree.bytesMax" },
  });
}
