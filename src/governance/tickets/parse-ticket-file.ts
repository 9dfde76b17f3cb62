import { isTicketId, parseTicket, type Ticket, type TicketFault } from "../../domains/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { textFrom } from "../repository/tree-reader.ts";
import { parseYaml } from "../yaml/parse-yaml.ts";
import { readPlainYaml } from "../yaml/plain-yaml.ts";

export interface UnreadTicket {
  readonly message: string;
  readonly remedy: string;
  readonly faults: readonly TicketFault[];
}

const FORMAT = 1;
const MEND = "Mend the file and commit it, or restore it: `git log -- <path>` shows its versions.";

/** Reads the bytes of a ticket's file. `id`: as the file is named. */
export function parseTicketFile(bytes: Uint8Array, id: string): Ticket | UnreadTicket {
  const text = textFrom(bytes);
  if (text === null) return unread("it is not UTF-8");
  if (/^<<<<<<< |^>>>>>>> /m.test(text))
    return unread("it holds conflict markers of git", [], "Resolve the conflict and commit the file.");
  const quick = readPlainYaml(text);
  const parsed = quick === undefined ? parseYaml(text) : { ok: true as const, value: quick };
  if (!parsed.ok) return unread(`line ${parsed.line}: ${parsed.reason}`);
  const version = memberOf(parsed.value, "version");
  if (typeof version === "number" && version > FORMAT)
    return unread(
      `a newer version of Nomos wrote it (format ${version})`,
      [],
      "Update Nomos: `npm install -g nomos@latest`.",
    );
  const ticket = parseTicket(parsed.value);
  if ("faults" in ticket) return unread(saidOf(ticket.faults), ticket.faults);
  if (ticket.id !== id)
    return unread(`its id is ${ticket.id}`, [], `Name it ${ticket.id}.yaml, or write \`id: ${id}\` into it.`);
  return ticket;
}

/** The id that a file is named after; null for any other file. */
export function idOfFile(name: string): string | null {
  const [, id = ""] = /^(.+)\.yaml$/.exec(name) ?? [];
  return isTicketId(id) ? id : null;
}

function saidOf(faults: readonly TicketFault[]): string {
  const [first] = faults;
  const more = faults.length > 1 ? `, and ${faults.length - 1} more` : "";
  return first === undefined
    ? "it is no ticket"
    : `${first.field === "" ? "it" : `\`${first.field}\``} ${first.message}${more}`;
}

function unread(
  message: string,
  faults: readonly TicketFault[] = [],
  remedy = faults[0]?.remedy ?? MEND,
): UnreadTicket {
  return { message, remedy, faults };
}
