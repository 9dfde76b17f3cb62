import type { Scope } from "../scope/scope.ts";

export const TICKET_KINDS = ["intent", "epic", "task"] as const;
export const TICKET_STATUSES = ["todo", "active", "paused", "review", "done", "archived"] as const;
export const TICKET_RISKS = ["low", "medium", "high"] as const;
export const RESOURCE_PROFILES = ["default", "light", "heavy"] as const;

export type TicketKind = (typeof TICKET_KINDS)[number];
export type TicketStatus = (typeof TICKET_STATUSES)[number];
export type TicketRisk = (typeof TICKET_RISKS)[number];
export type ResourceProfile = (typeof RESOURCE_PROFILES)[number];

/** A condition of done. With a check its passing is the witness; without one somebody names an event of the log. */
export interface Criterion {
  readonly id: string;
  readonly text: string;
  readonly check: readonly string[] | null;
}

export interface FileBudget {
  readonly files: number;
  readonly lines: number;
}

/** What people wrote in the ticket's file. Its status, lease and evidence are not in there. */
export interface Ticket {
  readonly id: string;
  readonly kind: TicketKind;
  readonly title: string;
  readonly body: string;
  /** What sort of work: `feature`, `bug`, `chore`, `docs`, or any other word. Lanes take tickets by it. */
  readonly type: string;
  /** From 1, the most urgent, to 5. */
  readonly priority: number;
  readonly parent: string | null;
  readonly lane: string | null;
  readonly scope: Scope;
  readonly fileBudget: FileBudget;
  readonly checks: readonly (readonly string[])[];
  readonly acceptance: readonly Criterion[];
  readonly blockers: readonly string[];
  readonly labels: readonly string[];
  readonly risk: TicketRisk;
  readonly resourceProfile: ResourceProfile;
  readonly brainDump: string;
  readonly boundary: string;
  readonly successCondition: string;
  /** Null when neither the file nor the id says it. */
  readonly createdAt: string | null;
}

export const TICKET_DEFAULTS = {
  kind: "task",
  type: "feature",
  priority: 3,
  fileBudget: { files: 12, lines: 400 },
  risk: "medium",
  resourceProfile: "default",
} as const;

export const TICKET_MAX = {
  idChars: 64,
  titleChars: 200,
  wordChars: 40,
  textChars: 65_536,
  criterionChars: 2000,
  budget: 1_000_000,
  checks: 32,
  checkWords: 64,
  checkChars: 4096,
  criteria: 64,
  blockers: 64,
  labels: 32,
  /** Together, allowed and denied. */
  patterns: 128,
  patternChars: 512,
} as const;

/** `TKT-20260102-030405-A1B2`, its like with another beginning, or an imported `TICKET-12`. Safe as a file and ref name. */
export function isTicketId(text: string): boolean {
  return text.length <= TICKET_MAX.idChars && /^[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+$/.test(text);
}

/** `at`: an ISO time; `random`: four of A-Z0-9. */
export function newTicketId(kind: TicketKind, at: string, random: string): string {
  const [day = "", time = ""] = at.split("T");
  const stamp = `${day.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${random}`;
  return `${kind === "intent" ? "INT" : "TKT"}-${stamp}${kind === "epic" ? "-EPIC" : ""}`;
}

/** Null when the id names no time. */
export function timeInId(id: string): string | null {
  const parts = /^[A-Z]+-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(id)?.slice(1) ?? [];
  if (parts.length === 0) return null;
  const at = `${parts.slice(0, 3).join("-")}T${parts.slice(3).join(":")}.000Z`;
  return Number.isNaN(Date.parse(at)) ? null : at;
}
