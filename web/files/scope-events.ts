import { memberOf } from "../../src/kernel/index.ts";

interface Scope {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** The scope in the data of `session.opened`; null when it has none. */
export function scopeIn(data: unknown): Scope | null {
  const scope = memberOf(memberOf(data, "spec"), "scope");
  if (typeof scope !== "object" || scope === null) return null;
  return { allow: texts(memberOf(scope, "allow")), deny: texts(memberOf(scope, "deny")) };
}

/** The files in the data of `scope.reverted`; erased ones are gone. */
export function revertedIn(data: unknown): readonly { readonly path: string; readonly rule: string }[] {
  const files = memberOf(data, "files");
  if (!Array.isArray(files)) return [];
  return files.map((file) => ({ path: String(memberOf(file, "path")), rule: String(memberOf(file, "rule")) }));
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
