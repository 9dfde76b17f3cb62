import type { LogEvent, StreamItem } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { askedQuestion, questionFacts } from "../questions/question-facts.ts";
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
  return createPlainTranscript(terminal, options);
}

type Line = Extract<StreamItem, { event: "line" }>["data"];

function createPlainTranscript(terminal: Terminal, options: TranscriptOptions): Transcript {
  /** Lines come before the event that they are made from, which says whether they are wanted. */
  let held: Line[] = [];
  const release = (): void => {
    for (const { line, stream } of held) {
      if (stream === "stderr") terminal.complain(line);
      else terminal.print(line);
    }
    held = [];
  };
  return {
    show: (item) => {
      if (item.event === "line") {
        held.push(item.data);
        return;
      }
      if (item.event === "event" && isChatter(item.data) && options.verbose !== true) held = [];
      release();
      if (item.event === "gap") terminal.print(dim(`(${item.data.dropped} pieces were not shown)`));
      else if (item.event === "event") printEvent(terminal, item.data, options);
    },
    unfold: () => false,
    close: release,
  };
}

/** What an agent prints beside its protocol. */
function isChatter({ type, data }: LogEvent): boolean {
  return type === "driver.noticed@1" && memberOf(data, "severity") === "info";
}

function printEvent(terminal: Terminal, event: LogEvent, { prompts, answers, who }: TranscriptOptions): void {
  if (event.type === "turn.admitted@1" && prompts(event.data))
    for (const line of String(memberOf(event.data, "prompt")).split("\n")) terminal.print(bold(`> ${line}`));
  if (event.type === "x.note@1")
    for (const line of String(memberOf(memberOf(event.data, "payload"), "text") ?? "").split("\n"))
      terminal.print(`[note] ${line}`);
  if (event.type === "approval.requested@1") {
    const asked = askedQuestion(event.data);
    const keys = answers === "here" ? "typed" : null;
    // The question itself was a line.
    const [, ...facts] = questionFacts(terminal.columns, asked, { keys, ...(who === undefined ? {} : { who }) });
    for (const line of facts) terminal.complain(line);
    if (answers !== "here")
      terminal.complain(dim(`answer with: nomos approve ${asked.id}   or: nomos reject ${asked.id}`));
  }
}
