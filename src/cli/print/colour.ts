import type { Terminal } from "../terminal.ts";

export function bold(terminal: Terminal, text: string): string {
  return terminal.hasColour ? `\u001b[1m${text}\u001b[22m` : text;
}

export function dim(terminal: Terminal, text: string): string {
  return terminal.hasColour ? `\u001b[2m${text}\u001b[22m` : text;
}

export function red(terminal: Terminal, text: string): string {
  return terminal.hasColour ? `\u001b[31m${text}\u001b[39m` : text;
}

export function green(terminal: Terminal, text: string): string {
  return terminal.hasColour ? `\u001b[32m${text}\u001b[39m` : text;
}

export function yellow(terminal: Terminal, text: string): string {
  return terminal.hasColour ? `\u001b[33m${text}\u001b[39m` : text;
}

export function cyan(terminal: Terminal, text: string): string {
  return terminal.hasColour ? `\u001b[36m${text}\u001b[39m` : text;
}
