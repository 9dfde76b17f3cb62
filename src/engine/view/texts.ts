import type { Text } from "../model.ts";

export function text(said: string): Text {
  return { kind: "text", text: said };
}

/** Providers refuse text of white space alone. */
export function isBlank(said: string): boolean {
  return said.trim() === "";
}

/** At most `max` characters of a text, with a note of how many are missing. Never cuts a character in two. */
export function cutText(said: string, max: number): string {
  if (said.length <= max) return said;
  const end = isHighSurrogate(said.charCodeAt(max - 1)) ? max - 1 : max;
  return `${said.slice(0, end)}\n[${said.length - end} more characters]`;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
