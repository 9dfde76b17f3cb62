import { NomosError } from "../../../contract/index.ts";

/** A ticket that a plan names. `name`: as the plan calls it, such as `T2`. */
export interface PlannedTicket {
  readonly kind: "epic" | "task";
  readonly name: string;
  readonly title: string;
  readonly body: string;
  /** The epic's name; null above all epics. */
  readonly epic: string | null;
  /** Names of tasks that come first. */
  readonly after: readonly string[];
}

export const PLAN_MAX = { chars: 100_000, tickets: 100 } as const;
const EPIC = /^#{1,6} +(EPIC-[\w.-]{1,40}): +(\S.*)$/i;
const TASK = /^[*-] +(T[\w.-]{0,40}): +(\S.*)$/;
const AFTER = /^(.*\S) +\(after ((?:T[\w.-]*)(?:, *T[\w.-]*)*)\)$/;

/**
 * Reads a plan: `### EPIC-1: title` begins an epic, `* T1: title` is a task of it; `(after T1)` behind a title waits for
 * that one; indented lines below are its text.
 */
export function readPlan(text: string): readonly PlannedTicket[] {
  const found: { -readonly [K in keyof PlannedTicket]: PlannedTicket[K] }[] = [];
  let epic: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const [, epicName, epicTitle = ""] = EPIC.exec(line.trimEnd()) ?? [];
    const [, taskName, taskLine = ""] = TASK.exec(line.trimEnd()) ?? [];
    const last = found.at(-1);
    if (epicName !== undefined) {
      epic = epicName.toUpperCase();
      found.push({ kind: "epic", name: epic, title: epicTitle, body: "", epic: null, after: [] });
    } else if (taskName !== undefined) {
      const [, title = taskLine, names = ""] = AFTER.exec(taskLine) ?? [];
      const after = names.split(/, */).filter(Boolean);
      found.push({ kind: "task", name: taskName, title, body: "", epic, after });
    } else if (last !== undefined && (/^\s+\S/.test(line) || (line.trim() === "" && last.body !== "")))
      last.body = `${last.body}${line.trim()}\n`;
  }
  refuseOdd(found);
  return found.map((one) => ({ ...one, body: one.body.trim() }));
}

function refuseOdd(found: readonly PlannedTicket[]): void {
  if (found.length === 0)
    throw invalid("it names no ticket", "Write lines such as `### EPIC-1: Sign in` and `* T1: Ask for the password`.");
  if (found.length > PLAN_MAX.tickets)
    throw invalid(`it names more than ${PLAN_MAX.tickets} tickets`, "Split the plan.");
  const names = found.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw invalid(`it names ${twice} twice`, "Give each ticket a name of its own.");
  for (const { name, after } of found) {
    const unknown = after.find((one) => !names.includes(one));
    if (unknown !== undefined)
      throw invalid(`${name} waits for ${unknown}, which it does not name`, "Name that task too.");
  }
}

function invalid(problem: string, remedy: string): NomosError {
  return new NomosError(
    "invalid_request",
    { field: "text", problem },
    { message: `The plan cannot be read: ${problem}.`, remedy },
  );
}
