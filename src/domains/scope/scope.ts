import { type Refusal, refuse } from "../../kernel/index.ts";
import { folded, indexPatterns } from "../gate/pattern-index.ts";

/** What a session may change, by path below its worktree. Only `*` and `**` are special; a folder includes all below. */
export interface Scope {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export interface ScopeWalls {
  /** Mounts, outermost first, empty for the root; the innermost decides. More is writable if `residue` is not empty. */
  readonly mounts: readonly { readonly path: string; readonly access: "write" | "read" }[];
  /** Rules that mounts cannot express: they are judged by what has changed. */
  readonly residue: readonly string[];
}

/** The rule: `allow:<pattern>`, `deny:<pattern>`, `no_rule` (no rule allows it), `path_invalid` (not a path). */
export type ScopeVerdict = { readonly verdict: "allow" | "deny"; readonly rule: string };

const MAX = { patterns: 256, patternChars: 1024 } as const;

/** Normalises the patterns of a scope; an ambiguous pattern is refused. */
export function parseScope(given: { readonly [K in keyof Scope]?: Scope[K] | undefined }): Scope | Refusal {
  const { allow = ["**"], deny = [] } = given;
  const odd = [...allow, ...deny].find((pattern) => whyNot(pattern) !== null);
  if (odd !== undefined) return refuse("scope_invalid", { pattern: odd.slice(0, 100), reason: whyNot(odd) });
  if (allow.length + deny.length > MAX.patterns) return refuse("scope_invalid", { max: MAX.patterns });
  return { allow: allow.map(spelled), deny: deny.map(spelled) };
}

function whyNot(pattern: string): string | null {
  if (pattern.length > MAX.patternChars) return "it is too long";
  if (/[?[\]{}]|^!/.test(pattern)) return "only * and ** are understood";
  if (!isPath(spelled(pattern))) return "it is no path below the root";
  return /^\.git(\/|$)/i.test(pattern) ? "the git dir is the session's own" : null;
}

const spelled = (pattern: string): string => pattern.replace(/(?<=.)\/$/, "");

/** Relative, without `.` and `..`, and without characters that some system takes for a separator or an end. */
function isPath(path: string): boolean {
  return path.split("/").every((one) => one !== "" && one !== "." && one !== ".." && !/[\\\p{Cc}]/u.test(one));
}

/** Deny beats allow; no rule means no. A deny rule also matches other spellings of its name, an allow rule never. */
export function judgeChange(path: string, { allow, deny }: Scope): ScopeVerdict {
  if (!isPath(path)) return { verdict: "deny", rule: "path_invalid" };
  const no = deny.find((pattern) => speaksFor(folded(pattern), folded(path)));
  if (no !== undefined) return { verdict: "deny", rule: `deny:${no}` };
  const yes = allow.find((pattern) => speaksFor(pattern, path));
  return yes === undefined ? { verdict: "deny", rule: "no_rule" } : { verdict: "allow", rule: `allow:${yes}` };
}

/** Whether a scope allows a path: made once for many paths, with the answers of `judgeChange`. */
export function compileScope({ allow, deny }: Scope): (path: string) => boolean {
  const index = (patterns: readonly string[]) =>
    indexPatterns(patterns.map((pattern) => ({ pattern: `${pattern}/**`, value: true })));
  const [yes, no] = [index(allow), index(deny.map(folded))];
  return (path) => isPath(path) && no.match(folded(path)).length === 0 && yes.match(path).length > 0;
}

const speaksFor = (pattern: string, path: string): boolean =>
  indexPatterns([{ pattern: `${pattern}/**`, value: true }]).match(path).length > 0;

/** The scope as mounts. `isDirectory` reads the tree now: paths created later are judged, not mounted. */
export function scopeWalls({ allow, deny }: Scope, isDirectory: (path: string) => boolean): ScopeWalls {
  const points = (list: readonly string[]) => list.map((pattern) => ({ pattern, ...mountPoint(pattern, isDirectory) }));
  const [doors, walls] = [points(allow), points(deny)];
  const exact = (list: typeof doors) => list.filter(({ isExact }) => isExact).map(({ path }) => path);
  const loose = (list: typeof doors) => list.filter(({ isExact }) => !isExact);
  const within = (outer: readonly string[], path: string) =>
    outer.some((one) => one === "" || `${path}/`.startsWith(`${one}/`));
  const [wide, shut] = [exact(doors), exact(walls)];
  const open = doors.map(({ path }) => path).filter((path) => !within(shut, path));
  const access = new Map<string, "write" | "read">([["", "read"]]);
  for (const path of open) access.set(path, "write");
  for (const path of shut) access.set(path, "read");
  const unsure = loose(doors).filter(({ path }) => !within(wide, path));
  return {
    mounts: [...access].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([path, how]) => ({ path, access: how })),
    residue: [
      ...unsure.map(({ pattern }) => `allow:${pattern}`),
      ...loose(walls).map(({ pattern }) => `deny:${pattern}`),
    ],
  };
}

/** The directory that must be writable for a pattern; `isExact` when the pattern is that directory and all below. */
function mountPoint(pattern: string, isDirectory: (path: string) => boolean): { path: string; isExact: boolean } {
  const segments = pattern
    .replace(/(^|\/)\*\*$/, "")
    .split("/")
    .filter(Boolean);
  const plain = segments.findIndex((segment) => segment.includes("*"));
  let known = plain < 0 ? segments.length : plain;
  while (known > 0 && !isDirectory(segments.slice(0, known).join("/"))) known -= 1;
  return { path: segments.slice(0, known).join("/"), isExact: known === segments.length };
}
