import type { TreeChange } from "../../host/index.ts";

/**
 * The names to change so that the wanted changes are undone. A new directory stays if something that stays lies in it. A
 * removed directory comes back if something in it does. A file that replaces a directory also removes everything in that
 * directory, so the result may include names that were not wanted.
 */
export function undoNames<C extends TreeChange>(
  changes: readonly C[],
  isWanted: (change: C) => boolean,
): ReadonlySet<string> {
  const staying = above(changes.filter((change) => !isWanted(change) && !change.isDirectory));
  const isUndone = (change: C): boolean =>
    isWanted(change) && !(change.isDirectory && change.what !== "mode" && staying.has(change.name));
  const undone = new Set(changes.filter(isUndone).map(({ name }) => name));
  const isPlainGone = ({ name, what, isDirectory }: C): boolean =>
    what === "deleted" && !isDirectory && undone.has(name);
  const cleared = new Set(changes.filter(isPlainGone).map(({ name }) => name));
  for (const { name } of changes) if (ancestors(name).some((one) => cleared.has(one))) undone.add(name);
  const needed = above(changes.filter(({ name, what }) => undone.has(name) && what !== "added"));
  for (const { name } of changes) if (needed.has(name)) undone.add(name);
  return undone;
}

/** All parent directories of these changes. */
export function above(changes: readonly TreeChange[]): ReadonlySet<string> {
  return new Set(changes.flatMap(({ name }) => ancestors(name)));
}

function ancestors(name: string): readonly string[] {
  const found: string[] = [];
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) found.push(name.slice(0, at));
  return found;
}
