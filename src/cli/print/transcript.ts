import type { LogEvent, StreamItem } from "../../client/index.ts";
import type { Terminal } from "../terminal.ts";
import { bold, dim } from "./colour.ts";

export interface TranscriptOptions {
  /** The prompts as well: they are no lines of the session. */
  readonly prompts: boolean;
}

/** A session's stream for a person: its lines, the prompts between them, and how to answer a question. */
export function printTranscript(terminal: Terminal, item: StreamItem, options: TranscriptOptions): void {
  if (item.event === "line") {
    if (item.data.stream === "stderr") terminal.complain(item.data.line);
    else terminal.print(item.data.line);
  } else if (item.event === "gap") terminal.print(dim(terminal, `(${item.data.dropped} pieces were not shown)`));
  else if (item.event === "event") printEvent(terminal, item.data, options);
}

function printEvent(terminal: Terminal, event: LogEvent, { prompts }: TranscriptOptions): void {
  if (event.type === "turn.admitted@1" && prompts)
    for (const line of String(memberOf(event.data, "prompt")).split("\n")) terminal.print(bold(terminal, `> ${line}`));
  if (event.type === "approval.requested@1") {
    const id = memberOf(event.data, "approvalId");
    terminal.complain(dim(terminal, `answer with: nomos approve ${id}   or: nomos reject ${id}`));
  }
}

export function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
