import { posix } from "node:path";
import type { ToolContext } from "../../tool.ts";
import { argumentPath } from "./argument-path.ts";
import { codeOf } from "./results.ts";

/** The names in a directory; null when it cannot be listed. */
export async function listNames(folder: string, { world }: ToolContext): Promise<readonly string[] | null> {
  const argv = ["find", argumentPath(folder), "-mindepth", "1", "-maxdepth", "1", "-print0"];
  try {
    const { exitCode, stdout, isCut } = await world.look(argv, { ...LIMITS, paths: [folder] });
    if (exitCode !== 0 && !isCut) return null;
    return stdout
      .split("\0")
      .slice(0, -1)
      .map((path) => posix.basename(path));
  } catch (error) {
    // The directory is missing too, or outside: the caller says what is wrong with the path itself.
    if (codeOf(error) === null) throw error;
    return null;
  }
}

const LIMITS = { bytesMax: 262_144, timeoutMs: 5000 };
