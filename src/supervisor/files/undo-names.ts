import type { TreeChange } from "../../host/index.ts";

/**
 * The names that have to change so that the wanted changes are undone. A new directory may stay where something that stays
 * lies in it; a directory that is gone comes back for what has to come back into it. A file that comes back where a
 * directory stands now takes all that is in there with it: then also names are answered that were not wanted.
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

/** Every directory that one of these lies in. */
export function above(changes: readonly TreeChange[]): ReadonlySet<string> {
  return new Set(changes.flatMap(({ name }) => ancestors(name)));
}

function ancestors(name: string): readonly string[] {
  const found: string[] = [];
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) found.push(name.slice(0, at));
  return found;
}
