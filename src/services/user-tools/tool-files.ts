import { createHash } from "node:crypto";
import { lstat, readdir, realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { type Files, isInside, readSmallFile } from "../../host/index.ts";
import type { SessionSpec } from "../../kernel/index.ts";

/** A file that may be a tool, with its bytes as they were read. */
export interface ToolFile {
  readonly path: string;
  /** For people and models: `.nomos/tools/x.ts`, or `$NOMOS_HOME/tools/x.ts`. */
  readonly shownPath: string;
  /** The tool's name unless it says another one. */
  readonly stem: string;
  readonly source: string;
  readonly sha256: string;
  /** A repository's: a person is asked before it runs, and it may import nothing of its own. */
  readonly isAlone: boolean;
  /** Folders of the home that its process may read. */
  readonly shown: readonly string[];
}

export interface FoundFiles {
  readonly files: readonly ToolFile[];
  readonly problems: readonly string[];
}

export interface ToolFolders {
  readonly home: string;
  /** Reads below a folder, never through a link that leads out of it or into the home. */
  readonly files: Pick<Files, "range">;
}

const FILES_MAX = 50;
const FILE_BYTES_MAX = 262_144;
const TOOLS = "tools";
const OWN_FOLDER = ".nomos";
const NAMED = /^(?!\.)(?!.*\.(?:d|test)\.)(.+)\.(?:ts|mts|js|mjs)$/;

/** A person's own files, then the repository's: nearest folder first. */
export async function findToolFiles({ home, files }: ToolFolders, spec: SessionSpec): Promise<FoundFiles> {
  const own = await ownFiles(home);
  const around = await Promise.all(
    (await foldersOf(spec))
      .filter((folder) => join(folder, OWN_FOLDER) !== home)
      .map((folder) => repositoryFiles(files, folder, spec.cwd)),
  );
  const all = [own, ...around];
  return { files: all.flatMap((one) => one.files), problems: all.flatMap((one) => one.problems) };
}

/** The session's directory and those above it, up to the repository's root. A strict session sees only its own. */
async function foldersOf({ cwd, sandbox }: SessionSpec): Promise<readonly string[]> {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    if (sandbox === "strict") return folders;
    if ((await lstat(join(folder, ".git")).catch(() => null)) !== null) return folders;
    if (folder === dirname(folder)) return [cwd];
  }
}

/** The folder may be a link of the person's, to where they keep such files. */
async function ownFiles(home: string): Promise<FoundFiles> {
  const folder = await realpath(join(home, TOOLS)).catch(() => null);
  if (folder === null) return { files: [], problems: [] };
  const shown = isInside(await realpath(home), folder) ? [folder] : [];
  return collect(folder, "$NOMOS_HOME/tools", async (name) => {
    const source = await readSmallFile(join(folder, name), FILE_BYTES_MAX);
    return source === null ? null : { source, isAlone: false, shown };
  });
}

async function repositoryFiles(files: ToolFolders["files"], root: string, cwd: string): Promise<FoundFiles> {
  const within = join(OWN_FOLDER, TOOLS);
  const folder = join(root, within);
  // A link may lead anywhere, also to a file whose first lines an error would show to the model.
  for (const path of [join(root, OWN_FOLDER), folder]) {
    const found = await lstat(path).catch(() => null);
    if (found === null) return { files: [], problems: [] };
    if (!found.isDirectory()) return { files: [], problems: [`${relative(cwd, path) || path} is no folder: left out`] };
  }
  return collect(folder, relative(cwd, folder), async (name) => {
    if (!(await lstat(join(folder, name))).isFile()) throw new Error("it is a link or no file");
    const { bytes, size } = await files.range(root, join(within, name), 0, FILE_BYTES_MAX);
    if (size > FILE_BYTES_MAX) throw new Error(`it has more than ${FILE_BYTES_MAX} bytes`);
    return { source: Buffer.from(bytes).toString("utf8"), isAlone: true, shown: [] };
  });
}

async function collect(
  folder: string,
  shownFolder: string,
  read: (name: string) => Promise<Pick<ToolFile, "source" | "isAlone" | "shown"> | null>,
): Promise<FoundFiles> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => NAMED.test(name)).sort();
  const problems: string[] = [];
  if (names.length > FILES_MAX) problems.push(`${shownFolder} has more than ${FILES_MAX} tools: the rest is left out`);
  const files: ToolFile[] = [];
  for (const name of names.slice(0, FILES_MAX)) {
    const shownPath = join(shownFolder, name);
    try {
      const found = await read(name);
      if (found === null) continue;
      const sha256 = createHash("sha256").update(found.source).digest("hex");
      files.push({ ...found, path: join(folder, name), shownPath, stem: NAMED.exec(name)?.[1] ?? name, sha256 });
    } catch (thrown) {
      problems.push(`${shownPath}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }
  return { files, problems };
}
