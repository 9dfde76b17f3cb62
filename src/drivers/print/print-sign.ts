import * as z from "zod";
import type { Update } from "../update.ts";

/** The meaning of one line of a one-shot program's output. */
export type PrintSign =
  /** The native session id, by which it is resumed. */
  | { readonly sign: "session"; readonly nativeId: string }
  | { readonly sign: "update"; readonly update: Update }
  | { readonly sign: "failed"; readonly message: string };

/** Reads a JSON line by the program's schema; empty for lines without news. */
export type ReadLine = (line: unknown) => readonly PrintSign[];

export function updated(update: Update): PrintSign {
  return { sign: "update", update };
}

/** Without an id it continues the text before; with one it is a separate message. */
export function said(
  text: string,
  role: "assistant" | "thought" = "assistant",
  messageId: string | null = null,
): readonly PrintSign[] {
  return text === "" ? [] : [updated({ is: "text", role, messageId, text })];
}

export function toolCalled(callId: string, name: string, input: unknown, title = name): PrintSign {
  return updated({
    is: "tool",
    call: { ...NO_CHANGE, callId, title, kind: kindOf(name), status: "in_progress", input },
  });
}

export function toolEnded(callId: string, isError: boolean, output: string | null): PrintSign {
  const content = output === null ? null : [{ is: "text" as const, text: output }];
  return updated({ is: "tool", call: { ...NO_CHANGE, callId, status: isError ? "failed" : "completed", content } });
}

type Cached = Pick<Extract<Update, { is: "tokens" }>, "cacheRead" | "cacheWrite" | "isInputWhole">;

export function used(
  input: number | null,
  output: number | null,
  costUsd: number | null = null,
  cached: Cached = {},
): PrintSign {
  const cost = costUsd === null ? null : { amount: costUsd, currency: "USD" };
  return updated({ is: "tokens", input, output, cost, ...cached });
}

export function unknown(kind: string, line: unknown): PrintSign {
  return updated({ is: "other", kind, update: line });
}

/** A line that does not fit its schema: kept under the name it gives itself. */
export function unread(line: unknown): readonly PrintSign[] {
  const named = z.object({ type: z.string() }).safeParse(line);
  return [unknown(named.data?.type ?? "unnamed", line)];
}

const NO_CHANGE = {
  title: null,
  kind: null,
  status: null,
  content: null,
  places: null,
  input: undefined,
  output: undefined,
};

/** Programs have their own tool names; the kinds are ACP's. */
function kindOf(name: string): string {
  if (/write|edit|patch|create|file_change/i.test(name)) return "edit";
  if (/bash|shell|exec|command/i.test(name)) return "execute";
  if (/fetch|web/i.test(name)) return "fetch";
  if (/read|view|^cat$/i.test(name)) return "read";
  return /grep|glob|search|find|list|^ls$/i.test(name) ? "search" : "other";
}
