import { NomosError } from "../../contract/index.ts";
import { judgeChange, type Scope } from "../../domains/index.ts";
import type { TreeChange } from "../../host/index.ts";

/** A changed mode or owner of the worktree's root directory. No scope pattern matches the root. */
export const TOP: TreeChange = { path: ".", name: "", what: "mode", isDirectory: true };

/**
 * New paths that cannot be read, so their changes are unknown. They are ignored only in the worktree's own git dir, and
 * where the scope allows the path and everything below it.
 */
export function unjudgedNames(unseen: readonly string[], scope: Scope, widened: readonly string[]): readonly string[] {
  return unseen.filter((path) => {
    if (path === ".git" || path.startsWith(".git/") || widened.includes(path)) return false;
    return scope.deny.length > 0 || judgeChange(path, scope).verdict === "deny";
  });
}

const NAMED_MAX = 5;
const SHOWN_CHARS = 80;

/** An error that names the unreadable paths and the files that were reverted anyway. */
export function unseenError(
  root: string,
  unseen: readonly string[],
  putBack: readonly { readonly path: string }[],
): NomosError {
  const few = (paths: readonly string[]) => paths.slice(0, NAMED_MAX).map(shortened);
  const named = { unseen: few(unseen), putBack: few(putBack.map(({ path }) => path)) };
  return new NomosError("scope_unjudged", { root, count: unseen.length, ...named });
}

function shortened(path: string): string {
  return path.length > SHOWN_CHARS ? `${path.slice(0, SHOWN_CHARS)}...` : path;
}
