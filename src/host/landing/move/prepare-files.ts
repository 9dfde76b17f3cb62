import { writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readBlobs } from "../../git/read-blobs.ts";
import type { RepositoryView } from "../../git/repository-view.ts";
import type { TreeDifference } from "../../git/tree-diff.ts";

export interface PreparedFile {
  readonly mode: string;
  /** A file of ours with the bytes; of a link, its target. */
  readonly content: string;
}

const LINK = "120000";
const SUBMODULE = "160000";
const WRITE_TIMEOUT_MS = 600_000;

/** Lays the new files out of the way, with the line endings that a checkout would give them. No filter runs. */
export async function prepareFiles(
  view: RepositoryView,
  commit: string,
  changes: readonly TreeDifference[],
  folder: string,
): Promise<ReadonlyMap<string, PreparedFile>> {
  const { git } = view;
  const empty = join(folder, "attributes");
  await mkdir(join(folder, "links"), { recursive: true, mode: 0o700 });
  await mkdir(empty, { recursive: true });
  const indexFile = join(folder, "index");
  await git.must(["read-tree", commit], { indexFile });
  const placed = changes.filter(({ after }) => after !== null && after.mode !== SUBMODULE);
  const files = placed.filter(({ after }) => after?.mode !== LINK);
  const ready = new Map<string, PreparedFile>();
  if (files.length > 0)
    // Attributes come from the index, because the folder that stands for the files is empty.
    await git.must(["checkout-index", "-f", "-q", "-z", "--stdin", `--prefix=${join(folder, "files")}/`], {
      indexFile,
      workTree: empty,
      input: files.map(({ path }) => `${path}\0`).join(""),
      timeoutMs: WRITE_TIMEOUT_MS,
    });
  for (const { path, after } of files)
    ready.set(path, { mode: after?.mode ?? "", content: join(folder, "files", path) });
  const links = placed.filter(({ after }) => after?.mode === LINK);
  const targets = new Map<string, string>();
  for (const { path, after } of links) {
    const id = after?.id ?? "";
    const content = targets.get(id) ?? join(folder, "links", String(targets.size));
    targets.set(id, content);
    ready.set(path, { mode: LINK, content });
  }
  await readBlobs(view, [...targets.keys()], (id, bytes) => {
    const content = targets.get(id);
    if (content !== undefined && bytes !== null) writeFileSync(content, bytes);
  });
  return ready;
}
