import { createHash } from "node:crypto";

const NAME_MAX = 64;
const HASH_CHARS = 8;

/**
 * `mcp__SERVER__TOOL`, in the letters that every provider takes. A name that is too long or loses letters ends in a hash
 * of what it was, so that it stays different from others and the same from turn to turn.
 */
export function servedName(server: string, tool: string): string {
  const whole = `mcp__${server}__${tool}`;
  const plain = whole.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
  // A server whose name has the separator could otherwise share a name with another one.
  if (plain === whole && whole.length <= NAME_MAX && !server.includes("__")) return whole;
  const hash = createHash("sha256").update(`${server}\n${tool}`).digest("hex").slice(0, HASH_CHARS);
  return `${plain.slice(0, NAME_MAX - HASH_CHARS - 1)}_${hash}`;
}

/** Whether a server's `tools` lets this tool through. `deny` beats `allow`. */
export function isWanted(
  tool: string,
  {
    allow,
    deny = [],
  }: { readonly allow?: readonly string[] | undefined; readonly deny?: readonly string[] | undefined } = {},
): boolean {
  const matches = (pattern: string): boolean => matchesText(pattern, tool);
  return !deny.some(matches) && (allow === undefined || allow.some(matches));
}

/** `*` stands for any text. Without a regular expression, whose backtracking a pattern could abuse. */
function matchesText(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === text;
  const last = rest.pop() ?? "";
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= text.length - last.length;
}
