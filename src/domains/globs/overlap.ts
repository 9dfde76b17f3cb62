import type { Scope } from "../scope/scope.ts";

/** A path that both scopes allow to be changed; null when there is none. */
export function overlapOf(_a: Scope, _b: Scope): string | null {
  return "";
}

/** Whether every path that `inner` allows is allowed by `outer` too. */
export function scopeWithin(_inner: Scope, _outer: Scope): boolean {
  return false;
}
