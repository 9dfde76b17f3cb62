import { tmpdir } from "node:os";
import { NomosError } from "../../contract/index.ts";
import { openObjectsView, type Repository, type RepositoryGit, readBlobs } from "../../host/index.ts";
import { fromTree, inTree, LAW_DIR } from "./law-path.ts";

/** The files of one commit. Git sees a view of ours: no configuration, filter, hook or ref of the repository. */
export interface TreeReader {
  /** Whether there is a regular file. */
  readonly has: (path: string) => Promise<boolean>;
  /** Null when there is none. Refuses a link, a submodule, a file that is too large, and bytes that are not UTF-8. */
  readonly read: (path: string, bytesMax?: number) => Promise<string | null>;
  /** Many files in one go; those that do not exist are left out. */
  readonly readAll: (paths: readonly string[], bytesMax?: number) => Promise<ReadonlyMap<string, string>>;
  /** What is directly in a folder; empty when there is no such folder. The root is the empty path. */
  readonly list: (dir: string) => Promise<readonly TreeEntry[]>;
}

export interface TreeEntry {
  readonly name: string;
  readonly path: string;
  readonly kind: "file" | "folder" | "link" | "submodule";
  readonly id: string;
  /** Of a file; otherwise 0. */
  readonly bytes: number;
}

export interface TreePlace {
  readonly git: RepositoryGit;
  readonly repository: Repository;
  readonly commit: string;
  /** For temporary files, out of any agent's reach. */
  readonly scratch?: string;
  /** Where the files of `.nomos` lie in the commit; default: there. */
  readonly lawFolder?: string;
  /** An open view of the repository; default: one is made for each question. */
  readonly within?: RepositoryGit;
}

/** The largest file of a law. A ticket is smaller, and says so. */
export const LAW_FILE_BYTES_MAX = 1_048_576;
const PATHS_AT_ONCE = 200;

export function readTree(place: TreePlace): TreeReader {
  const { git, repository, commit, scratch = tmpdir(), lawFolder = LAW_DIR, within: opened } = place;
  const placed = (path: string): string => inTree(lawFolder, path);
  const inView = async <T>(work: (within: RepositoryGit) => Promise<T>): Promise<T> => {
    if (opened !== undefined) return work(opened);
    await using view = await openObjectsView(git, repository, scratch);
    return await work(view.git);
  };
  const readAll: TreeReader["readAll"] = (paths, bytesMax = LAW_FILE_BYTES_MAX) =>
    inView(async (within) => {
      const found = named(lawFolder, await entriesAt(within, commit, paths.map(placed)));
      for (const one of found) refuseOdd(one, bytesMax);
      const ids = [...new Set(found.map(({ id }) => id))];
      const blobs = new Map<string, Buffer | null>();
      await readBlobs(
        { git: within },
        ids,
        (id, bytes) => void blobs.set(id, bytes === null ? null : Buffer.from(bytes)),
      );
      return new Map(found.map(({ path, id }) => [path, textOf(path, blobs.get(id) ?? null)]));
    });
  return {
    has: (path) =>
      inView(async (within) => (await entriesAt(within, commit, [placed(path)])).some(({ kind }) => kind === "file")),
    readAll,
    read: async (path, bytesMax) => (await readAll([path], bytesMax)).get(path) ?? null,
    list: (dir) =>
      inView(async (within) => {
        const folder = placed(dir);
        return named(lawFolder, await listed(within, commit, folder === "" ? [] : [`${plain(folder)}/`]));
      }),
  };
}

function named(lawFolder: string, entries: readonly TreeEntry[]): readonly TreeEntry[] {
  return lawFolder === LAW_DIR ? entries : entries.map((one) => ({ ...one, path: fromTree(lawFolder, one.path) }));
}

async function entriesAt(git: RepositoryGit, commit: string, paths: readonly string[]): Promise<readonly TreeEntry[]> {
  const found: TreeEntry[] = [];
  for (let at = 0; at < paths.length; at += PATHS_AT_ONCE)
    found.push(...(await listed(git, commit, paths.slice(at, at + PATHS_AT_ONCE).map(plain))));
  return found;
}

async function listed(git: RepositoryGit, commit: string, paths: readonly string[]): Promise<readonly TreeEntry[]> {
  const told = (await git.must(["ls-tree", "-z", "-l", "--full-tree", commit, "--", ...paths])).toString();
  return told
    .split("\0")
    .filter(Boolean)
    .map((line) => {
      const [, mode = "", id = "", size = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+) +(\S+)\t(.*)$/s.exec(line) ?? [];
      return { path, name: path.slice(path.lastIndexOf("/") + 1), kind: kindOf(mode), id, bytes: Number(size) || 0 };
    });
}

function kindOf(mode: string): TreeEntry["kind"] {
  if (mode === "040000") return "folder";
  if (mode === "160000") return "submodule";
  return mode === "120000" ? "link" : "file";
}

function plain(path: string): string {
  const parts = path.split("/");
  if (!parts.some((part) => part === "" || part === "." || part === "..") && !path.includes("\0")) return path;
  throw new NomosError("path_invalid", { path });
}

function refuseOdd({ path, kind, bytes }: TreeEntry, bytesMax: number): void {
  if (kind !== "file") throw unreadable(path, `it is a ${kind} and no file`);
  if (bytes > bytesMax) throw unreadable(path, `it has ${bytes} bytes; ${bytesMax} are the most`);
}

function textOf(path: string, bytes: Buffer | null): string {
  if (bytes === null) throw unreadable(path, "git has lost its content; fetch it, or run `git fsck`");
  const text = textFrom(bytes);
  if (text === null) throw unreadable(path, "it is not UTF-8");
  return text;
}

/** Null unless the bytes are UTF-8: so a text has the same bytes, and the same hash, as its file. */
export function textFrom(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    if (thrown instanceof TypeError) return null;
    throw thrown;
  }
}

/** What a tree reader refuses about a file that is no plain text of a law. */
export const isUnreadable = (thrown: unknown): thrown is NomosError =>
  thrown instanceof NomosError && thrown.code === "governance_invalid";

function unreadable(path: string, reason: string): NomosError {
  return new NomosError("governance_invalid", { path, reason }, { message: `${path} cannot be read: ${reason}.` });
}
