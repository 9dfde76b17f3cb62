import type { TreeChange } from "../host/index.ts";
import { judgeChange, type Scope } from "../kernel/index.ts";

export interface Outside {
  /** What has to be undone, so that nothing outside of the scope is changed. */
  readonly undo: readonly TreeChange[];
  /** The same for people: a directory that holds some of it is not told beside it. */
  readonly told: readonly { readonly path: string; readonly rule: string }[];
}

interface Judged extends TreeChange {
  readonly rule: string;
  readonly isOutside: boolean;
}

/**
 * Which of a turn's changes lie outside of its session's scope. The tree's own git dir is the session's. A new directory
 * may stay where something in it may; a directory that is gone comes back for what has to come back into it.
 */
export function outOfScope(changes: readonly TreeChange[], scope: Scope, widened: readonly string[]): Outside {
  const judged = changes.filter(({ name }) => name !== GIT_DIR && !name.startsWith(`${GIT_DIR}/`)).map(judge);
  const allowed = above(judged.filter(({ isOutside, isDirectory }) => !isOutside && !isDirectory));
  const undone = new Set(judged.filter(isFirstUndone).map(({ name }) => name));
  // A file that comes back where a directory stands now takes all that is in there with it.
  const cleared = new Set(judged.filter(isPlainGone).map(({ name }) => name));
  for (const { name } of judged) if (ancestors(name).some((one) => cleared.has(one))) undone.add(name);
  const needed = above(judged.filter(({ name, what }) => undone.has(name) && what !== "added"));
  for (const { name } of judged) if (needed.has(name)) undone.add(name);
  const undo = judged.filter(({ name }) => undone.has(name));
  const told = above(undo);
  return { undo, told: undo.filter(isTold).map(({ path, rule }) => ({ path, rule })) };

  function judge(change: TreeChange): Judged {
    const { verdict, rule } = judgeChange(change.path, scope);
    return { ...change, rule, isOutside: verdict === "deny" && !widened.includes(change.path) };
  }
  function isFirstUndone({ name, what, isDirectory, isOutside }: Judged): boolean {
    return isOutside && !(isDirectory && what !== "mode" && allowed.has(name));
  }
  function isPlainGone({ name, what, isDirectory }: Judged): boolean {
    return what === "deleted" && !isDirectory && undone.has(name);
  }
  function isTold({ name, isDirectory }: Judged, index: number): boolean {
    return !(isDirectory && told.has(name)) && undo[index - 1]?.name !== name;
  }
}

const GIT_DIR = ".git";

/** Every directory that one of these lies in. */
function above(changes: readonly TreeChange[]): ReadonlySet<string> {
  return new Set(changes.flatMap(({ name }) => ancestors(name)));
}

function ancestors(name: string): readonly string[] {
  const found: string[] = [];
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) found.push(name.slice(0, at));
  return found;
}
