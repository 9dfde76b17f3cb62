import type { LogEvent, StreamItem } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { bold, dim } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { createScreenTranscript, type Transcript, type TranscriptOptions } from "./screen-transcript.ts";
import { plainOutput, type TranscriptOutput } from "./transcript-output.ts";

/** Shows a session's stream: laid out on a terminal that can move the cursor, as AIP-46 lines anywhere else. */
export function createTranscript(
  terminal: Terminal,
  options: TranscriptOptions,
  output?: TranscriptOutput,
): Transcript {
  if (terminal.hasCursor) return createScreenTranscript(terminal, options, output ?? plainOutput(terminal));
  return { show: (item) => printPlain(terminal, item, options), close: () => undefined };
}

function printPlain(terminal: Terminal, item: StreamItem, options: TranscriptOptions): void {
  if (item.event === "line") {
    if (item.data.stream === "stderr") terminal.complain(item.data.line);
    else terminal.print(item.data.line);
  } else if (item.event === "gap") terminal.print(dim(`(${item.data.dropped} pieces were not shown)`));
  else if (item.event === "event") printEvent(terminal, item.data, options);
}

function printEvent(terminal: Terminal, event: LogEvent, { prompts }: TranscriptOptions): void {
  if (event.type === "turn.admitted@1" && prompts(event.data))
    for (const line of String(memberOf(event.data, "prompt")).split("\n")) terminal.print(bold(`> ${line}`));
  if (event.type === "approval.requested@1") {
    const id = memberOf(event.data, "approvalId");
    terminal.complain(dim(`answer with: nomos approve ${id}   or: nomos reject ${id}`));
  }
}
