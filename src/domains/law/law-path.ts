import { isPathBelow } from "../constitution/law-pattern.ts";

/** Where the repository and the person's home are. Both by their real paths; no home: `~` means nothing. */
export interface LawPlaces {
  readonly root: string;
  readonly home: string | null;
}

/** One place that a path means: what it says, or where its links lead. */
export interface Subject {
  readonly absolute: string;
  /** From the repository's root, empty for the root itself; null: outside. */
  readonly relative: string | null;
}

const PATH_CHARS_MAX = 4096;

/** Both meanings of a path: as it is spelled, and as it was resolved. Null: it is no path. */
export function subjectsOf(path: string, resolved: string | null, places: LawPlaces): readonly Subject[] | null {
  const spelled = subjectOf(path, places);
  const real = resolved === null ? spelled : subjectOf(resolved, places);
  if (spelled === null || real === null) return null;
  return spelled.absolute === real.absolute ? [spelled] : [spelled, real];
}

function subjectOf(path: string, { root, home }: LawPlaces): Subject | null {
  if (path === "" || path.length > PATH_CHARS_MAX) return null;
  const absolute = resolvedText(absoluteText(path, root, home));
  const relative = relativeTo(root, absolute);
  // The root is a fact of the machine, and may hold a line end or a backslash.
  const asked = relative ?? absolute.slice(1);
  return asked === "" || isPathBelow(asked) ? { absolute, relative } : null;
}

function absoluteText(path: string, root: string, home: string | null): string {
  if (home !== null && (path === "~" || path.startsWith("~/"))) return `${home}${path.slice(1)}`;
  return path.startsWith("/") ? path : `${root}/${path}`;
}

/** Without `.`, `..` and empty parts. */
function resolvedText(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

function relativeTo(root: string, absolute: string): string | null {
  if (absolute === root) return "";
  const prefix = root === "/" ? "/" : `${root}/`;
  return absolute.startsWith(prefix) ? absolute.slice(prefix.length) : null;
}
