import { memberOf } from "../../kernel/index.ts";
import { dim, green, joined, red, type Text } from "../screen/styled.ts";

/** The outcome of a turn, from its events. */
export interface TurnSum {
  readonly startedMs: number;
  /** From its start to the first text; null where that was not seen live. */
  readonly firstMs: number | null;
  readonly tools: number;
  readonly usage: unknown;
}

/** A sooner one was not waited for. */
const FIRST_TEXT_SHOWN_MS = 100;

export function turnEnd(data: unknown, at: string, { startedMs, firstMs, tools, usage }: TurnSum): readonly Text[] {
  const outcome = String(memberOf(data, "outcome"));
  const message = memberOf(memberOf(data, "error"), "message");
  const failed = typeof message === "string" ? message.split("\n").map((line) => red(line)) : [];
  const isDone = outcome === "completed";
  const parts = [
    (isDone ? green : red)(`${isDone ? "✓" : "✗"} ${outcome}`),
    ...[
      spent(Date.parse(at) - startedMs),
      counted(tools, "tool call"),
      firstMs === null || firstMs < FIRST_TEXT_SHOWN_MS ? "" : `first text after ${spent(firstMs)}`,
      ...used(usage),
    ]
      .filter((part) => part !== "")
      .map((part) => dim(part)),
  ];
  return [...failed, joined(...parts.flatMap((part, at) => (at === 0 ? [part] : [dim(" · "), part])))];
}

function used(usage: unknown): readonly string[] {
  const number = (key: string): number => Number(memberOf(usage, key) ?? 0);
  const tokens = number("inputTokens") + number("outputTokens") || number("contextTokens");
  const cost = memberOf(usage, "cost");
  const amount = memberOf(cost, "amount");
  return [
    tokens > 0 ? `${tokens >= 10_000 ? `${Math.round(tokens / 1000)}k` : tokens} tokens` : "",
    typeof amount === "number"
      ? `${amount.toFixed(amount < 0.1 ? 4 : 2)} ${String(memberOf(cost, "currency") ?? "")}`.trim()
      : "",
  ];
}

function spent(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "";
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
}

function counted(count: number, what: string): string {
  return count === 0 ? "" : `${count} ${what}${count === 1 ? "" : "s"}`;
}
