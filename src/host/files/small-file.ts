import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { errno } from "../errno.ts";

/**
 * A file that has to be small, as text; null where there is none. Never waits: a pipe in its place is refused like
 * everything else that is no regular file, and so is a file that is too large.
 */
export async function readSmallFile(path: string, bytesMax: number): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((thrown: unknown) => {
    // A link that leads nowhere is not the same as nothing, but says as much.
    if (errno(thrown) === "ENOENT") return null;
    throw thrown;
  });
  if (file === null) return null;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error(`${path} is no file`);
    if (found.size > bytesMax) throw new Error(`${path} has more than ${bytesMax} bytes`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
