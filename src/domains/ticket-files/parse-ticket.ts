import { isRefusal, memberOf } from "../../kernel/index.ts";
import { nearest } from "../names/nearest.ts";
import { parseScope, type Scope } from "../scope/scope.ts";
import {
  type Criterion,
  isTicketId,
  RESOURCE_PROFILES,
  TICKET_DEFAULTS,
  TICKET_KINDS,
  TICKET_MAX,
  TICKET_RISKS,
  type Ticket,
  timeInId,
} from "../tickets/ticket.ts";
import { CONTROLS_IN_TEXT, type FieldReader, fieldReader, type TicketFault, textFault } from "./ticket-fields.ts";

const NAMES_MAX = 200;

export interface TicketFaults {
  readonly faults: readonly TicketFault[];
}

/** What every field of a ticket's file is called. */
const FIELDS: readonly (keyof Ticket)[] = [
  ...(["id", "kind", "title", "body", "type", "priority", "parent", "lane", "scope", "fileBudget"] as const),
  ...(["checks", "acceptance", "blockers", "labels", "risk", "resourceProfile", "brainDump"] as const),
  ...(["boundary", "successCondition", "createdAt"] as const),
];

/**
 * Reads a ticket out of a plain object, as a YAML parser gives it. Fields that nobody knows are left out; one that is
 * nearly a known one is a fault, because a misspelled `scope` would allow everything.
 */
export function parseTicket(given: unknown): Ticket | TicketFaults {
  const read = fieldReader(given);
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    read.fault("", "is no map of fields", "Write a YAML file with `id:` and `title:`.");
    return { faults: read.faults };
  }
  noteMisspelled(given, read);
  const id = ticketId(read, "id");
  if (id === null && !read.faults.some(({ field }) => field === "id"))
    read.fault("id", "is missing", "Write the id that the file is named after.");
  const title = read.line("title", "", TICKET_MAX.titleChars);
  if (title.trim() === "" && !read.faults.some(({ field }) => field === "title"))
    read.fault("title", "is missing", "Say in one line what is to be done.");
  const ticket: Ticket = {
    id: id ?? "",
    title,
    kind: read.oneOf("kind", TICKET_KINDS, TICKET_DEFAULTS.kind),
    body: read.text("body", TICKET_MAX.textChars),
    type: word(read, "type") ?? TICKET_DEFAULTS.type,
    priority: read.count("priority", TICKET_DEFAULTS.priority, 1, 5),
    parent: ticketId(read, "parent"),
    lane: read.line("lane", "", TICKET_MAX.wordChars) || null,
    scope: scopeIn(read),
    fileBudget: budgetIn(read.within("fileBudget")),
    checks: read.items("checks", TICKET_MAX.checks, (item, field) => command(read, item, field)),
    acceptance: criteriaIn(read),
    blockers: ids(read, "blockers", TICKET_MAX.blockers),
    labels: words(read, "labels", TICKET_MAX.labels, TICKET_MAX.wordChars),
    risk: read.oneOf("risk", TICKET_RISKS, TICKET_DEFAULTS.risk),
    resourceProfile: read.oneOf("resourceProfile", RESOURCE_PROFILES, TICKET_DEFAULTS.resourceProfile),
    brainDump: read.text("brainDump", TICKET_MAX.textChars),
    boundary: read.text("boundary", TICKET_MAX.textChars),
    successCondition: read.text("successCondition", TICKET_MAX.textChars),
    createdAt: timeIn(read) ?? timeInId(id ?? ""),
  };
  return read.faults.length === 0 ? ticket : { faults: read.faults };
}

function noteMisspelled(given: object, read: FieldReader): void {
  const known: readonly string[] = FIELDS;
  for (const name of Object.keys(given).slice(0, NAMES_MAX)) {
    if (known.includes(name) || name.length > TICKET_MAX.wordChars) continue;
    const plain = name.replaceAll(/[_-]/g, "").toLowerCase();
    const meant = known.find((field) => field.toLowerCase() === plain) ?? slipOf(name, known);
    if (meant === null || read.has(meant)) continue;
    read.fault(name, "is no field of a ticket", `Did you mean \`${meant}\`? Rename it, or remove it.`);
  }
}

/** One or two typing errors in a long name. `nearest` alone would take other words for it, such as `notes`. */
function slipOf(name: string, known: readonly string[]): string | null {
  const meant = nearest(name, known);
  if (meant === null || name[0] !== meant[0]) return null;
  return nearest(name.slice(1), [meant.slice(1)]) !== null && Math.abs(name.length - meant.length) <= 1 ? meant : null;
}

function ticketId(read: FieldReader, field: string): string | null {
  const text = read.line(field, "", TICKET_MAX.idChars);
  if (text === "") return null;
  if (isTicketId(text)) return text;
  read.fault(field, "is no id of a ticket", "Write one such as TKT-20260102-030405-A1B2.");
  return null;
}

function ids(read: FieldReader, field: string, itemsMax: number): readonly string[] {
  const found = read.items(field, itemsMax, (item, where) => {
    if (typeof item === "string" && isTicketId(item)) return item;
    read.fault(where, "is no id of a ticket", "Write one such as TKT-20260102-030405-A1B2.");
    return null;
  });
  return [...new Set(found)];
}

/** A type of work is a word, so that lanes can name it. */
function word(read: FieldReader, field: string): string | null {
  const text = read.line(field, "", TICKET_MAX.wordChars);
  if (text === "" || /^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u.test(text)) return text || null;
  read.fault(field, "is no word", "Write a word such as feature, bug, chore or docs.");
  return null;
}

function words(read: FieldReader, field: string, itemsMax: number, charsMax: number): readonly string[] {
  const found = read.items(field, itemsMax, (item, where) => {
    const why = textFault(item, charsMax);
    if (why === null) return String(item);
    read.fault(where, ...why);
    return null;
  });
  return [...new Set(found)];
}

/** A check is a program and its arguments: no shell takes it apart. */
function command(read: FieldReader, item: unknown, field: string): readonly string[] | null {
  const isList = Array.isArray(item) && item.length > 0 && item.length <= TICKET_MAX.checkWords;
  const isGood =
    isList && item[0] !== "" && item.every((one) => textFault(one, TICKET_MAX.checkChars, CONTROLS_IN_TEXT) === null);
  if (isGood) return item.map(String);
  read.fault(field, "is no command", 'Write a program and its arguments: `["npm", "test"]`.');
  return null;
}

function criteriaIn(read: FieldReader): readonly Criterion[] {
  const seen = new Set<string>();
  return read.items("acceptance", TICKET_MAX.criteria, (item, field) => {
    const [id, text, check] = ["id", "text", "check"].map((name) => memberOf(item, name) ?? null);
    const why = textFault(text, TICKET_MAX.criterionChars, CONTROLS_IN_TEXT);
    if (why !== null) read.fault(`${field}.text`, ...why);
    if (typeof id !== "string" || !/^[\w.-]{1,40}$/.test(id) || seen.has(id)) {
      read.fault(`${field}.id`, "is no id of its own", "Give each criterion another id, such as ACC-1.");
      return null;
    }
    seen.add(id);
    const argv = check === null ? null : command(read, check, `${field}.check`);
    return { id, text: String(text), check: argv };
  });
}

/** A scope that allows nothing by name allows everything that it does not deny. */
function scopeIn(read: FieldReader): Scope {
  const scope = read.within("scope");
  const list = (field: string) => words(scope, field, TICKET_MAX.patterns, TICKET_MAX.patternChars);
  const [allow, deny] = [list("allow"), list("deny")];
  const parsed = parseScope({ allow: allow.length === 0 ? ["**"] : allow, deny });
  if (!isRefusal(parsed) && allow.length + deny.length <= TICKET_MAX.patterns) return parsed;
  const { pattern = "", reason = `more than ${TICKET_MAX.patterns} patterns` } = isRefusal(parsed)
    ? parsed.details
    : {};
  read.fault(
    "scope",
    `cannot be used: ${pattern} ${reason}`.trim(),
    "Write paths such as `src/api/**` or `docs/*.md`.",
  );
  return { allow: [], deny: ["**"] };
}

function budgetIn(read: FieldReader): Ticket["fileBudget"] {
  const { files, lines } = TICKET_DEFAULTS.fileBudget;
  return {
    files: read.count("files", files, 1, TICKET_MAX.budget),
    lines: read.count("lines", lines, 1, TICKET_MAX.budget),
  };
}

function timeIn(read: FieldReader): string | null {
  const text = read.line("createdAt", "", TICKET_MAX.wordChars);
  if (text === "") return null;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/.test(text);
  if (isTime && !Number.isNaN(Date.parse(text))) return text;
  read.fault("createdAt", "is no time", "Write a time such as 2026-01-02T03:04:05Z.");
  return null;
}
