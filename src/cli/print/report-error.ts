import { ClientError, catalogued } from "../../client/index.ts";
import { harmless } from "../screen/harmless.ts";
import type { Terminal } from "../terminal.ts";
import { wrap } from "./screen-text.ts";
import { withoutRuns } from "./without-runs.ts";

/** Prints an expected failure and returns its exit code. Bugs are thrown on, with their stack. */
export function reportError(terminal: Terminal, thrown: unknown, json: boolean): number {
  if (!(thrown instanceof ClientError)) throw thrown;
  const { code, message, remedy, details } = thrown;
  if (json) terminal.printJson({ error: { code, message, remedy, details } });
  else {
    terminal.complain(`error: ${withoutRuns(harmless(message))} (${code})`);
    for (const [name, value] of Object.entries(details))
      for (const line of detailLines(terminal, name, value)) terminal.complain(line);
    terminal.complain(`remedy: ${remedy}`);
  }
  return catalogued(code).exit;
}

/** Details may quote file names and agents; their lines are indented, so that none looks like ours. */
function detailLines({ isScreen, columns }: Terminal, name: string, value: unknown): readonly string[] {
  const text = typeof value === "string" ? value.trimEnd() : JSON.stringify(value);
  const clean = withoutRuns(harmless(text));
  const lines = isScreen ? wrap(clean, columns - INDENT.length) : clean.split("\n");
  const isShort = lines.length === 1 && name.length + clean.length < columns - INDENT.length;
  if (isShort || (lines.length === 1 && !isScreen)) return [`  ${name}: ${clean}`];
  return [`  ${name}:`, ...lines.map((line) => INDENT + line)];
}

const INDENT = "    ";
