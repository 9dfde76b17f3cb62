import { ClientError, catalogued } from "../../client/index.ts";
import type { Terminal } from "../terminal.ts";

/** An expected failure in its four members, and the exit code it stands for. A bug goes on, with its stack. */
export function reportError(terminal: Terminal, thrown: unknown, json: boolean): number {
  if (!(thrown instanceof ClientError)) throw thrown;
  const { code, message, remedy, details } = thrown;
  if (json) terminal.printJson({ error: { code, message, remedy, details } });
  else {
    terminal.complain(`error: ${message} (${code})`);
    for (const [name, value] of Object.entries(details))
      for (const line of detailLines(name, value)) terminal.complain(line);
    terminal.complain(`remedy: ${remedy}`);
  }
  return catalogued(code).exit;
}

/** Several lines stay lines, indented below their name. */
function detailLines(name: string, value: unknown): readonly string[] {
  if (typeof value !== "string") return [`  ${name}: ${JSON.stringify(value)}`];
  const lines = value.trimEnd().split("\n");
  return lines.length === 1 ? [`  ${name}: ${value}`] : [`  ${name}:`, ...lines.map((line) => `    ${line}`)];
}
