import type { SandboxMode } from "../../kernel/index.ts";
import { folded, indexPatterns, matchSegment, type PatternIndex } from "./pattern-index.ts";

export type ToolPolicy = "auto" | "on_demand" | "always_ask" | "never";

/** The actor: the token's principal, never a name from the environment. */
export interface Actor {
  readonly principal: string;
  /** `family.verb` patterns: `session.read`, `session.*`, `*`. */
  readonly capabilities: readonly string[];
  /** A session's token reaches its own session and those it started, and nothing else. */
  readonly sessionId: string | null;
  /** Capabilities over sessions it started and their descendants. Absent: none. */
  readonly below?: readonly string[];
  /** The weakest sandbox mode it may start or drive a session in. Absent: any. */
  readonly floor?: SandboxMode;
}

export interface Rule {
  readonly id: string;
  readonly effect: "allow" | "deny" | "ask";
  /** A verb, a family (`tool.*`) or `*`. */
  readonly verb: string;
  /** Path-like: `session/<id>/path/src/**`. Segments may hold `*`. */
  readonly resource: string;
  /** Speaks only where no other rule does. */
  readonly isDefault?: true;
}

/** What holds where nobody wrote a rule: capabilities and tool policies alone decide. */
export const DEFAULT_RULES: readonly Rule[] = [
  { id: "default", effect: "allow", verb: "*", resource: "**", isDefault: true },
];

export interface Policy {
  readonly knows: (verb: string) => boolean;
  readonly rulesFor: (verb: string, resource: string) => readonly Rule[];
  /** Whether some rule for the verb denies or asks, whatever the resource: for a request that does not name its own. */
  readonly restricts: (verb: string) => boolean;
  /** What others say beside the rules. It can make a verdict stricter and never milder. */
  readonly beside?: Speaker;
}

/** Somebody who is asked beside the rules: the law of a repository, a program around Nomos. */
export type Speaker = (verb: string, resource: string, removes: boolean) => Voice | null;

export interface Request {
  readonly verb: string;
  readonly resource: string;
  /** Set for a tool: how its agent may use it, and whether a person already said "always". */
  readonly tool: {
    readonly policy: ToolPolicy;
    readonly granted: boolean;
    /** Nobody chose this policy for the tool: it speaks only where no rule does, as a default rule. */
    readonly isDefault?: boolean;
  } | null;
  /** What holds beside the policy, such as the session's scope. No rule overrules it. */
  readonly voices?: readonly Voice[];
  /** The file goes, also where the verb is that of an edit. */
  readonly removes?: boolean;
}

export interface Voice {
  readonly id: string;
  readonly effect: Rule["effect"];
}

export interface Verdict {
  readonly verdict: "allow" | "deny" | "ask";
  /** Every rule that spoke, in the order of the checks. */
  readonly rules: readonly string[];
}

/** The gate. An unknown verb is denied; deny beats ask, ask beats allow. */
export function decideGate(actor: Actor, request: Request, policy: Policy): Verdict {
  if (!policy.knows(request.verb)) return { verdict: "deny", rules: ["unknown_verb"] };
  if (request.resource.split("/").includes("..")) return { verdict: "deny", rules: ["unresolved_path"] };
  const isItself = request.resource === principalResource(actor.principal);
  const held =
    actor.sessionId !== null && isBelow(actor.sessionId, request.resource) ? actor.below : actor.capabilities;
  if (!(isItself && request.verb === EXPLAIN) && held?.some((one) => covers(one, request.verb)) !== true)
    return { verdict: "deny", rules: [`capability:${request.verb}`] };
  if (actor.sessionId !== null && !isItself && !withinSession(actor.sessionId, request.resource))
    return { verdict: "deny", rules: ["own_session_only"] };
  const voices = voicesFor(request, policy.rulesFor(request.verb, request.resource));
  const judged = { verdict: strongest(voices.map(({ effect }) => effect)), rules: voices.map(({ id }) => id) };
  const beside = policy.beside?.(request.verb, request.resource, request.removes === true) ?? null;
  return beside === null ? judged : strictest([judged, { verdict: beside.effect, rules: [beside.id] }]);
}

/** Several speakers as one: the strictest is heard. */
export function hearAll(speakers: readonly Speaker[]): Speaker {
  return (verb, resource, removes) => {
    const voices = speakers.flatMap((speak) => speak(verb, resource, removes) ?? []);
    const effect = strongest(voices.map((voice) => voice.effect));
    return voices.find((voice) => voice.effect === effect) ?? null;
  };
}

/** What anybody may ask about themselves: what they may do. */
export const EXPLAIN = "permission.explain";

export function principalResource(principal: string): string {
  return `principal/${principal}`;
}

function voicesFor({ tool, voices = [] }: Request, spoken: readonly Rule[]): readonly Voice[] {
  const written = spoken.filter(({ isDefault }) => isDefault !== true);
  const ofTool = tool === null || (tool.isDefault === true && written.length > 0) ? [] : [toolVoice(tool)];
  return [...(written.length > 0 ? written : spoken), ...ofTool, ...voices];
}

/** One request about several resources: the strictest verdict, with every rule that spoke. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  const rules = [...new Set(verdicts.flatMap((one) => one.rules))];
  return { verdict: strongest(verdicts.map(({ verdict }) => verdict)), rules };
}

/**
 * Compiled once: rules are found by verb, then by the resource's segments. A family such as `tool.*` is open: its verbs
 * are recognised by their form and compiled at first use.
 */
export function compilePolicy(verbs: readonly string[], rules: readonly Rule[]): Policy {
  const families = new Set(verbs.filter((verb) => verb.endsWith(".*")));
  const known = new Set(verbs.filter((verb) => !families.has(verb)));
  const byVerb = new Map<string, PatternIndex<Rule>>();
  const indexOf = (verb: string): PatternIndex<Rule> => {
    const speaking = rules.filter((rule) => covers(rule.verb, verb));
    const [yes, no] = [speaking.filter(isAllow), speaking.filter((rule) => !isAllow(rule))];
    const exact = indexPatterns(yes.map((rule) => ({ pattern: rule.resource, value: rule })));
    // Another spelling of a name must not get around a rule that denies or asks.
    const alike = indexPatterns(no.map((rule) => ({ pattern: folded(rule.resource), value: rule })));
    if (no.length === 0) return exact;
    return { match: (resource) => [...exact.match(resource), ...alike.match(folded(resource))] };
  };
  const knows = (verb: string): boolean => known.has(verb) || families.has(familyOf(verb));
  for (const verb of known) byVerb.set(verb, indexOf(verb));
  return {
    knows,
    rulesFor: (verb, resource) => {
      if (!knows(verb)) return [];
      const index = byVerb.get(verb) ?? indexOf(verb);
      if (byVerb.size < VERBS_KEPT) byVerb.set(verb, index);
      return index.match(resource);
    },
    restricts: (verb) => rules.some((rule) => !isAllow(rule) && covers(rule.verb, verb)),
  };
}

const VERBS_KEPT = 1000;
const isAllow = ({ effect }: Rule): boolean => effect === "allow";

/** `tool.*` for `tool.search`; empty for a verb that is not a plain name in a family. */
function familyOf(verb: string): string {
  return /^[a-z]+\.[a-z][a-z0-9_]*$/.test(verb) ? `${verb.slice(0, verb.indexOf("."))}.*` : "";
}

/** Whether the wanted capabilities are within the held ones: a token never gives more than its maker has. */
export function narrows(held: readonly string[], asked: readonly string[]): boolean {
  return asked.every((wanted) =>
    held.some(
      (have) => have === wanted || (!wanted.includes("*") && covers(have, wanted)) || coversPattern(have, wanted),
    ),
  );
}

function coversPattern(have: string, wanted: string): boolean {
  return have === "*" || (have.endsWith(".*") && wanted.startsWith(have.slice(0, -1)));
}

function covers(pattern: string, verb: string): boolean {
  return pattern === "*" || matchSegment(pattern, verb);
}

/** The resource of a child session, as its parent reaches it. */
export function belowSession(sessionId: string, descendant: string): string {
  return `session/${sessionId}/below/${descendant}`;
}

function isBelow(sessionId: string, resource: string): boolean {
  return resource.startsWith(belowSession(sessionId, ""));
}

/** The wanted capabilities that are held. */
export function heldOf(held: readonly string[], wanted: readonly string[]): readonly string[] {
  return wanted.filter((verb) => held.some((one) => covers(one, verb)));
}

function withinSession(sessionId: string, resource: string): boolean {
  const own = `session/${sessionId}`;
  return resource === own || resource.startsWith(`${own}/`);
}

function toolVoice(tool: NonNullable<Request["tool"]>): Voice {
  const id = `tool_policy:${tool.policy}`;
  switch (tool.policy) {
    case "auto":
      return { id, effect: "allow" };
    case "on_demand":
      return { id: tool.granted ? `${id}:granted` : id, effect: tool.granted ? "allow" : "ask" };
    case "always_ask":
      return { id, effect: "ask" };
    case "never":
      return { id, effect: "deny" };
  }
}

function strongest(effects: readonly Rule["effect"][]): Rule["effect"] {
  if (effects.length === 0 || effects.includes("deny")) return "deny";
  return effects.includes("ask") ? "ask" : "allow";
}
