import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { NomosError } from "../../contract/index.ts";
import { type createGitRunner, findRepository, isInside } from "../../host/index.ts";

type Git = ReturnType<typeof createGitRunner>;
type Repository = NonNullable<Awaited<ReturnType<typeof findRepository>>>;

export interface BlamedPlace {
  readonly repository: Repository;
  /** From the root of the repository's files. */
  readonly path: string;
  /** The file by its real path; null in a bare repository. */
  readonly file: string | null;
}

export interface PlaceRules {
  readonly home: string;
  /** Folders that the caller may read; null: all. */
  readonly within: readonly string[] | null;
}

/** Folders of the home that hold people's and sessions' files. */
const SHOWN = ["workspaces", "worktrees", "forks"];

/** Finds the repository of a file, and judges the real path: links and `..` lead nowhere that the caller may not read. */
export async function blamedPlace(
  git: Git,
  { cwd, path }: { readonly cwd: string; readonly path: string },
  { home, within }: PlaceRules,
): Promise<BlamedPlace> {
  const start = await realpath(cwd).catch(() => null);
  if (start === null) throw new NomosError("cwd_missing", { cwd });
  const asked = resolve(start, path);
  const { folder, below } = await nearestFolder(dirname(asked));
  const file = join(folder, below, basename(asked));
  refuseHidden(file, home);
  if (within !== null && !within.some((one) => isInside(one, file)))
    throw new NomosError("denied", { rules: ["cwd_unregistered"], cwd });
  const found = await findRepository(git, folder);
  if (found === null) throw new NomosError("not_a_repository", { path: folder });
  const top = found.root ?? found.gitDir;
  const inside = relative(top, file);
  if (!isInside(top, file) || inside.split("/").some((part) => part.toLowerCase() === ".git"))
    throw new NomosError("path_outside", { path, root: top });
  return {
    repository: within === null ? found : ownObjects(found),
    path: inside,
    file: found.root === null ? null : file,
  };
}

/** Without object folders elsewhere: whoever writes a repository's files can name any there. */
function ownObjects(repository: Repository): Repository {
  return { ...repository, objectDirs: repository.objectDirs.filter((one) => !repository.foreign.includes(one)) };
}

/** The nearest folder that exists, by its real path. A deleted file may have been in a deleted folder. */
async function nearestFolder(path: string): Promise<{ readonly folder: string; readonly below: string }> {
  for (let at = path, below = ""; ; below = join(basename(at), below), at = dirname(at)) {
    const folder = await realpath(at).catch(() => null);
    if (folder !== null) return { folder, below };
    if (at === dirname(at)) throw new NomosError("cwd_missing", { cwd: path });
  }
}

function refuseHidden(file: string, home: string): void {
  const isShown = SHOWN.some((name) => isInside(join(home, name), file));
  if (isInside(home, file) && !isShown) throw new NomosError("cwd_hidden", { cwd: file });
}
