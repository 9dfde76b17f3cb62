import { judgeChange, type Scope } from "../../domains/index.ts";
import type { TreeChange } from "../../host/index.ts";
import { above, undoNames } from "./undo-names.ts";

export interface Outside {
  /** Changes to undo. */
  readonly undo: readonly TreeChange[];
  /** The same changes as shown to people. A directory is left out when a file in it is listed. */
  readonly told: readonly { readonly path: string; readonly rule: string }[];
}

interface Judged extends TreeChange {
  readonly rule: string;
  readonly isOutside: boolean;
}

/** The changes of a turn that lie outside its session's scope, or that the law forbids. Changes in the worktree's own git dir are allowed. */
export function outOfScope(
  changes: readonly TreeChange[],
  scope: Scope,
  widened: readonly string[],
  forbids: (path: string, isDeleted: boolean) => string | null = () => null,
): Outside {
  const judged = changes.filter(({ name }) => name !== GIT_DIR && !name.startsWith(`${GIT_DIR}/`)).map(judge);
  const undone = undoNames(judged, ({ isOutside }) => isOutside);
  const undo = judged.filter(({ name }) => undone.has(name));
  const told = above(undo);
  return { undo, told: undo.filter(isTold).map(({ path, rule }) => ({ path, rule })) };

  function judge(change: TreeChange): Judged {
    // The law comes first: what it forbids was never for a person to allow.
    const law = forbids(change.path, change.what === "deleted");
    if (law !== null) return { ...change, rule: law, isOutside: true };
    const { verdict, rule } = judgeChange(change.path, scope);
    return { ...change, rule, isOutside: verdict === "deny" && !widened.includes(change.path) };
  }
  function isTold({ name, isDirectory }: Judged, index: number): boolean {
    return !(isDirectory && told.has(name)) && undo[index - 1]?.name !== name;
  }
}

const GIT_DIR = ".git";
