import { posix } from "node:path";
import type { ToolContext, ToolResult } from "../../tool.ts";
import { closestNames } from "./closest-names.ts";
import { listNames } from "./list-names.ts";
import { codeOf, failed, messageOf } from "./results.ts";
import { shownName } from "./shown.ts";

/** An error of the world about a path, as a result that says what to do. Anything else is thrown again. */
export async function explainPath(error: unknown, path: string, context: ToolContext): Promise<ToolResult> {
  const shown = shownName(path);
  switch (codeOf(error)) {
    case "file_missing":
      return failed(`${shown} does not exist.${await nearby(path, context)}`);
    case "path_outside":
      return failed(
        `${shown} is outside of the session's directory ${shownName(context.cwd)}. Use a path below it; if you need this one, ask the user for it.`,
      );
    case "not_a_file":
    case "path_invalid":
      return failed(`${shown} is not a file. If it is a directory, list it with ls.`);
    case "file_changed":
      return failed(`${shown} was changed by somebody else at the same time. Read it again, then repeat your change.`);
    case null:
      throw error;
    default:
      return failed(`${shown}: ${messageOf(error)}`);
  }
}

/** The names beside a missing one, the most similar first. */
async function nearby(path: string, context: ToolContext): Promise<string> {
  const folder = posix.dirname(path);
  const names = await listNames(folder, context);
  if (names === null) return ` Neither does its directory ${shownName(folder)}. Find the file with glob.`;
  const close = closestNames(posix.basename(path), names);
  if (close.length > 0) {
    const paths = close.map((name) => shownName(posix.join(folder, name)));
    return ` Did you mean: ${paths.join(", ")}?`;
  }
  return names.length === 0
    ? ` Its directory ${shownName(folder)} is empty.`
    : ` Its directory ${shownName(folder)} has no similar name. Find the file with glob, or list the directory with ls.`;
}
