import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { holdFolder } from "../../host/index.ts";
import { LAW_DIR } from "../repository/law-path.ts";
import { isUnreadable, LAW_FILE_BYTES_MAX, type TreeReader, textFrom } from "../repository/tree-reader.ts";
import { isDenied } from "./refused-rights.ts";

export const LAW_FILES = {
  constitution: `${LAW_DIR}/CONSTITUTION.md`,
  config: `${LAW_DIR}/config.yaml`,
  lock: `${LAW_DIR}/governance.lock.json`,
  policy: `${LAW_DIR}/policy.sealed.json`,
  features: `${LAW_DIR}/features.yaml`,
  requirements: `${LAW_DIR}/requirements.yaml`,
} as const;

export type LawFile = keyof typeof LAW_FILES;

/** A file of a law: its text, or null when it is missing, or why it cannot be read. */
export type ReadFile = { readonly text: string | null } | { readonly odd: string };

/** Where a law is read from: a commit, or the files that are checked out. */
export type LawSource = (file: LawFile) => Promise<ReadFile>;

/** The files of a commit, read together at the first question. */
export function committedLaw(tree: TreeReader): LawSource {
  let reading: Promise<ReadonlyMap<string, ReadFile>> | null = null;
  return async (file) => {
    reading ??= readCommitted(tree);
    return (await reading).get(LAW_FILES[file]) ?? { text: null };
  };
}

async function readCommitted(tree: TreeReader): Promise<ReadonlyMap<string, ReadFile>> {
  const paths: readonly string[] = Object.values(LAW_FILES);
  const listed = (await tree.list(LAW_DIR)).filter(({ path }) => paths.includes(path));
  const found = new Map<string, ReadFile>();
  for (const { path, kind, bytes } of listed)
    if (kind !== "file") found.set(path, { odd: `it is a ${kind} and no file` });
    else if (bytes > LAW_FILE_BYTES_MAX) found.set(path, { odd: tooLarge(bytes) });
  const plain = listed.filter(({ path }) => !found.has(path)).map(({ path }) => path);
  for (const [path, text] of await tree.readAll(plain).catch(orNone)) found.set(path, { text });
  // One that cannot be read hides the others: then each is asked for by itself.
  for (const path of plain.filter((one) => !found.has(one))) found.set(path, await readOne(tree, path));
  return found;
}

async function readOne(tree: TreeReader, path: string): Promise<ReadFile> {
  try {
    return { text: await tree.read(path) };
  } catch (thrown) {
    if (!isUnreadable(thrown)) throw thrown;
    return { odd: String(thrown.details["reason"] ?? thrown.message) };
  }
}

function orNone(thrown: unknown): ReadonlyMap<string, string> {
  if (isUnreadable(thrown)) return new Map();
  throw thrown;
}

const tooLarge = (bytes: number): string => `it has ${bytes} bytes; ${LAW_FILE_BYTES_MAX} are the most`;

/** The files in a folder, by its real path. A link in place of one is never followed. */
export function checkedOutLaw(root: string): LawSource {
  return async (file) => {
    await using folder = await holdFolder(join(root, LAW_DIR));
    if (folder === null) return missingOrOdd(join(root, LAW_DIR), "folder");
    const name = LAW_FILES[file].slice(LAW_DIR.length + 1);
    const opened = await folder.file(name).catch(unlessDenied);
    if (opened === "denied") return { odd: "the system denies it: its rights do not let you read it" };
    await using handle = opened;
    if (handle === null) return missingOrOdd(join(root, LAW_FILES[file]), "file");
    const { size } = await handle.stat();
    if (size > LAW_FILE_BYTES_MAX) return { odd: tooLarge(size) };
    const text = textFrom(await handle.readFile());
    return text === null ? { odd: "it is not UTF-8" } : { text };
  };
}

function unlessDenied(thrown: unknown): "denied" {
  if (isDenied(thrown)) return "denied";
  throw thrown;
}

async function missingOrOdd(path: string, wanted: string): Promise<ReadFile> {
  const found = await lstat(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === "ENOENT" || thrown.code === "ENOTDIR") return null;
    throw thrown;
  });
  if (found === null) return { text: null };
  return { odd: found.isSymbolicLink() ? `it is a link and no ${wanted}` : `it is no ${wanted} that can be read` };
}

/** Texts that were read, or are about to be written. */
export function textLaw(texts: Readonly<Partial<Record<LawFile, string>>>): LawSource {
  return async (file) => ({ text: texts[file] ?? null });
}
