import { isTicketId, parseTicket, TICKET_MAX, type Ticket } from "../../domains/index.ts";
import { commandFromExo, patternsFromExo } from "./exo-pattern.ts";
import { type ExoValue, exoValue, type LeftOut } from "./exo-value.ts";

export interface ExoTicket {
  readonly ticket: Ticket;
  readonly isArchived: boolean;
}

const KINDS = ["intent", "epic", "task"];
const RISKS = ["low", "medium", "high"];
const PROFILES = ["default", "light", "heavy"];
const OVER = ["done", "archived"];

/** Null: it is no ticket that could be taken over. */
export function ticketFromExo(given: unknown, leftOut: LeftOut[]): ExoTicket | null {
  const from = exoValue(given);
  const id = from.text("id");
  const leave = (reason: string): null => {
    leftOut.push({ what: `ticket ${id.slice(0, 64) || "without an id"}`, reason });
    return null;
  };
  if (!isTicketId(id)) return leave("its id is none that can be kept");
  const parsed = parseTicket(plainTicket(from, id, leave));
  if ("faults" in parsed) return leave(parsed.faults.map(({ field, message }) => `${field} ${message}`).join("; "));
  const status = from.text("status");
  const isArchived = OVER.includes(status);
  if (!isArchived && status !== "todo" && status !== "")
    leave(`its status ${status.slice(0, 40)} is not kept: it is open`);
  return { ticket: parsed, isArchived };
}

function plainTicket(from: ExoValue, id: string, leave: (reason: string) => null): object {
  const title = from.text("title") || from.text("intent") || id;
  const [scope, budgets] = [from.in("scope"), from.in("budgets")];
  const checks = from.texts("checks").flatMap((command) => {
    const argv = commandFromExo(command);
    if (argv === null) leave(`its check \`${command.slice(0, 100)}\` needs a shell`);
    return argv === null ? [] : [argv];
  });
  const patterns = (key: string): readonly string[] =>
    scope.texts(key).flatMap((pattern) => {
      // The git dir is nobody's here, and their own files are nothing any more.
      if (OWN_FILES.test(pattern)) return [];
      const ours = patternsFromExo(pattern);
      if (ours === null) leave(`the pattern \`${pattern.slice(0, 100)}\` of its scope has no equal`);
      return ours ?? [];
    });
  const [allow, deny] = [patterns("allow"), patterns("deny")];
  const [files, lines] = [budgets.count("max_files_changed"), budgets.count("max_loc_changed")];
  return {
    id,
    title: oneLine(title).slice(0, TICKET_MAX.titleChars),
    kind: known(from.text("kind"), KINDS, "task"),
    body: bodyOf(from, title),
    ...optional("type", /^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u.test(from.text("type")) ? from.text("type") : ""),
    ...(from.count("priority") === null ? {} : { priority: Math.min(from.count("priority") ?? 1, 5) }),
    ...optional("parent", isTicketId(from.text("parent_id")) ? from.text("parent_id") : ""),
    // An allow list that cannot be said would otherwise mean everything.
    scope: { allow: allow.length === 0 && scope.texts("allow").length > 0 ? [NOTHING] : allow, deny },
    ...(files === null && lines === null ? {} : { fileBudget: { files: files ?? 12, lines: lines ?? 400 } }),
    checks,
    blockers: from.texts("blockers").filter(isTicketId),
    labels: from.texts("labels").map((label) => label.trim().replaceAll(/\s+/g, "-").slice(0, TICKET_MAX.wordChars)),
    risk: known(from.text("risk"), RISKS, "medium"),
    resourceProfile: known(from.text("resource_profile"), PROFILES, "default"),
    brainDump: from.text("brain_dump"),
    boundary: from.text("boundary"),
    successCondition: from.text("success_condition"),
    ...optional("createdAt", isoTime(from.text("created_at"))),
  };
}

const OWN_FILES = /^\.(git|exo)(\/|$)/;
/** A path that nobody has. */
const NOTHING = ".nomos/nothing";

function bodyOf(from: ExoValue, title: string): string {
  const intent = from.text("intent");
  const notes = from.texts("notes").map((note) => `- ${note}`);
  return [intent === title ? "" : intent, title.length > TICKET_MAX.titleChars ? title : "", notes.join("\n")]
    .filter(Boolean)
    .join("\n\n");
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

function known(text: string, words: readonly string[], otherwise: string): string {
  return words.includes(text) ? text : otherwise;
}

function optional(key: string, text: string): object {
  return text === "" ? {} : { [key]: text };
}

function isoTime(text: string): string {
  const ms = Date.parse(text);
  return text === "" || Number.isNaN(ms) ? "" : new Date(ms).toISOString();
}
