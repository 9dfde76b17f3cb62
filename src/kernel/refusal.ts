import type { Json } from "./json.ts";

/** An expected failure: a code and its details. The error catalogue has its message and remedy. */
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
