import { createHash } from "node:crypto";
import { toNomosError } from "../../contract/index.ts";
import type { ServedCall, ServedResult } from "../../turns/index.ts";

/** Calls a syscall for a session, in a turn of its own: as the session, with its rights and in its name. */
export type SessionCall = (order: SessionOrder) => Promise<unknown>;

export interface SessionOrder {
  readonly sessionId: string;
  readonly syscall: string;
  /** `self` as an id is the session. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The same in every run of the turn; a write with the same key is done once. */
  readonly key: string | null;
  readonly signal: AbortSignal;
  /** A setting of the session itself, which its role does not hold: the gate has judged it as `tool.control`. */
  readonly isControl?: true;
}

/** What a tool needs of its call. */
export interface Caller {
  readonly read: (syscall: string, input: Readonly<Record<string, unknown>>) => Promise<unknown>;
  readonly write: (syscall: string, input: Readonly<Record<string, unknown>>) => Promise<unknown>;
  readonly control: (syscall: string, input: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

export function callerOf(call: SessionCall, { sessionId, key, signal }: Omit<ServedCall, "spec" | "turnId">): Caller {
  const about = { sessionId, signal };
  // The caller's key is as long as it likes; the log's is not.
  const hashed = createHash("sha256").update(key).digest("hex");
  return {
    read: (syscall, input) => call({ ...about, syscall, input, key: null }),
    write: (syscall, input) => call({ ...about, syscall, input, key: hashed }),
    control: (syscall, input) => call({ ...about, syscall, input, key: hashed, isControl: true }),
  };
}

export function said(text: string): ServedResult {
  return { content: [{ kind: "text", text }], isError: false };
}

/** What was refused is an answer for the model: the code names the rule. */
export async function orRefusal(work: () => Promise<ServedResult>): Promise<ServedResult> {
  try {
    return await work();
  } catch (thrown) {
    const { code, message, remedy, details } = toNomosError(thrown);
    if (code === "internal") throw thrown;
    const rules = Array.isArray(details["rules"]) ? ` (${details["rules"].join(", ")})` : "";
    return { content: [{ kind: "text", text: `${code}${rules}: ${message} ${remedy}`.trim() }], isError: true };
  }
}

export function codeOf(thrown: unknown): string {
  return toNomosError(thrown).code;
}
