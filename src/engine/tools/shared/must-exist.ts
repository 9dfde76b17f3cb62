import type { ToolContext } from "../../tool.ts";
import { codeOf } from "./results.ts";

/** Throws `file_missing` or `path_outside`. Programs say so too, but in the language of the machine. */
export async function mustExist(path: string, { world }: ToolContext): Promise<"file" | "other"> {
  try {
    await world.read(path, { from: 0, bytes: 0 });
    return "file";
  } catch (error) {
    if (!NO_FILE.has(codeOf(error))) throw error;
    return "other";
  }
}

/** A directory, or something else that has no content to read. */
const NO_FILE: ReadonlySet<string | null> = new Set(["not_a_file", "path_invalid"]);
