import type { Json } from "./json.ts";

/**
 * An expected "no": a code and the facts behind it. The words and the remedy live in the error catalogue, where every room
 * has an entry for each of its codes; a test compares the two.
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
