import { folded } from "../gate/pattern-index.ts";
import { judgeChange, type Scope } from "../scope/scope.ts";
import { type Automaton, createAutomaton, type Effort, EVERYWHERE, NOWHERE } from "./automaton.ts";
import { findPath, UNDECIDED } from "./find-path.ts";

/** What `overlapOf` answers when it would take too long to be sure. No path is called so. */
export const UNPROVEN = "**";

/** How much one comparison may cost: states that are visited, and moves of single patterns on the way. */
export const GLOB_LIMITS = { states: 20_000, moves: 500_000 } as const;

/**
 * A path that both scopes allow to be changed; null when there is none, `UNPROVEN` when that could not be decided within
 * `GLOB_LIMITS`: then they count as overlapping. It is exact for all paths that are spelled with the letters of the
 * patterns and any others, except for marks that no pattern has and that would join a letter to another one.
 */
export function overlapOf(a: Scope, b: Scope): string | null {
  const effort: Effort = { left: GLOB_LIMITS.moves };
  const allow = [a, b].map((scope) => createAutomaton(scope.allow, effort));
  const deny = createAutomaton([...a.deny, ...b.deny].map(folded), effort);
  const found = findPath({
    ...{ effort, raw: allow, folds: [deny], told: { raw: allow, folds: [] }, statesMax: GLOB_LIMITS.states },
    spellings: [...a.allow, ...b.allow, ...a.deny, ...b.deny],
    isHopeless: (raw, [denied]) => raw.includes(NOWHERE) || denied === EVERYWHERE,
    isFound: (raw, [denied = EVERYWHERE]) => raw.every((state, at) => covers(allow[at], state)) && !deny.covers(denied),
    isRight: (path) => [a, b].every((scope) => judgeChange(path, scope).verdict === "allow"),
  });
  return found === UNDECIDED ? UNPROVEN : found;
}

/** Whether every path that `inner` allows is allowed by `outer` too. False when that could not be decided. */
export function scopeWithin(inner: Scope, outer: Scope): boolean {
  const effort: Effort = { left: GLOB_LIMITS.moves };
  const [given, taken] = [createAutomaton(inner.allow, effort), createAutomaton(outer.allow, effort)];
  const [shut, barred] = [inner, outer].map(({ deny }) => createAutomaton(deny.map(folded), effort));
  if (shut === undefined || barred === undefined) return false;
  const way = findPath({
    ...{ effort, raw: [given, taken], folds: [shut, barred], statesMax: GLOB_LIMITS.states },
    told: { raw: [given], folds: [barred] },
    spellings: [...inner.allow, ...outer.allow, ...inner.deny, ...outer.deny],
    isHopeless: ([in1, out1], [in2, out2]) =>
      in1 === NOWHERE || in2 === EVERYWHERE || (out1 === EVERYWHERE && out2 === NOWHERE),
    isFound: ([in1 = NOWHERE, out1 = NOWHERE], [in2 = NOWHERE, out2 = NOWHERE]) =>
      given.covers(in1) && !shut.covers(in2) && (!taken.covers(out1) || barred.covers(out2)),
    isRight: (path) => judgeChange(path, inner).verdict === "allow" && judgeChange(path, outer).verdict === "deny",
  });
  return way === null;
}

const covers = (automaton: Automaton | undefined, state: number): boolean => automaton?.covers(state) ?? false;
