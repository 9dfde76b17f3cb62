import { NomosError } from "../../contract/index.ts";
import type { TreeChange } from "../../host/index.ts";
import { judgeChange, type Scope } from "../../kernel/index.ts";

/** The tree's own directory with another mode or owner. No rule speaks of it. */
export const TOP: TreeChange = { path: ".", name: "", what: "mode", isDirectory: true };

/**
 * What no walk gets to and was not so before: nobody knows what it is, or what is in it. It is no matter only where the
 * scope allows it with all that could be in it, and in the tree's own git dir.
 */
export function unjudgedNames(unseen: readonly string[], scope: Scope, widened: readonly string[]): readonly string[] {
  return unseen.filter((path) => {
    if (path === ".git" || path.startsWith(".git/") || widened.includes(path)) return false;
    return scope.deny.length > 0 || judgeChange(path, scope).verdict === "deny";
  });
}

const NAMED_MAX = 5;
const SHOWN_CHARS = 80;

/** Says what stays, and what was put back all the same. */
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
