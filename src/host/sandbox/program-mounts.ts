import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { UNREACHABLE, unless } from "../errno.ts";
import { isInside } from "../files/path-inside.ts";

export interface ProgramPlaces {
  /** Paths of programs and of the files they are told to run. */
  readonly programs: readonly string[];
  /** The PATH. */
  readonly searchPath: string;
  /** Paths that must not be shown, nor any of their parents. */
  readonly kept: readonly string[];
}

/** What programs outside the system folders need to be readable: themselves and their installation. */
export function programMounts({ programs, searchPath, kept }: ProgramPlaces): string[] {
  const folders = searchPath.split(":").filter((entry) => isAbsolute(entry));
  const wanted = [
    ...folders.flatMap((folder) => installation(folder, kept)),
    ...programs.filter(isAbsolute).flatMap(surroundings),
  ];
  const isHarmless = (path: string) => path !== "/" && !kept.some((secret) => isInside(path, secret));
  const there = [...new Set(wanted)].filter((path) => {
    // A link on the PATH may lead to the person's HOME, or to the root directory.
    const real = unless(UNREACHABLE, () => realpathSync(path));
    return real !== null && isHarmless(path) && isHarmless(real);
  });
  return there.filter((path) => !there.some((other) => other !== path && isInside(other, path)));
}

/** The parts of an installation (with `bin` on the PATH) that hold code. Other folders beside them may be private. */
const CODE_PARTS = ["bin", "lib", "lib64", "libexec", "shims", "versions", "version", "pyenv.d"];

function installation(folder: string, kept: readonly string[]): string[] {
  const modules = modulesAround(folder);
  if (modules !== null) return [modules];
  // A `bin` directly in the person's HOME has their own files beside it, not an installation.
  const isPart = (folder.endsWith("/bin") || folder.endsWith("/shims")) && !kept.includes(dirname(folder));
  return [folder, ...(isPart ? CODE_PARTS.map((part) => join(dirname(folder), part)) : [])];
}

function surroundings(program: string): string[] {
  const real = unless(UNREACHABLE, () => realpathSync(program));
  if (real === null || !statSync(real).isFile()) return [];
  return [...new Set([program, real])].flatMap((path) => {
    const modules = modulesAround(path);
    return [path, modules ?? dirname(path), ...neededByNode(path)];
  });
}

/** The outermost `node_modules` that contains it. */
function modulesAround(path: string): string | null {
  const at = `${path}/`.indexOf("/node_modules/");
  return at < 0 ? null : path.slice(0, at + "/node_modules".length);
}

/** Where Node looks for imports of a file and for its module type. */
function neededByNode(path: string): string[] {
  const above: string[] = [];
  for (let folder = dirname(path); folder !== "/"; folder = dirname(folder)) above.push(folder);
  return above.flatMap((folder) => [join(folder, "package.json"), join(folder, "node_modules")]);
}
