import { ClientError, catalogued } from "../../client/index.ts";
import { nearest } from "../../domains/index.ts";
import { UnknownOption } from "../arguments.ts";
import { harmless } from "../screen/harmless.ts";
import { kebab } from "../syscall/usage.ts";
import type { Terminal } from "../terminal.ts";
import { wrap } from "./screen-text.ts";
import { withoutRuns } from "./without-runs.ts";

/** Prints an expected failure and returns its exit code. Bugs are thrown on, with their stack. */
export function reportError(terminal: Terminal, thrown: unknown, json: boolean): number {
  if (!(thrown instanceof ClientError)) throw thrown;
  const { code, details } = thrown;
  const message = messageOf(thrown);
  const remedy = remedyOf(thrown);
  // A program gets the daemon's own words, the same on every surface.
  if (json) {
    const own = thrown instanceof UnknownOption ? remedy : thrown.remedy;
    terminal.printJson({ error: { code, message: thrown.message, remedy: own, details } });
  } else {
    for (const line of wrapped(terminal, `error: ${withoutRuns(harmless(message))} (${code})`)) terminal.complain(line);
    for (const [name, value] of Object.entries(details))
      if (!isSaid(message, value) && !(name === "reason" && message !== thrown.message))
        for (const line of detailLines(terminal, name, value)) terminal.complain(line);
    for (const line of wrapped(terminal, `remedy: ${remedy}`)) terminal.complain(line);
  }
  return catalogued(code).exit;
}

/** Of a request that is refused for a reason of its own, the reason says more than the catalogue. */
function messageOf({ code, message, details }: ClientError): string {
  const { reason } = details;
  if (code !== "invalid_request" || message !== catalogued(code).message || typeof reason !== "string") return message;
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

/** Members of calls that remedies name. The catalogue is for every surface; here they are options. */
const MEMBERS = /`(cwd|queue|interrupt|force|talkOnly|timeoutMs|worktree|scope|ground|adapter)`/g;

function spelledAsOption(_whole: string, member: string): string {
  return member === "cwd" ? "`-C`" : `\`--${kebab(member)}\``;
}

function remedyOf(error: ClientError): string {
  const meant = error instanceof UnknownOption ? nearest(error.option, error.known) : null;
  return meant === null ? error.remedy.replace(MEMBERS, spelledAsOption) : `Did you mean ${meant}?`;
}

/** The message quotes it already. */
function isSaid(message: string, value: unknown): boolean {
  return typeof value === "string" && message.includes(`\`${value}\``);
}

/** Further lines are indented, so that none looks like a line of its own. */
function wrapped({ isScreen, columns }: Terminal, text: string): readonly string[] {
  if (!isScreen) return [text];
  const [first = "", ...rest] = wrap(text, columns - INDENT.length);
  return [first, ...rest.map((line) => INDENT + line)];
}

/** Details may quote file names and agents; their lines are indented, so that none looks like ours. */
function detailLines({ isScreen, columns }: Terminal, name: string, value: unknown): readonly string[] {
  const isNames = Array.isArray(value) && value.every((one) => typeof one === "string");
  const text = typeof value === "string" ? value.trimEnd() : isNames ? value.join(", ") : JSON.stringify(value);
  const clean = withoutRuns(harmless(text));
  const lines = isScreen ? wrap(clean, columns - INDENT.length) : clean.split("\n");
  const isShort = lines.length === 1 && name.length + clean.length < columns - INDENT.length;
  if (isShort || (lines.length === 1 && !isScreen)) return [`  ${name}: ${clean}`];
  return [`  ${name}:`, ...lines.map((line) => INDENT + line)];
}

const INDENT = "    ";
