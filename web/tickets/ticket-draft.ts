/** The form of a ticket, as a person types it. */
export interface TicketDraft {
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly type: string;
  readonly priority: string;
  readonly parent: string;
  readonly lane: string;
  /** One pattern a line. */
  readonly allow: string;
  readonly deny: string;
  readonly files: string;
  readonly lines: string;
  /** One command a line: words, or a JSON list of them. */
  readonly checks: string;
  /** One criterion a line; `text => command` where a check is its witness. */
  readonly acceptance: string;
  /** One id a line. */
  readonly blockers: string;
  readonly brainDump: string;
  readonly boundary: string;
  readonly successCondition: string;
}

export const EMPTY_DRAFT: TicketDraft = {
  ...{ kind: "task", title: "", body: "", type: "", priority: "3", parent: "", lane: "" },
  ...{ allow: "", deny: "", files: "", lines: "", checks: "", acceptance: "", blockers: "" },
  ...{ brainDump: "", boundary: "", successCondition: "" },
};

interface Written {
  readonly kind: "intent" | "epic" | "task";
  readonly title: string;
  readonly body: string;
  readonly type: string;
  readonly priority: number;
  readonly parent?: string;
  readonly lane?: string;
  readonly scope: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly fileBudget: { readonly files: number; readonly lines: number };
  readonly checks: readonly (readonly string[])[];
  readonly acceptance: readonly {
    readonly id: string;
    readonly text: string;
    readonly check?: readonly string[];
  }[];
  readonly blockers: readonly string[];
  readonly brainDump: string;
  readonly boundary: string;
  readonly successCondition: string;
}

const KINDS = ["intent", "epic", "task"] as const;
const WITNESS = " => ";

/** The form of a ticket that exists. */
export function draftOf(ticket: Written): TicketDraft {
  const { kind, title, body, type, brainDump, boundary, successCondition } = ticket;
  return {
    ...{ kind, title, body, type, brainDump, boundary, successCondition },
    priority: String(ticket.priority),
    parent: ticket.parent ?? "",
    lane: ticket.lane ?? "",
    allow: ticket.scope.allow.join("\n"),
    deny: ticket.scope.deny.join("\n"),
    files: String(ticket.fileBudget.files),
    lines: String(ticket.fileBudget.lines),
    checks: ticket.checks.map(spellCommand).join("\n"),
    acceptance: ticket.acceptance
      .map(({ text, check }) => (check === undefined ? text : text + WITNESS + spellCommand(check)))
      .join("\n"),
    blockers: ticket.blockers.join("\n"),
  };
}

/** A new ticket. What was left empty is left to the daemon. */
export function newInput(draft: TicketDraft) {
  const { body, type, parent, lane, brainDump, boundary, successCondition } = draft;
  const budget = budgetIn(draft);
  return {
    kind: KINDS.find((one) => one === draft.kind) ?? "task",
    ...given({ body, brainDump, boundary, successCondition }),
    ...given({ type: type.trim(), parent: parent.trim(), lane: lane.trim() }),
    ...(Object.keys(budget).length === 0 ? {} : { fileBudget: budget }),
    ...always(draft),
  };
}

/** A ticket that exists. What was left empty is taken away. */
export function changedInput(draft: TicketDraft) {
  const { body, type, brainDump, boundary, successCondition } = draft;
  return {
    ...{ body, brainDump, boundary, successCondition },
    ...given({ type: type.trim() }),
    parent: draft.parent.trim() === "" ? null : draft.parent.trim(),
    lane: draft.lane.trim() === "" ? null : draft.lane.trim(),
    fileBudget: budgetIn(draft),
    ...always(draft),
  };
}

function always(draft: TicketDraft) {
  return {
    title: draft.title.trim(),
    priority: numberIn(draft.priority) ?? 3,
    scope: { allow: linesIn(draft.allow), deny: linesIn(draft.deny) },
    checks: linesIn(draft.checks).map(commandIn),
    acceptance: linesIn(draft.acceptance).map(criterionIn),
    blockers: linesIn(draft.blockers),
  };
}

function budgetIn(draft: TicketDraft): { readonly files?: number; readonly lines?: number } {
  const files = numberIn(draft.files);
  const lines = numberIn(draft.lines);
  return { ...(files === null ? {} : { files }), ...(lines === null ? {} : { lines }) };
}

function criterionIn(line: string, at: number) {
  const cut = line.lastIndexOf(WITNESS);
  const [text, check] = cut < 0 ? [line, ""] : [line.slice(0, cut).trim(), line.slice(cut + WITNESS.length).trim()];
  return { id: `A${at + 1}`, text, ...(check === "" ? {} : { check: commandIn(check) }) };
}

/** A command with spaces inside of a word is written as JSON. */
function spellCommand(words: readonly string[]): string {
  return words.every((word) => /^[^\s[]\S*$/.test(word)) ? words.join(" ") : JSON.stringify(words);
}

function commandIn(line: string): readonly string[] {
  return wordsInJson(line) ?? line.split(/\s+/);
}

function wordsInJson(line: string): readonly string[] | null {
  if (!line.startsWith("[")) return null;
  try {
    const read: unknown = JSON.parse(line);
    return Array.isArray(read) && read.every((word) => typeof word === "string") ? read : null;
  } catch {
    return null;
  }
}

function given<T extends Readonly<Record<string, string>>>(texts: T): Partial<T> {
  const kept: Partial<T> = {};
  for (const name of Object.keys(texts) as (keyof T)[]) if (texts[name] !== "") kept[name] = texts[name];
  return kept;
}

function linesIn(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function numberIn(text: string): number | null {
  const value = Number(text.trim());
  return text.trim() === "" || !Number.isFinite(value) ? null : value;
}
