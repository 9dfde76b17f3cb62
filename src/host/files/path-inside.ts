import { isAbsolute, relative } from "node:path";

/** Whether `path` is `root` or lies below it. Both absolute; links are the caller's business. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
