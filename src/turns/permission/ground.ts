import { join, relative } from "node:path";
import type { Voice } from "../../domains/index.ts";
import { judgeChange, type Scope } from "../../domains/index.ts";
import { type Files, HostError, isInside } from "../../host/index.ts";
import type { SandboxMode, SessionSpec } from "../../kernel/index.ts";

/** Where a session works and what holds it there: what a decision about a path has to know. */
export interface Ground {
  readonly cwd: string;
  /** The product's own directory. Of all that lies in it a session reaches its own tree only. */
  readonly home: string;
  readonly sandbox: SandboxMode;
  readonly scope: Scope | null;
  /** Paths below the tree that a person allowed beyond the scope. */
  readonly widened: readonly string[];
  readonly files: Pick<Files, "place">;
}

export function groundOf(
  { cwd, sandbox, scope }: Pick<SessionSpec, "cwd" | "sandbox" | "scope">,
  beside: Pick<Ground, "home" | "files" | "widened">,
): Ground {
  return { cwd, sandbox, scope, ...beside };
}

/** What a path really names, with every `..` and link resolved. */
export interface Place {
  readonly absolute: string;
  /** As rules know it: `path/<below the directory>`, or `outside/<from the root>`. */
  readonly resource: string;
  readonly isInside: boolean;
}

/** Null for what cannot be resolved: no path, a loop of links, a folder that may not be looked into. */
export function locate({ cwd, files }: Ground, path: string): Place | null {
  try {
    const below = files.place(cwd, path);
    return { absolute: join(cwd, below), resource: `path/${below === "" ? "." : below}`, isInside: true };
  } catch (thrown) {
    const place = thrown instanceof HostError ? thrown.details["place"] : null;
    if (typeof place === "string") return { absolute: place, resource: `outside${place}`, isInside: false };
    if (thrown instanceof HostError || (thrown instanceof Error && "code" in thrown)) return null;
    throw thrown;
  }
}

/** Whether the file would be changed; `maybe` where the agent does not say what it would do. */
export type Change = "yes" | "no" | "maybe";

/** What holds for a place beside the policy: what no agent reaches, the sandbox mode, the scope. */
export function voicesAt(ground: Ground, place: Place | null, change: Change): readonly Voice[] {
  if (place === null) return [{ id: "unresolved_path", effect: "deny" }];
  if (isOutOfReach(ground, place.absolute)) return [{ id: "reach:home", effect: "deny" }];
  if (change === "no") return [];
  const effect = change === "yes" ? "deny" : "ask";
  return [...sandboxRules(ground, place), ...scopeRules(ground, place)].map((id) => ({ id, effect }));
}

/** What `warn` lets through and writes down. */
export function warnedRules(ground: Ground, place: Place | null): readonly string[] {
  return ground.sandbox === "warn" && place !== null ? wallRules(ground, place) : [];
}

function sandboxRules(ground: Ground, place: Place): readonly string[] {
  return ground.sandbox === "enforce" || ground.sandbox === "strict" ? wallRules(ground, place) : [];
}

function wallRules(ground: Ground, { isInside: inside, absolute }: Place): readonly string[] {
  if (!inside) return ["sandbox:outside_workspace"];
  // A hook in there runs with the person's next command. A worktree has a git dir of its own.
  return treeOf(ground) === null && below(ground.cwd, absolute).includes(".git") ? ["sandbox:git_dir"] : [];
}

/** The scope is by path below the worktree's root; the worktree's own git dir is the session's. */
function scopeRules(ground: Ground, { absolute }: Pick<Place, "absolute">): readonly string[] {
  const tree = treeOf(ground);
  if (ground.scope === null || tree === null || !isInside(tree, absolute)) return [];
  const path = relative(tree, absolute);
  if (path === ".git" || path.startsWith(".git/") || ground.widened.includes(path)) return [];
  const { verdict, rule } = judgeChange(path, ground.scope);
  return verdict === "deny" ? [`scope:${rule}`] : [];
}

/** Of these names below the worktree's root, those that the session's scope does not let it change. */
export function outOfScope(ground: Ground, names: readonly string[]): readonly string[] {
  const tree = treeOf(ground);
  if (tree === null) return [];
  return names.filter((name) => scopeRules(ground, { absolute: join(tree, name) }).length > 0);
}

/** The path below the worktree's root, if only a person could let the session change it; null: its scope says nothing. */
export function refusedByScope(ground: Ground, path: string): string | null {
  const tree = treeOf(ground);
  const place = locate(ground, path);
  if (tree === null || place === null || scopeRules(ground, place).length === 0) return null;
  return relative(tree, place.absolute);
}

/** The worktree that the session works in; null in somebody else's directory. */
function treeOf({ home, cwd }: Ground): string | null {
  const [id = "", tree] = below(join(home, "worktrees"), cwd);
  return isInside(join(home, "worktrees"), cwd) && tree === "tree" ? join(home, "worktrees", id, "tree") : null;
}

/** Compared in one spelling: where a file system takes both for one, the other spelling is no way in. */
function isOutOfReach(ground: Ground, absolute: string): boolean {
  const [home, place] = [spelled(ground.home), spelled(absolute)];
  return isInside(home, place) && !isInside(spelled(treeOf(ground) ?? ground.cwd), place);
}

const spelled = (path: string): string => path.normalize("NFC").toLowerCase();
const below = (root: string, path: string): readonly string[] => spelled(relative(root, path)).split("/");
