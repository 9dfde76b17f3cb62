import { createHash } from "node:crypto";
import { lstat, readlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type HeldFolder, holdFolder } from "../files/held-folder.ts";
import type { RepositoryView } from "../git/repository-view.ts";
import type { Entry } from "../git/tree-diff.ts";
import { inParent, statAt } from "../worktrees/apply/take-file.ts";
import { matchedByRules } from "../worktrees/left-files.ts";
import type { WorktreePlace, WorktreeRecord } from "../worktrees/worktree-record.ts";
import type { BaseFacts, Ground } from "./radar-ground.ts";

/** A path whose contents differ from the commit that the tree was made from. */
export interface Change {
  readonly path: string;
  /** Null: it is gone. */
  readonly entry: Entry | null;
  readonly base: Entry | null;
  /** Too large: `entry` names a note of its size and time instead. */
  readonly isLarge: boolean;
}

export interface TakenChange extends Change {
  readonly content: Buffer | null;
}

export interface TakenPaths {
  readonly changed: readonly TakenChange[];
  /** As in the base, ignored, or no files. */
  readonly same: readonly string[];
}

/** The bytes of one look. What comes after them counts as large. */
const LOOK_BYTES_MAX = 67_108_864;
const FOLDER_MODE = "040000";

/** Reads these paths through open handles: a link that an agent puts in the way leads nowhere. */
export async function takeChanges(
  { view }: Ground,
  { place: { tree }, record }: { readonly place: WorktreePlace; readonly record: WorktreeRecord },
  base: BaseFacts,
  paths: readonly string[],
  fileBytesMax: number,
): Promise<TakenPaths> {
  const { objectFormat, userBase, base: madeFrom } = record;
  const commit = userBase ?? madeFrom;
  await using held = await holdFolder(tree);
  if (held === null) return { changed: [], same: paths };
  const before = commit === null ? new Map<string, Entry>() : await entriesAt(view, commit, paths);
  const left = { bytes: LOOK_BYTES_MAX };
  const taken: TakenChange[] = [];
  for (const path of paths) {
    const was = before.get(path) ?? null;
    const now = await takeOne(held, path, { fileBytesMax, left });
    if (now === "folder" && was?.mode === FOLDER_MODE) continue;
    const is = now === null || now === "folder" ? null : now;
    const entry = is === null ? null : { mode: is.mode, id: blobId(objectFormat, is.content) };
    if (entry?.id === was?.id && entry?.mode === was?.mode) continue;
    taken.push({ path, entry, base: was, isLarge: is?.isLarge === true, content: is?.content ?? null });
  }
  const unknown = taken.filter(({ base: was }) => was === null).map(({ path }) => path);
  const ignored = unknown.length === 0 ? new Set<string>() : await matchedByRules(view, base.rules, unknown);
  const nested = await inRepositories(tree, base, unknown);
  const changed = taken.filter(({ path }) => !ignored.has(path) && !nested.has(path));
  const kept = new Set(changed.map(({ path }) => path));
  return { changed, same: paths.filter((path) => !kept.has(path)) };
}

/** What a commit has at these paths: files, links, folders. */
export async function entriesAt(
  { git }: Pick<RepositoryView, "git">,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Entry>> {
  const found = new Map<string, Entry>();
  for (const some of inArguments(paths)) {
    const listed = (await git.must(["ls-tree", "-z", "--full-tree", commit, "--", ...some])).toString();
    for (const line of listed.split("\0")) {
      const [, mode = "", id = "", path = ""] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(line) ?? [];
      if (path !== "") found.set(path, { mode, id });
    }
  }
  return found;
}

const ARGUMENTS_MAX = 500;
const ARGUMENT_CHARS_MAX = 60_000;

/** Paths in as many commands as their length needs. */
export function* inArguments(paths: readonly string[]): Generator<readonly string[]> {
  let some: string[] = [];
  let chars = 0;
  for (const path of paths) {
    if (some.length === ARGUMENTS_MAX || chars + path.length > ARGUMENT_CHARS_MAX) {
      yield some;
      [some, chars] = [[], 0];
    }
    some.push(path);
    chars += path.length;
  }
  if (some.length > 0) yield some;
}

interface TakenFile {
  readonly mode: string;
  readonly content: Buffer;
  readonly isLarge: boolean;
}

/** Null: nothing is there that git would store. */
async function takeOne(
  root: HeldFolder,
  path: string,
  { fileBytesMax, left }: { readonly fileBytesMax: number; readonly left: { bytes: number } },
): Promise<TakenFile | "folder" | null> {
  return inParent(root, path, async (parent, name) => {
    const found = parent === null ? null : await statAt(parent, name);
    if (parent === null || found === null) return null;
    if (found.isDirectory()) return "folder";
    if (found.isSymbolicLink())
      return { mode: "120000", content: await readlink(parent.at(name), { encoding: "buffer" }), isLarge: false };
    if (!found.isFile()) return null;
    const mode = (found.mode & 0o100n) === 0n ? "100644" : "100755";
    const size = Number(found.size);
    if (size > fileBytesMax || size > left.bytes) {
      const note = `a file of ${size} bytes, changed at ${found.mtimeNs}, number ${found.ino}\n`;
      return { mode, content: Buffer.from(note), isLarge: true };
    }
    left.bytes -= size;
    await using file = await parent.file(name);
    if (file === null) return null;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
    return { mode, content: buffer.subarray(0, bytesRead), isLarge: false };
  }).catch((thrown: unknown) => {
    // What cannot be read cannot be compared: the agent took its own rights away, or the file was replaced meanwhile.
    if (thrown instanceof Error && "code" in thrown) return null;
    throw thrown;
  });
}

function blobId(format: "sha1" | "sha256", content: Buffer): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** Files of repositories inside the worktree are not part of it. */
async function inRepositories(
  tree: string,
  { folders }: BaseFacts,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = new Map<string, Promise<boolean>>();
  const isIn = async (path: string): Promise<boolean> => {
    const folder = dirname(path);
    if (folder === "." || folders.has(folder)) return false;
    const found =
      known.get(folder) ??
      lstat(join(tree, folder, ".git")).then(
        () => true,
        () => isIn(folder),
      );
    known.set(folder, found);
    return found;
  };
  const found = new Set<string>();
  for (const path of paths) if (await isIn(path)) found.add(path);
  return found;
}
