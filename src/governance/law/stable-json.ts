import { createHash } from "node:crypto";
import { canonicalJson, type Json } from "../../kernel/index.ts";

/** One text for one value: sorted members, two spaces, a newline at the end. So git shows what has changed. */
export function stableJson(value: Json): string {
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}

export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** `purpose` keeps hashes of different things apart, even of the same content. */
export function hashOf(purpose: string, value: Json): string {
  return sha256Hex(`${purpose}\n${canonicalJson(value)}`);
}
