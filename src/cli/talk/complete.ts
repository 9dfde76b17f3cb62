import { type Dirent, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** One way to go on with what is typed. */
export interface Completion {
  /** Replaces the word before the cursor. */
  readonly text: string;
  readonly hint: string;
}

export interface Completions {
  /** Characters before the cursor that a completion replaces. */
  readonly replaces: number;
  readonly found: readonly Completion[];
}

const NONE: Completions = { replaces: 0, found: [] };
const FILES_MAX = 200;

/** `/re` completes commands at the beginning, `@src/` files below the session's directory anywhere. */
export function completionsOf(before: string, commands: readonly Completion[], cwd: string): Completions {
  const [command] = /^\/[\w:-]*$/.exec(before) ?? [];
  if (command !== undefined)
    return { replaces: command.length, found: commands.filter(({ text }) => text.startsWith(command)) };
  const [, path] = /(?:^|\s)@(\S*)$/.exec(before) ?? [];
  if (path === undefined) return NONE;
  return { replaces: path.length, found: filesLike(cwd, path) };
}

/** Read at once, so that a key typed after Tab finds the completed text. */
function filesLike(cwd: string, given: string): readonly Completion[] {
  const folder = given.endsWith("/") ? given : given.includes("/") ? `${dirname(given)}/` : "";
  const begun = given.slice(folder.length);
  return entriesOf(join(cwd, folder))
    .filter(({ name }) => name.startsWith(begun) && (begun !== "" || !name.startsWith(".")))
    .sort((one, other) => one.name.localeCompare(other.name))
    .slice(0, FILES_MAX)
    .map((entry) => ({ text: `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`, hint: "" }));
}

/** What all of them begin with. */
export function commonStart(found: readonly Completion[]): string {
  const [first, ...rest] = found.map(({ text }) => text);
  if (first === undefined) return "";
  let length = first.length;
  for (const text of rest) while (!text.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // No such folder, or not ours to read.
    return [];
  }
}
