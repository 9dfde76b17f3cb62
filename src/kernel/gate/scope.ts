import { type Refusal, refuse } from "../refusal.ts";
import { indexPatterns, type PatternIndex } from "./pattern-index.ts";

/** What a session may change, by path below the root of its worktree. Only `*` and `**` are special; what matches a directory means all below it. */
export interface Scope {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export interface ScopeMount {
  /** Below the root; empty for the root itself. The innermost mount of a path speaks for it. */
  readonly path: string;
  readonly access: "write" | "read";
}

export interface ScopeWalls {
  /** Outermost first. All that the scope allows is writable; what else is writable is up to `residue`. */
  readonly mounts: readonly ScopeMount[];
  /** The rules that mounts alone do not hold: what they say is judged by what has changed. Empty: the mounts are the scope. */
  readonly residue: readonly string[];
}

export interface ScopeVerdict {
  readonly verdict: "allow" | "deny";
  /** `allow:<pattern>`, `deny:<pattern>`; `no_rule`: nobody allows it; `path_invalid`: it is no path. */
  readonly rule: string;
}

const PATTERNS_MAX = 256;
const PATTERN_CHARS_MAX = 1024;

/** A scope with its patterns in one spelling; one that could mean another place than it says is refused. */
export function parseScope(given: {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}): Scope | Refusal {
  const all = [...(given.allow ?? ["**"]), ...(given.deny ?? [])];
  if (all.length > PATTERNS_MAX)
    return refuse("scope_invalid", { reason: `it has more than ${PATTERNS_MAX} patterns` });
  for (const pattern of all) {
    const reason = whyNoPattern(pattern);
    if (reason !== null) return refuse("scope_invalid", { pattern: pattern.slice(0, PATTERN_CHARS_MAX), reason });
  }
  return { allow: (given.allow ?? ["**"]).map(spelled), deny: (given.deny ?? []).map(spelled) };
}

function whyNoPattern(pattern: string): string | null {
  if (pattern.length > PATTERN_CHARS_MAX) return "it is too long";
  if (/[?[\]{}]|^!/.test(pattern)) return "only * and ** are understood";
  const segments = spelled(pattern).split("/");
  if (!isPath(segments)) return "it is no path below the root";
  return segments[0]?.toLowerCase() === ".git" ? "the git dir is the session's own" : null;
}

function spelled(pattern: string): string {
  return pattern.endsWith("/") && pattern.length > 1 ? pattern.slice(0, -1) : pattern;
}

/** Relative, without `.` and `..`, and without what is a separator or an end to somebody. */
function isPath(segments: readonly string[]): boolean {
  return segments.every((one) => one !== "" && one !== "." && one !== ".." && !/[\\\p{Cc}]/u.test(one));
}

/** Deny beats allow, and nobody's word is a no. A deny rule also speaks for other spellings of its name, an allow rule never. */
export function judgeChange(path: string, scope: Scope): ScopeVerdict {
  return scopeJudge(scope)(path);
}

/** The same, compiled once for many paths. */
function scopeJudge({ allow, deny }: Scope): (path: string) => ScopeVerdict {
  const [allowed, denied] = [indexScope(allow, asItIs), indexScope(deny, folded)];
  return (path) => {
    if (!isPath(path.split("/"))) return { verdict: "deny", rule: "path_invalid" };
    const [no] = denied.match(folded(path));
    if (no !== undefined) return { verdict: "deny", rule: `deny:${no}` };
    const [yes] = allowed.match(path);
    return yes === undefined ? { verdict: "deny", rule: "no_rule" } : { verdict: "allow", rule: `allow:${yes}` };
  };
}

function indexScope(patterns: readonly string[], spell: (text: string) => string): PatternIndex<string> {
  return indexPatterns(patterns.map((value) => ({ pattern: `${spell(value)}/**`, value })));
}

const asItIs = (text: string): string => text;
const folded = (text: string): string => text.normalize("NFC").toLowerCase();

/** Whether one pattern matches a whole path. */
export function matchesGlob(pattern: string, path: string): boolean {
  return indexPatterns([{ pattern, value: true }]).match(path).length > 0;
}

/** As walls. `isDirectory` tells of the tree as it stands when they are put up: what is born later is judged, not walled. */
export function scopeWalls({ allow, deny }: Scope, isDirectory: (path: string) => boolean): ScopeWalls {
  const doors = allow.map((pattern) => ({ pattern, ...door(pattern, isDirectory) }));
  const walls = deny.map((pattern) => ({ pattern, ...door(pattern, isDirectory) }));
  const shut = walls.filter(({ isExact }) => isExact).map(({ path }) => path);
  const open = doors.map(({ path }) => path).filter((path) => !shut.some((wall) => covers(wall, path)));
  const access = new Map<string, ScopeMount["access"]>([["", "read"]]);
  for (const path of open) access.set(path, "write");
  for (const path of shut) access.set(path, "read");
  const exact = doors.filter(({ isExact }) => isExact).map(({ path }) => path);
  const loose = doors.filter(({ isExact, path }) => !isExact && !exact.some((wider) => covers(wider, path)));
  return {
    mounts: [...access].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([path, how]) => ({ path, access: how })),
    residue: [
      ...loose.map(({ pattern }) => `allow:${pattern}`),
      ...walls.filter(({ isExact }) => !isExact).map(({ pattern }) => `deny:${pattern}`),
    ],
  };
}

/** The directory that has to be open for a pattern; exact when the pattern is just that directory with all below it. */
function door(pattern: string, isDirectory: (path: string) => boolean): { path: string; isExact: boolean } {
  const whole = pattern.replace(/(^|\/)\*\*$/, "");
  const segments = whole === "" ? [] : whole.split("/");
  const plain = segments.findIndex((segment) => segment.includes("*"));
  let known = plain < 0 ? segments.length : plain;
  while (known > 0 && !isDirectory(segments.slice(0, known).join("/"))) known -= 1;
  return { path: segments.slice(0, known).join("/"), isExact: known === segments.length };
}

function covers(outer: string, inner: string): boolean {
  return outer === "" || outer === inner || inner.startsWith(`${outer}/`);
}
