import { missingCoUpdates } from "../drift/co-updates.ts";
import { overlapOf, UNPROVEN } from "../globs/overlap.ts";
import { compileScope, type Scope } from "../scope/scope.ts";
import type { AdvisoryFacts, Distance, FellowSession, OtherBranch } from "./advisory-facts.ts";

export const ADVISORY_KINDS = [
  ...(["stale_branch", "base_divergence", "scope_conflict", "unmerged_work"] as const),
  ...(["ticket_branch_mismatch", "ticket_contention", "machine_load", "co_update_impact"] as const),
] as const;
export type AdvisoryKind = (typeof ADVISORY_KINDS)[number];

/** Something to know before or during work. It never blocks. */
export interface Advisory {
  readonly kind: AdvisoryKind;
  readonly severity: "warning" | "info";
  readonly message: string;
  /** What it is about, in fields; short. */
  readonly detail: { readonly [name: string]: string | number | readonly string[] };
}

export const ADVISORY_LIMITS = {
  /** Commits of the base that a branch may be behind without a word. */
  behindMax: 14,
  loadShareMax: 0.7,
  freeBytesMin: 2 * 1024 ** 3,
  unmergedDaysMax: 14,
  /** Of one kind. */
  listedMax: 10,
  pathsMax: 5,
  summaryChars: 80,
} as const;

/** Warnings first. */
export function advisoriesOf(facts: AdvisoryFacts): readonly Advisory[] {
  const found = [
    ...staleBranch(facts),
    ...baseDivergence(facts),
    ...scopeConflicts(facts),
    ...unmergedWork(facts),
    ...ticketBranchMismatch(facts),
    ...ticketContention(facts),
    ...machineLoad(facts),
    ...coUpdateImpact(facts),
  ];
  return [...found.filter(isWarning), ...found.filter((one) => !isWarning(one))];
}

const isWarning = ({ severity }: Advisory): boolean => severity === "warning";

/** The own branch, or the one that the work started from: then it started from an old state. */
function staleBranch({ branch }: AdvisoryFacts): readonly Advisory[] {
  const { name, upstream, base, baseUpstream } = branch;
  return [
    ...(name === null || upstream === null ? [] : stale(`Your branch ${name}`, name, upstream)),
    ...(base === null || baseUpstream === null || base.name === name
      ? []
      : stale(`The base ${base.name}`, base.name, baseUpstream)),
  ];
}

function stale(called: string, branch: string, { name: from, ahead, behind }: Distance): readonly Advisory[] {
  if (behind === 0) return [];
  const how = ahead > 0 ? `has diverged from ${from}: ${ahead} ahead, ${behind} behind` : `is ${behind} behind ${from}`;
  const message = `${called} ${how}. Bring it up to date: \`git merge ${from}\` on it.`;
  return [{ kind: "stale_branch", severity: "warning", message, detail: { branch, upstream: from, ahead, behind } }];
}

function baseDivergence({ branch }: AdvisoryFacts): readonly Advisory[] {
  const { name, base } = branch;
  if (base === null || name === base.name || base.behind <= ADVISORY_LIMITS.behindMax) return [];
  const message = `The base ${base.name} has ${base.behind} commits that are not in your work. Merge it before you go on.`;
  return [{ kind: "base_divergence", severity: "warning", message, detail: { base: base.name, behind: base.behind } }];
}

function scopeConflicts({ ticket, siblings }: AdvisoryFacts): readonly Advisory[] {
  if (ticket === null) return [];
  const conflicts = siblings.flatMap((sibling): readonly Advisory[] => {
    if (sibling.ticketId === ticket.id || sibling.scope === null) return [];
    const path = overlapOf(ticket.scope, sibling.scope);
    if (path === null) return [];
    const other = nameOf(sibling);
    // Two tickets without a scope say nothing about where they work.
    const isVague = isEverything(ticket.scope) && isEverything(sibling.scope);
    const what = isVague ? `neither your ticket nor that of ${other} names a scope` : overlapText(path, other);
    const detail = { sessionId: sibling.sessionId, ticketId: sibling.ticketId ?? "", path };
    return [{ kind: "scope_conflict", severity: isVague ? "info" : "warning", message: sentence(what), detail }];
  });
  return conflicts.slice(0, ADVISORY_LIMITS.listedMax);
}

function overlapText(path: string, other: string): string {
  return path === UNPROVEN
    ? `your scope and that of ${other} are too involved to be told apart, so they count as overlapping`
    : `your scope overlaps with that of ${other}: both may change ${path}`;
}

const isEverything = ({ allow, deny }: Scope): boolean => allow.includes("**") && deny.length === 0;

function unmergedWork({ ticket, branch, unmerged, nowMs }: AdvisoryFacts): readonly Advisory[] {
  const isAllowed = ticket === null ? () => true : compileScope(ticket.scope);
  const newest = unmerged
    .filter(({ name, atMs }) => name !== branch.name && nowMs - atMs <= ADVISORY_LIMITS.unmergedDaysMax * DAY_MS)
    .toSorted((a, b) => b.atMs - a.atMs);
  const found = newest.flatMap((one): readonly Advisory[] => {
    const paths = one.paths.filter(isAllowed);
    // Where not all of its files are known it may touch the scope.
    if (paths.length === 0 && one.more === 0) return [];
    const named = paths.slice(0, ADVISORY_LIMITS.pathsMax);
    const message = sentence(`branch ${one.name} has work that is not in yours${aboutBranch(one, named)}`);
    const detail = { branch: one.name, commit: one.commit, ticketId: one.ticketId ?? "", paths: named };
    return [{ kind: "unmerged_work", severity: "info", message, detail }];
  });
  return found.slice(0, ADVISORY_LIMITS.listedMax);
}

function aboutBranch({ summary }: OtherBranch, paths: readonly string[]): string {
  const said = summary
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, ADVISORY_LIMITS.summaryChars);
  return `${paths.length === 0 ? "" : ` on ${paths.join(", ")}`}${said === "" ? "" : `: "${said}"`}`;
}

const DAY_MS = 86_400_000;

function ticketBranchMismatch({ ticket, branch, lastBranch }: AdvisoryFacts): readonly Advisory[] {
  if (ticket === null || lastBranch === null || branch.name === null || lastBranch === branch.name) return [];
  const message = `The last work on ${ticket.id} was on branch ${lastBranch}, you are on ${branch.name}. Look there first.`;
  const detail = { ticketId: ticket.id, branch: branch.name, lastBranch };
  return [{ kind: "ticket_branch_mismatch", severity: "warning", message, detail }];
}

function ticketContention({ ticket, siblings }: AdvisoryFacts): readonly Advisory[] {
  const same = ticket === null ? [] : siblings.filter(({ ticketId }) => ticketId === ticket.id);
  return same.slice(0, ADVISORY_LIMITS.listedMax).map((sibling) => ({
    kind: "ticket_contention",
    severity: "warning",
    message: sentence(`session ${sibling.sessionId} (${sibling.agent}) works on ${sibling.ticketId} as well`),
    detail: { sessionId: sibling.sessionId, ticketId: sibling.ticketId ?? "" },
  }));
}

function machineLoad({ machine, ticket, siblings }: AdvisoryFacts): readonly Advisory[] {
  if (machine === null) return [];
  const { cores, load, freeBytes } = machine;
  const isBusy = load > ADVISORY_LIMITS.loadShareMax * cores;
  const isFull = freeBytes < ADVISORY_LIMITS.freeBytesMin;
  const detail = { cores, load, freeBytes, sessions: siblings.length };
  const beside = siblings.length === 0 ? "" : ` beside ${siblings.length} other ${plural(siblings.length, "session")}`;
  const why = [
    ...(isBusy ? [`load ${load.toFixed(1)} on ${cores} cores`] : []),
    ...(isFull ? [`${(freeBytes / 1024 ** 3).toFixed(1)} GB of memory free`] : []),
  ].join(", ");
  if (why !== "") {
    const message = `The machine is busy: ${why}${beside}. Run long builds and tests one at a time.`;
    return [{ kind: "machine_load", severity: "warning", message, detail }];
  }
  if (ticket?.resourceProfile !== "heavy") return [];
  const message = `${ticket.id} needs much of the machine, which is idle enough now${beside}.`;
  return [{ kind: "machine_load", severity: "info", message, detail }];
}

/** What a rule asks to change together but the scope does not allow, and what was forgotten so far. */
function coUpdateImpact({ ticket, changed, coUpdates }: AdvisoryFacts): readonly Advisory[] {
  const beyond = coUpdates.flatMap(({ files, label }): readonly Advisory[] => {
    const [allowed, denied] = ticket === null ? [files, []] : split(files, ticket.scope);
    if (allowed.length === 0 || denied.length === 0) return [];
    const message = `${label}: ${listed(allowed)} changes together with ${listed(denied)}, which your scope does not allow. Ask for it before you change one of them.`;
    return [{ kind: "co_update_impact", severity: "warning", message, detail: { label, files: denied } }];
  });
  const forgotten = missingCoUpdates(changed, coUpdates).map(
    ({ file, label }): Advisory => ({
      kind: "co_update_impact",
      severity: "warning",
      message: `${label}: ${file} has not changed, though files that belong to it have.`,
      detail: { label, files: [file] },
    }),
  );
  return [...beyond, ...forgotten].slice(0, ADVISORY_LIMITS.listedMax);
}

function split(files: readonly string[], scope: Scope): readonly [readonly string[], readonly string[]] {
  const isAllowed = compileScope(scope);
  return [files.filter(isAllowed), files.filter((file) => !isAllowed(file))];
}

function listed(files: readonly string[]): string {
  const more = files.length - ADVISORY_LIMITS.pathsMax;
  return `${files.slice(0, ADVISORY_LIMITS.pathsMax).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const plural = (count: number, word: string): string => (count === 1 ? word : `${word}s`);
const nameOf = ({ sessionId, agent, ticketId }: FellowSession): string =>
  `${ticketId ?? `session ${sessionId}`} (${agent}${ticketId === null ? "" : `, session ${sessionId}`})`;
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
