import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { NomosError } from "../../contract/index.ts";
import { holdFolder } from "../../host/index.ts";
import { LAW_DIR } from "../repository/law-path.ts";
import { LAW_FILE_BYTES_MAX, type TreeReader, textFrom } from "../repository/tree-reader.ts";

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

/** The files of a commit. */
export function committedLaw(tree: TreeReader): LawSource {
  return async (file) => {
    try {
      return { text: await tree.read(LAW_FILES[file]) };
    } catch (thrown) {
      if (thrown instanceof NomosError && thrown.code === "governance_invalid")
        return { odd: String(thrown.details["reason"] ?? thrown.message) };
      throw thrown;
    }
  };
}

/** The files in a folder, by its real path. A link in place of one is never followed. */
export function checkedOutLaw(root: string): LawSource {
  return async (file) => {
    await using folder = await holdFolder(join(root, LAW_DIR));
    if (folder === null) return missingOrOdd(join(root, LAW_DIR), "folder");
    const name = LAW_FILES[file].slice(LAW_DIR.length + 1);
    await using handle = await folder.file(name);
    if (handle === null) return missingOrOdd(join(root, LAW_FILES[file]), "file");
    const { size } = await handle.stat();
    if (size > LAW_FILE_BYTES_MAX) return { odd: `it has ${size} bytes; ${LAW_FILE_BYTES_MAX} are the most` };
    const text = textFrom(await handle.readFile());
    return text === null ? { odd: "it is not UTF-8" } : { text };
  };
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
