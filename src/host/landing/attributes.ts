import { lstat, mkdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readBlobs } from "../git/read-blobs.ts";
import type { RepositoryView } from "../git/repository-view.ts";
import { removeTree } from "../trash/remove-tree.ts";

const LIST_TIMEOUT_MS = 120_000;
const CHECK_TIMEOUT_MS = 120_000;
const ATTRIBUTES = ".gitattributes";

/**
 * A folder with only the `.gitattributes` files of a commit. Git reads attributes from where it runs: without them it
 * merges line by line what the repository says must never be merged so. The folder goes with the view.
 */
export async function layAttributes(view: RepositoryView, commit: string): Promise<string> {
  const folder = join(view.gitDir, "nomos-laid", commit);
  if ((await lstat(folder).catch(() => null)) !== null) return folder;
  const made = `${folder}-${crypto.randomUUID()}`;
  await mkdir(made, { recursive: true });
  const ids = new Map<string, string[]>();
  for (const { id, path } of await attributeFiles(view, commit)) ids.set(id, [...(ids.get(id) ?? []), path]);
  const texts = new Map<string, Buffer>();
  await readBlobs(view, [...ids.keys()], (id, bytes) => void (bytes !== null && texts.set(id, Buffer.from(bytes))));
  for (const [id, paths] of ids)
    for (const path of paths) {
      await mkdir(join(made, dirname(path)), { recursive: true });
      await writeFile(join(made, path), texts.get(id) ?? "");
    }
  // Whoever was faster made the same.
  await rename(made, folder).catch(() => removeTree(made));
  return folder;
}

interface AttributeFile {
  readonly id: string;
  readonly path: string;
}

/** Streamed: a large repository lists more than is held at once. */
async function attributeFiles({ git }: RepositoryView, commit: string): Promise<readonly AttributeFile[]> {
  const found: AttributeFile[] = [];
  const hear = (line: string): void => {
    const [, id = "", path = ""] = /^100\d+ blob (\w+)\t(.*)$/s.exec(line) ?? [];
    if (basename(path) === ATTRIBUTES && isPlain(path)) found.push({ id, path });
  };
  let rest = "";
  await git.must(["ls-tree", "-r", "-z", "--full-tree", commit], {
    timeoutMs: LIST_TIMEOUT_MS,
    take: (chunk) => {
      const lines = (rest + chunk.toString("latin1")).split("\0");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.endsWith(ATTRIBUTES)) hear(Buffer.from(line, "latin1").toString());
      return null;
    },
  });
  return found;
}

/** Trees may name anything; only what stays in the folder is written. */
const isPlain = (path: string): boolean => path.split("/").every((part) => !["", ".", "..", ".git"].includes(part));

/** The filter that git runs for each of these paths in a commit, such as `lfs`; those without one are left out. */
export async function filtersOf(
  view: RepositoryView,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const told = await view.git.must(["check-attr", "-z", "--stdin", "filter"], {
    cwd: await layAttributes(view, commit),
    input: paths.map((path) => `${path}\0`).join(""),
    timeoutMs: CHECK_TIMEOUT_MS,
  });
  const words = told.toString().split("\0");
  const found = new Map<string, string>();
  for (let at = 0; at + 2 < words.length; at += 3) {
    const [path = "", , filter = ""] = words.slice(at, at + 3);
    if (!["unspecified", "set", "unset", ""].includes(filter)) found.set(path, filter);
  }
  return found;
}
