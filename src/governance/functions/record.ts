import type { LawVerdict } from "../../domains/index.ts";
import { canonicalJson, type Json } from "../../kernel/index.ts";
import { sha256Hex } from "../law/stable-json.ts";
import type { ActionPlan, GovernedAction } from "./decision.ts";

/** One line of a trail, chained to the line before. In a daemon the log is the trail. */
export interface AuditEntry {
  readonly line: number;
  readonly event: Json;
  /** Hash of the line before; null for the first. */
  readonly previous: string | null;
  readonly hash: string;
}

/** What was planned, decided and done, as one hash that anybody can compute again. */
export interface Receipt {
  readonly kernel: { readonly name: string; readonly version: string };
  readonly action: string;
  readonly decision: string;
  readonly plan: string;
  readonly result: string;
  readonly audits: readonly string[];
  readonly sealedMs: number;
  readonly receipt: string;
}

export function appendAudit(before: AuditEntry | null, event: Json): AuditEntry {
  const line = (before?.line ?? 0) + 1;
  const previous = before?.hash ?? null;
  return { line, event, previous, hash: asciiHash({ line, event, previous }) };
}

export function sealResult(done: {
  readonly kernel: { readonly name: string; readonly version: string };
  readonly action: GovernedAction;
  readonly decision: LawVerdict;
  readonly plan: ActionPlan;
  readonly result: Json;
  readonly audits: readonly AuditEntry[];
  readonly nowMs: number;
}): Receipt {
  const parts = {
    kernel: { name: done.kernel.name, version: done.kernel.version },
    action: asciiHash({ ...done.action }),
    decision: asciiHash({ ...done.decision }),
    plan: asciiHash({ ...done.plan, action: { ...done.plan.action } }),
    result: asciiHash(done.result),
    audits: done.audits.map(({ hash }) => hash),
    sealedMs: done.nowMs,
  };
  return { ...parts, receipt: asciiHash(parts) };
}

/** sha256 of JSON with sorted names, without white space, in ASCII: the form that ExoProtocol's receipts have. */
export function asciiHash(value: Json): string {
  const text = canonicalJson(value);
  return sha256Hex(text.replace(NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

const NOT_ASCII = /[\u0080-\uffff]/g;
