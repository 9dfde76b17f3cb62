import type { LawAction, LawRule } from "../constitution/law-rule.ts";
import { judgeChange, type Scope } from "../scope/scope.ts";
import type { CompiledLaw, Guard } from "./compile-law.ts";
import { type Subject, subjectsOf } from "./law-path.ts";

/** What somebody wants to do, and what they bring. */
export interface LawAsk {
  /** `read`, `write`, `delete`, or a word that means one of them. */
  readonly verb: string;
  /** From the repository's root, or absolute, or `~/...`. */
  readonly path: string;
  /** The real path, absolute, with all links resolved; null: as it is spelled. */
  readonly resolved: string | null;
  /** Null: nobody named one. `faults`: why it does not count. */
  readonly ticket: { readonly scope: Scope; readonly faults: readonly string[] } | null;
  readonly hasLease: boolean;
  /** What was already shown, such as `attestation:delete`. */
  readonly evidence: readonly string[];
}

export interface LawVerdict {
  readonly verdict: "allow" | "deny" | "ask";
  /** Rules, or what else decided: `scope:no_rule`, `protected:.nomos`. */
  readonly rules: readonly string[];
  /** In the words of the rule; empty for a plain yes. */
  readonly reason: string;
  /** What turns an `ask` into a yes. */
  readonly requires: readonly string[];
}

/** What a word means. A word that is not here is denied. */
const MEANS: Readonly<Record<string, readonly LawAction[]>> = {
  ...meaning(["read", "list", "search", "view"], ["read"]),
  ...meaning(["write", "create", "update", "edit", "append", "patch"], ["write"]),
  ...meaning(["delete", "remove"], ["delete"]),
  ...meaning(["rename", "move"], ["write", "delete"]),
};

function meaning(
  words: readonly string[],
  actions: readonly LawAction[],
): Readonly<Record<string, readonly LawAction[]>> {
  return Object.fromEntries(words.map((word) => [word, actions]));
}

const DELETE_EVIDENCE = "attestation:delete";

/**
 * The first check that has something to say decides: the law itself, the ticket, the request, protected paths, the
 * lease, the ticket's scope, the rules; then a deletion is asked about, and the rest is allowed. Null: the law is not
 * valid.
 */
export function judgeLaw(law: CompiledLaw | null, ask: LawAsk): LawVerdict {
  if (law === null) return denied(["governance_invalid"], "The repository's law is not valid.");
  if (ask.ticket !== null && ask.ticket.faults.length > 0)
    return denied(["ticket_invalid"], `The ticket does not count: ${ask.ticket.faults.join("; ")}.`);
  const actions = Object.hasOwn(MEANS, ask.verb) ? (MEANS[ask.verb] ?? []) : [];
  if (actions.length === 0) return denied(["unknown_verb"], `Nobody knows what \`${ask.verb.slice(0, 100)}\` does.`);
  const subjects = subjectsOf(ask.path, ask.resolved, law.places);
  if (subjects === null) return denied(["path_invalid"], "That is no path.");
  const asked: Asked = { law, ask, actions, subjects };
  for (const check of CHECKS) {
    const verdict = check(asked);
    if (verdict !== null) return verdict;
  }
  return asksForDeletion(asked) ?? allowed(asked);
}

interface Asked {
  readonly law: CompiledLaw;
  readonly ask: LawAsk;
  readonly actions: readonly LawAction[];
  readonly subjects: readonly Subject[];
}

type Check = (asked: Asked) => LawVerdict | null;

/** The order of ExoProtocol's `check_action`, after the request itself was found sound. */
const CHECKS: readonly Check[] = [isOutside, isLaw, lacksLease, leavesScope, isDenied, isProtected];

/** A rule that names a place outside by an absolute path or by `~/` allows it. */
function isOutside(asked: Asked): LawVerdict | null {
  const { law, actions, subjects } = asked;
  const outside = subjects.filter(({ relative }) => relative === null);
  const isAllowed = outside.every((one) => actions.every((action) => law.allowed(action, one).length > 0));
  if (isAllowed) return null;
  const rules = denials(asked);
  return denied(
    [...rules.map(({ id }) => id), "outside_repository"],
    messageOf(rules) ?? "The path is outside of the repository.",
  );
}

function isLaw(asked: Asked): LawVerdict | null {
  const guards = guardsOf(asked).filter(({ isDefault }) => !isDefault);
  return guards.length === 0 ? null : byGuards(guards);
}

function lacksLease({ law, ask, actions, subjects }: Asked): LawVerdict | null {
  if (ask.hasLease) return null;
  const rules = each(actions, subjects, law.lease);
  if (rules.length === 0) return null;
  const reason = messageOf(rules) ?? "lease the ticket first";
  return denied(idsOf(rules), `A lease is required: ${reason}`);
}

function leavesScope({ ask, actions, subjects }: Asked): LawVerdict | null {
  if (ask.ticket === null) return null;
  const isChange = actions.some((action) => action !== "read");
  for (const { relative } of subjects) {
    if (relative === null || relative === "") continue;
    const { verdict, rule } = judgeChange(relative, ask.ticket.scope);
    if (verdict === "allow" || !(isChange || rule.startsWith("deny:"))) continue;
    return denied([`scope:${rule}`], "The path is not in the ticket's scope.");
  }
  return null;
}

function isDenied(asked: Asked): LawVerdict | null {
  const rules = denials(asked);
  return rules.length === 0 ? null : denied(idsOf(rules), messageOf(rules) ?? "A rule of the constitution denies it.");
}

/** A rule that allows the path beats what is protected by default, as a written rule beats a default of the gate. */
function isProtected(asked: Asked): LawVerdict | null {
  const { law, actions, subjects } = asked;
  const isLifted = subjects.every((one) => actions.every((action) => law.allowed(action, one).length > 0));
  const guards = guardsOf(asked);
  return guards.length === 0 || isLifted ? null : byGuards(guards);
}

function asksForDeletion({ ask, actions }: Asked): LawVerdict | null {
  // What is moved is still there.
  const isDeletion = actions.includes("delete") && actions.length === 1;
  if (!isDeletion || ask.evidence.includes(DELETE_EVIDENCE)) return null;
  return {
    verdict: "ask",
    rules: [DELETE_EVIDENCE],
    reason: "A deletion needs somebody's word.",
    requires: [DELETE_EVIDENCE],
  };
}

function allowed({ law, actions, subjects }: Asked): LawVerdict {
  return { verdict: "allow", rules: idsOf(each(actions, subjects, law.allowed)), reason: "", requires: [] };
}

/** What takes a path away takes away all that lies below. */
function denials({ law, actions, subjects }: Asked): readonly LawRule[] {
  const own = each(actions, subjects, law.denied);
  return actions.includes("delete") ? [...new Set([...own, ...each(actions, subjects, law.deniedBelow)])] : own;
}

function guardsOf({ law, actions, subjects }: Asked): readonly Guard[] {
  const own = each(actions, subjects, law.protections);
  return actions.includes("delete") ? [...new Set([...own, ...each(actions, subjects, law.protectionsBelow)])] : own;
}

function each<T>(
  actions: readonly LawAction[],
  subjects: readonly Subject[],
  find: (action: LawAction, subject: Subject) => readonly T[],
): readonly T[] {
  return [...new Set(actions.flatMap((action) => subjects.flatMap((subject) => find(action, subject))))];
}

const idsOf = (rules: readonly LawRule[]): readonly string[] => rules.map(({ id }) => id);

function messageOf(rules: readonly LawRule[]): string | null {
  return rules.find(({ message }) => message !== "")?.message ?? null;
}

function byGuards(guards: readonly Guard[]): LawVerdict {
  return denied(
    guards.map(({ pattern }) => `protected:${pattern}`),
    guards[0]?.message ?? "",
  );
}

function denied(rules: readonly string[], reason: string): LawVerdict {
  return { verdict: "deny", rules, reason, requires: [] };
}

/** The commands that a change of these files has to pass, by the rules. */
export function requiredChecks(law: CompiledLaw, files: readonly string[]): readonly (readonly string[])[] {
  const subjects = files.flatMap((file) => subjectsOf(file, null, law.places) ?? []);
  return law.requiring(subjects).flatMap(({ checks }) => checks);
}
