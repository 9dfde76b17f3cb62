import { posix } from "node:path";

/** A path as an argument that no program can take for an option or an expression: `-x` becomes `./-x`. */
export function argumentPath(path: string): string {
  const plain = posix.normalize(path === "" ? "." : path);
  return plain.startsWith("/") || plain === "." ? plain : `./${plain}`;
}

/** The way back, for what programs print. */
export function printedPath(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}
