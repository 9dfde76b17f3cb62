import { join } from "node:path";
import { type CompiledLaw, judgeLaw, type Voice } from "../../../domains/index.ts";
import { isInside } from "../../../host/index.ts";
import type { HeldLaw } from "./held-law.ts";

/** A session in a governed repository, as the gate knows it. */
export interface SessionGround {
  readonly law: HeldLaw;
  /** The root of the files it works in: its worktree, or the person's checkout. */
  readonly root: string;
  /** Where it stands below the root; empty: in it. */
  readonly below: string;
  /** Null: it works on no ticket. */
  readonly work: { readonly ticketId: string; readonly isAudit: boolean; readonly problem: string | null } | null;
}

/** What a verb of a turn does to a file; null: nothing that the law knows. */
function lawVerb(verb: string, removes: boolean): string | null {
  if (removes) return "delete";
  const known = VERBS[verb];
  if (known !== undefined) return known;
  return verb.startsWith("tool.") || verb === "agent.other" ? "write" : null;
}

const VERBS: Readonly<Record<string, string | undefined>> = {
  "tool.read": "read",
  "tool.ask": "read",
  "agent.read": "read",
  "agent.search": "read",
  "agent.think": "read",
  "agent.fetch": "read",
  "agent.switch_mode": "read",
  "agent.edit": "write",
  "agent.delete": "delete",
  "agent.move": "move",
  "agent.execute": "write",
};

const LAW = "law:";

/** What the law says to a request of a turn; null: nothing. `resource`: as rules know it, below the session. */
export function judgeRequest(ground: SessionGround, verb: string, resource: string, removes: boolean): Voice | null {
  const does = lawVerb(verb, removes);
  if (does === null) return null;
  const isChange = does !== "read";
  if (isChange && ground.law.compiled === null) return { id: `${LAW}governance_invalid`, effect: "deny" };
  if (isChange && ground.work?.problem != null) return { id: `${LAW}${ground.work.problem}`, effect: "deny" };
  // All files at once, where a tool names none: some of them are always out of reach for a change.
  if (resource === ALL) return isChange ? { id: `${LAW}unnamed_path`, effect: "deny" } : null;
  const path = pathOf(ground, resource);
  if (path === null) return null;
  const found = forbidden(ground, does, path);
  return found === null ? null : { id: `${LAW}${found.rule}`, effect: "deny" };
}

const ALL = "path/**";

/** As the law knows it: below the repository's root, or absolute. Null: the request names no path. */
function pathOf({ root, below }: SessionGround, resource: string): string | null {
  if (resource.startsWith("path/")) {
    const path = resource.slice("path/".length);
    return join(below, path === "." ? "" : path);
  }
  if (!resource.startsWith("outside/")) return null;
  const absolute = resource.slice("outside".length);
  // Another directory of the same files, such as one beside the session's own.
  return isInside(root, absolute) && absolute !== root ? absolute.slice(root.length + 1) : absolute;
}

export interface Forbidden {
  readonly rule: string;
  /** In the words of the rule. */
  readonly reason: string;
}

/** The rule by which this must not be done; null: none. */
export function forbidden(ground: SessionGround, verb: string, path: string): Forbidden | null {
  const { law, work, root } = ground;
  const { compiled } = law;
  if (compiled === null) return { rule: "governance_invalid", reason: "The repository's law does not hold." };
  const isOutside = path.startsWith("/");
  // The person's own checkout, and every other place: work on a ticket stays in its worktree.
  if (isOutside && work !== null && verb !== "read" && root !== compiled.places.root) return OUT;
  const named = isOutside ? path : join(compiled.places.root, path);
  if (!isOutside && (path === "" || path === ".")) return null;
  if (work?.isAudit === true && isInside(join(root, MEMENTOS, work.ticketId), join(root, path))) return ISOLATED;
  const { verdict, rules, reason } = judgeLaw(compiled, {
    ...{ verb, path: named, resolved: named, ticket: null },
    hasLease: work !== null && work.problem === null,
    evidence: ["attestation:delete"],
  });
  if (verdict !== "deny") return null;
  const guard = isOutside ? guardOf(compiled, verb, path) : null;
  if (guard !== null) return guard;
  const counting = rules.filter((rule) => rule !== OUTSIDE || (work !== null && verb !== "read"));
  const [rule] = counting;
  return rule === undefined ? null : { rule, reason };
}

/** Keys and passwords of the person: that a place is outside of the repository is no reason to read them. */
function guardOf(compiled: CompiledLaw, verb: string, absolute: string): Forbidden | null {
  const subject = { absolute, relative: null };
  const action = verb === "read" || verb === "delete" ? verb : "write";
  if (compiled.allowed(action, subject).length > 0) return null;
  const [guard] = compiled.protections(action, subject);
  return guard === undefined ? null : { rule: `protected:${guard.pattern}`, reason: guard.message };
}

const OUTSIDE = "outside_repository";
const OUT: Forbidden = { rule: "outside_worktree", reason: "Work on a ticket stays in its worktree." };
const ISOLATED: Forbidden = { rule: "audit_isolation", reason: "An audit does not read what the work's writer says." };
/** What the writer of the work says of it; who audits does not read it. */
const MEMENTOS = ".nomos/mementos";
