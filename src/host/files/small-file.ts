import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { errno } from "../errno.ts";

/**
 * Reads a small file as text; null when it is missing. Never blocks: anything but a regular file is refused, and so is
 * a file that is too large.
 */
export async function readSmallFile(
  path: string,
  bytesMax: number,
  encoding: "utf8" | "latin1" = "utf8",
): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((thrown: unknown) => {
    // A dangling link counts as missing too.
    if (errno(thrown) === "ENOENT") return null;
    throw thrown;
  });
  if (file === null) return null;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error(`${path} is no file`);
    if (found.size > bytesMax) throw new Error(`${path} has more than ${bytesMax} bytes`);
    return await file.readFile(encoding);
  } finally {
    await file.close();
  }
}
