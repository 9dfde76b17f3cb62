import type { LogEvent, StreamItem } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { harmless, inOneLine } from "../screen/harmless.ts";
import { bold, dim, red, type Text, yellow } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { questionLines } from "./question-lines.ts";
import { cutTo, wrap } from "./screen-text.ts";
import { type Bottom, createStatusLine } from "./status-line.ts";
import { diffOf, toolHead, toolTail, toolTitle } from "./tool-lines.ts";
import { turnEnd } from "./turn-end.ts";

export interface Transcript {
  readonly show: (item: StreamItem) => void;
  readonly close: () => void;
}

export interface TranscriptOptions {
  /** Whether to show the prompt of this turn too. */
  readonly prompts: (admitted: unknown) => boolean;
  /** Whether a question can be answered here, by typing one of its options. */
  readonly answersHere?: boolean;
}

const PROMPT_LINES_SHOWN = 12;
const OUTPUT_CHARS_KEPT = 20_000;
const MARKS: { readonly [status: string]: string } = { open: "☐", active: "◐", done: "☑" };
const SHORT_ID_CHARS = 28;

/** A session on a terminal: messages in full, tool calls in short, and a status line at the bottom. */
export function createScreenTranscript(terminal: Terminal, options: TranscriptOptions, bottom?: Bottom): Transcript {
  const status = createStatusLine(terminal, bottom);
  const sum = { startedMs: Date.now(), tools: 0, usage: null as unknown };
  const outputs = new Map<string, string>();
  let isBusy = false;
  let doing = "working";

  const print = (lines: readonly Text[]): void => {
    for (const line of lines) status.print(line);
  };
  const show = (text: string, paint: (line: string) => Text = plain): void =>
    print(wrap(harmless(text), terminal.columns).map((line) => paint(line)));
  const draw = (): void => status.set(isBusy ? { text: doing, sinceMs: sum.startedMs } : null);

  const speech = createSpeech(show);
  const message = (data: unknown): void => {
    speech.message(String(memberOf(data, "text") ?? ""), memberOf(data, "role") === "thought");
    if (typeof memberOf(data, "blob") === "string") print([dim(`… ${memberOf(data, "bytes")} bytes in all`)]);
    doing = "working";
  };
  const prompt = (text: string): void => {
    const lines = wrap(harmless(text), terminal.columns - 2);
    const folded = lines.length - PROMPT_LINES_SHOWN;
    print(["", ...lines.slice(0, PROMPT_LINES_SHOWN).map((line) => bold(`> ${line}`))]);
    if (folded > 0) print([dim(`  … ${folded} more lines`)]);
  };
  const tool = (data: unknown): void => {
    sum.tools += 1;
    doing = toolTitle(data);
    print([toolHead(terminal, doing)]);
  };
  const settled = (data: unknown, id: string): void => {
    print([...diffOf(terminal, data), ...toolTail(terminal, data, outputs.get(id) ?? "")]);
    outputs.delete(id);
    doing = "working";
  };

  const onEvent = ({ type, data, at }: LogEvent): void => {
    const text = (key: string): string => String(memberOf(data, key) ?? "");
    switch (type) {
      case "turn.admitted@1":
        if (options.prompts(data)) prompt(text("prompt"));
        break;
      case "turn.started@1":
        Object.assign(sum, { startedMs: Date.parse(at), tools: 0, usage: null });
        break;
      case "message.completed@1":
        message(data);
        break;
      case "effect.intended@1":
      case "tool.called@1":
        tool(data);
        break;
      case "effect.output@1": {
        const known = (outputs.get(text("effectId")) ?? "") + text("text");
        outputs.set(text("effectId"), known.slice(-OUTPUT_CHARS_KEPT));
        break;
      }
      case "effect.settled@1":
        settled(data, text("effectId"));
        break;
      case "tool.ended@1":
        outputs.set(text("callId"), String(memberOf(memberOf(data, "output"), "text") ?? ""));
        settled(data, text("callId"));
        break;
      case "usage.reported@1":
        sum.usage = data;
        break;
      case "todo.replaced@1":
        print(todoLines(terminal.columns, data));
        break;
      case "driver.noticed@1":
        show(text("title"), memberOf(data, "severity") === "info" ? dim : yellow);
        break;
      case "gate.denied@1":
        show(`✗ denied: ${text("verb")} ${text("resource")}`, red);
        break;
      case "approval.requested@1":
        print(askedLines(terminal, data, options.answersHere === true));
        break;
      case "approval.answered@1":
        show(`  ${text("status")}${text("option") === "" ? "" : `: ${inOneLine(text("option"))}`}`, dim);
        break;
      case "turn.ended@1":
        print(turnEnd(data, at, sum));
        break;
      case "session.suspended@1":
      case "session.rewound@1":
      case "session.exited@1":
      case "session.killed@1":
        print([dim(`(${type.slice("session.".length, -2)})`)]);
        break;
      case "session.failed@1":
        show(`✗ ${text("message")}`, red);
        break;
    }
  };

  return {
    show: (item: StreamItem) => {
      if (item.event === "status") isBusy = item.data.busy && item.data.waitingFor === undefined;
      else if (item.event === "delta" && item.data.source === "message" && isBusy)
        doing = speech.stream(item.data.text) ?? doing;
      else if (item.event === "gap") print([dim(`(${item.data.dropped} pieces were not shown)`)]);
      else if (item.event === "event") onEvent(item.data);
      draw();
    },
    close: () => status.close(),
  };
}

interface Speech {
  /** Prints the complete lines. Returns the unfinished line, or null for a frame that was printed before. */
  readonly stream: (text: string) => string | null;
  /** Prints the message without the part that was already printed from frames. */
  readonly message: (text: string, isThought: boolean) => void;
}

/** Prints an agent's text: frames as they arrive, then the rest of the complete message. */
function createSpeech(show: (text: string, paint?: (line: string) => Text) => void): Speech {
  /** Text from frames whose message is not complete; its last line is unfinished. */
  let streamed = "";
  /** Text of messages that were printed before their frames arrived. Those frames are skipped. */
  let late = "";
  return {
    stream: (text) => {
      if (late !== "" && late.startsWith(text)) {
        late = late.slice(text.length);
        return null;
      }
      late = "";
      const before = streamed.lastIndexOf("\n") + 1;
      streamed += text;
      const after = streamed.lastIndexOf("\n") + 1;
      if (after > before) show(streamed.slice(before, after - 1));
      return harmless(streamed.slice(after)).replaceAll("\n", " ") || "working";
    },
    message: (text, isThought) => {
      const seen = !isThought && text.startsWith(streamed) ? streamed.lastIndexOf("\n") + 1 : 0;
      if (!isThought) {
        late = text.startsWith(streamed) ? text.slice(streamed.length) : "";
        streamed = "";
      }
      const rest = text.slice(seen).replace(/\n$/, "");
      if (rest !== "") show(rest, isThought ? dim : plain);
    },
  };
}

function plain(text: string): string {
  return text;
}

function todoLines(columns: number, data: unknown): readonly Text[] {
  const items = memberOf(data, "items");
  if (!Array.isArray(items)) return [];
  return items.map((item) => {
    const state = String(memberOf(item, "status"));
    const text = inOneLine(harmless(String(memberOf(item, "text"))));
    const line = cutTo(`  ${MARKS[state] ?? "☐"} ${text}`, columns);
    return state === "done" ? dim(line) : line;
  });
}

function askedLines(terminal: Terminal, data: unknown, answersHere: boolean): readonly Text[] {
  const options = memberOf(data, "options");
  const offered = Array.isArray(options) ? options.map(String) : [];
  const id = String(memberOf(data, "approvalId")).slice(0, SHORT_ID_CHARS);
  return [
    ...questionLines(terminal.columns, String(memberOf(data, "question")), offered).map((line) => yellow(line)),
    ...(answersHere
      ? [dim("  type an option, yes or no")]
      : [dim(`  answer with: nomos approve ${id}`), dim(`  or:          nomos reject ${id}`)]),
  ];
}
