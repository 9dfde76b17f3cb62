import type { LogEvent, StreamItem } from "../client/index.ts";
import { memberOf } from "../kernel/index.ts";
import type { Question } from "./options.ts";

/** What happens in a turn. */
export type TurnEvent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  /** What a command prints while it runs. */
  | { readonly kind: "output"; readonly stream: "stdout" | "stderr"; readonly text: string }
  | { readonly kind: "tool"; readonly callId: string; readonly title: string; readonly input: string }
  | {
      readonly kind: "tool-end";
      readonly callId: string;
      readonly title: string;
      readonly outcome: "done" | "failed" | "unknown";
      readonly output: string;
    }
  | ApprovalEvent
  | TurnEnd;

export interface ApprovalEvent extends Question {
  readonly kind: "approval";
  /** With one of the options, or in your own words where there are none. */
  readonly approve: (option?: string) => Promise<void>;
  readonly reject: (reason?: string) => Promise<void>;
}

/** The last event of a turn. */
export interface TurnEnd {
  readonly kind: "end";
  readonly turnId: string;
  readonly outcome: "completed" | "failed" | "interrupted" | "cancelled";
  readonly error: { readonly code: string; readonly message: string } | null;
  /** What the agent said after its last tool; several messages stand on lines of their own. */
  readonly text: string;
  readonly usage: TurnUsage;
}

export interface TurnUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Null without a price. */
  readonly costUsd: number | null;
}

/** What the reader of a turn needs besides its stream. */
export interface TurnReading {
  /** The whole of a text that is too large for its event. */
  readonly blob: (sha256: string) => Promise<string>;
  readonly question: (data: unknown) => ApprovalEvent;
}

/** Makes a turn's events out of its stream: pieces of text as they come, and what is missing of them from the log. */
export function createTurnReader({ blob, question }: TurnReading) {
  const streamed = { text: "", thinking: "" };
  let said: string[] = [];
  let usage: TurnUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: null };

  const whole = async (part: unknown): Promise<string> => {
    const sha256 = memberOf(part, "blob");
    return typeof sha256 === "string" ? blob(sha256) : textIn(part, "text");
  };
  /** Pieces of text are not recorded, so a reader that came late or fell behind has not seen all of them. */
  const missing = (kind: keyof typeof streamed, text: string): string => {
    const seen = streamed[kind];
    streamed[kind] = seen.startsWith(text) ? seen.slice(text.length) : "";
    if (seen.startsWith(text)) return "";
    return text.startsWith(seen) ? text.slice(seen.length) : text;
  };
  const message = async (data: unknown): Promise<TurnEvent[]> => {
    const text = await whole(data);
    const kind = memberOf(data, "role") === "thought" ? "thinking" : "text";
    if (kind === "text") said.push(text);
    const rest = missing(kind, text);
    return rest === "" ? [] : [{ kind, text: rest }];
  };
  const end = (data: unknown): TurnEnd => {
    const error = memberOf(data, "error");
    return {
      kind: "end",
      turnId: textIn(data, "turnId"),
      outcome: textIn(data, "outcome") as TurnEnd["outcome"],
      error: error === null ? null : { code: textIn(error, "code"), message: textIn(error, "message") },
      text: said.join("\n").replace(/\n$/, ""),
      usage,
    };
  };
  const event = async ({ type, data }: LogEvent): Promise<readonly TurnEvent[]> => {
    switch (type) {
      case "message.completed@1":
        return message(data);
      case "tool.called@1": {
        said = [];
        const input = await whole(memberOf(data, "input"));
        return [{ kind: "tool", callId: textIn(data, "callId"), title: textIn(data, "title"), input }];
      }
      case "tool.ended@1": {
        const outcome = textIn(data, "outcome") as "done" | "failed" | "unknown";
        const output = await whole(memberOf(data, "output"));
        return [{ kind: "tool-end", callId: textIn(data, "callId"), title: textIn(data, "title"), outcome, output }];
      }
      case "approval.requested@1":
        return [question(data)];
      case "step.ended@1":
        usage = spentMore(usage, memberOf(data, "usage"), memberOf(data, "costMicroUsd"));
        return [];
      case "usage.reported@1": {
        const spent = memberOf(data, "spent");
        usage = spentMore(usage, spent, memberOf(spent, "costMicroUsd"));
        return [];
      }
      case "turn.ended@1":
        return [end(data)];
      default:
        return [];
    }
  };
  return async (item: StreamItem): Promise<readonly TurnEvent[]> => {
    if (item.event === "event") return event(item.data);
    if (item.event !== "delta") return [];
    const { source, text } = item.data;
    if (source === "stdout" || source === "stderr") return [{ kind: "output", stream: source, text }];
    const kind = source === "thought" ? "thinking" : "text";
    streamed[kind] += text;
    return [{ kind, text }];
  };
}

const MICRO = 1_000_000;

function spentMore(before: TurnUsage, spent: unknown, costMicroUsd: unknown): TurnUsage {
  const cost = typeof costMicroUsd === "number" ? costMicroUsd / MICRO : null;
  return {
    input: before.input + countIn(spent, "input"),
    output: before.output + countIn(spent, "output"),
    cacheRead: before.cacheRead + countIn(spent, "cacheRead"),
    cacheWrite: before.cacheWrite + countIn(spent, "cacheWrite"),
    costUsd: cost === null ? before.costUsd : (before.costUsd ?? 0) + cost,
  };
}

function textIn(data: unknown, member: string): string {
  const value = memberOf(data, member);
  return typeof value === "string" ? value : "";
}

function countIn(data: unknown, member: string): number {
  const value = memberOf(data, member);
  return typeof value === "number" ? value : 0;
}
