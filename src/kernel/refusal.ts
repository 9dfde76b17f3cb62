import type { Json } from "./json.ts";

/**
 * An expected failure: a code and its details. Message and remedy are in the error catalogue; a test checks that every
 * code has an entry.
 */
export interface Refusal {
  readonly refused: string;
  readonly details: { readonly [key: string]: Json };
}

export function refuse(code: string, details: Refusal["details"] = {}): Refusal {
  return { refused: code, details };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "refused" in value;
}
