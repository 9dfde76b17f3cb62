import { ClientError, catalogued } from "../../client/index.ts";
import type { Terminal } from "../terminal.ts";

/** An expected failure in its four members, and the exit code it stands for. A bug goes on, with its stack. */
export function reportError(terminal: Terminal, thrown: unknown, json: boolean): number {
  if (!(thrown instanceof ClientError)) throw thrown;
  const { code, message, remedy, details } = thrown;
  if (json) terminal.print(JSON.stringify({ error: { code, message, remedy, details } }));
  else {
    terminal.complain(`error: ${message} (${code})`);
    for (const [name, value] of Object.entries(details)) terminal.complain(`  ${name}: ${spell(value)}`);
    terminal.complain(`remedy: ${remedy}`);
  }
  return catalogued(code).exit;
}

/** Several lines stay lines, below their name. */
function spell(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return value.includes("\n") ? `\n    ${value.trimEnd().replaceAll("\n", "\n    ")}` : value;
}
