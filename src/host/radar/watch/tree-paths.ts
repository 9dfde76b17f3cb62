/** The paths that a tree changed or may have changed, for a quick answer to whether two trees meet. */
export interface TreePaths {
  readonly add: (path: string) => void;
  readonly drop: (path: string) => void;
  readonly has: (path: string) => boolean;
  readonly size: () => number;
  readonly all: () => Iterable<string>;
  /** Whether a path of this set is the same as the given one, below it, or a folder above it. */
  readonly meets: (path: string) => boolean;
}

export function createTreePaths(): TreePaths {
  const paths = new Set<string>();
  /** How many paths lie below each folder. */
  const folders = new Map<string, number>();
  const count = (path: string, by: 1 | -1): void => {
    for (const folder of above(path)) {
      const now = (folders.get(folder) ?? 0) + by;
      if (now === 0) folders.delete(folder);
      else folders.set(folder, now);
    }
  };
  return {
    add: (path) => {
      if (paths.has(path)) return;
      paths.add(path);
      count(path, 1);
    },
    drop: (path) => {
      if (paths.delete(path)) count(path, -1);
    },
    has: (path) => paths.has(path),
    size: () => paths.size,
    all: () => paths,
    meets: (path) => paths.has(path) || folders.has(path) || above(path).some((folder) => paths.has(folder)),
  };
}

function above(path: string): readonly string[] {
  const found: string[] = [];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) found.push(path.slice(0, at));
  return found;
}
