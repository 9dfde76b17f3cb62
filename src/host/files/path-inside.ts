import { isAbsolute, relative } from "node:path";

/** Whether `path` is `root` or below it. Both must be absolute; links are not resolved. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
