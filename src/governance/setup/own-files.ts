import { lchown, lstat, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { NomosError } from "../../contract/index.ts";
import { HostError, systemFiles } from "../../host/index.ts";
import { throwRefused } from "../law/refused-rights.ts";
import { LAW_DIR } from "../repository/law-path.ts";

const FILE_BYTES_MAX = 1_048_576;

/** The folder `.nomos` of a checkout. A link or a file in its place is refused: who put it there may lead us elsewhere. */
export async function hasLawFolder(root: string): Promise<boolean> {
  const found = await lstat(join(root, LAW_DIR)).catch(orGone);
  if (found === null || found.isDirectory()) return found !== null;
  throw new NomosError(
    "governance_blocked",
    { path: LAW_DIR },
    { message: `${LAW_DIR} is no folder here.`, remedy: `Move ${join(root, LAW_DIR)} away, then try again.` },
  );
}

/** A file below the root; null when there is none. */
export function readOwn(root: string, path: string): Promise<string | null> {
  return systemFiles()
    .read(root, path, FILE_BYTES_MAX)
    .catch((thrown: unknown) => {
      if (thrown instanceof HostError && thrown.code === "file_missing") return null;
      return orGone(thrown);
    });
}

/** Writes files that are not there yet. Returns how to take that back. */
export async function writeOwn(
  root: string,
  files: ReadonlyMap<string, string>,
): Promise<{ readonly undo: () => Promise<void> }> {
  const before = new Map<string, string | null>();
  const system = systemFiles();
  const undo = async (): Promise<void> => {
    for (const [path, text] of before)
      await (text === null ? rm(join(root, path), { force: true }) : system.write(root, path, text));
    for (const folder of foldersOf([...before.keys()])) await rmdir(join(root, folder)).catch(unlessUsed);
  };
  try {
    for (const [path, text] of files) {
      before.set(path, await readOwn(root, path));
      await system.write(root, path, text);
    }
    await giveToOwner(root, [...files.keys()]);
  } catch (thrown) {
    await undo();
    throwRefused(thrown, root);
  }
  return { undo };
}

/** Deepest first, without the root. */
function foldersOf(paths: readonly string[]): readonly string[] {
  const all = new Set<string>();
  for (const path of paths) for (let up = dirname(path); up !== "."; up = dirname(up)) all.add(up);
  return [...all].toSorted((a, b) => b.length - a.length);
}

/** What a daemon that runs as root writes belongs to whom the checkout belongs. */
async function giveToOwner(root: string, paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(root);
  if (uid === 0) return;
  for (const path of [...foldersOf(paths), ...paths]) await lchown(join(root, path), uid, gid);
}

function orGone(thrown: unknown): null {
  if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return null;
  throw thrown;
}

function unlessUsed(thrown: unknown): void {
  if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(codeOf(thrown))) throw thrown;
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
}
