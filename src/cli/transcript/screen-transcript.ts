import type { LogEvent, StreamItem } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { cutTo, wrap } from "../print/screen-text.ts";
import { spellBytes } from "../print/spell.ts";
import { askedQuestion, questionFacts } from "../questions/question-facts.ts";
import { harmless, inOneLine } from "../screen/harmless.ts";
import { bold, dim, red, type Text, yellow } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { createSpeech } from "./speech.ts";
import { createToolCards } from "./tool-cards.ts";
import type { TranscriptOutput } from "./transcript-output.ts";
import { type TurnSum, turnEnd } from "./turn-end.ts";

export interface Transcript {
  readonly show: (item: StreamItem) => void;
  /** Prints the next older folded output in full; false when there is none. */
  readonly unfold: () => boolean;
  readonly close: () => void;
}

export interface TranscriptOptions {
  /** Whether to show the prompt of this turn too. */
  readonly prompts: (admitted: unknown) => boolean;
  /** `here`: a question is answered by typing; `past`: all of them were. Otherwise the command to answer is shown. */
  readonly answers?: "here" | "past";
  /** Also what an agent prints beside its protocol, and capabilities that it was not offered. */
  readonly verbose?: boolean;
  /** Who works: shown with its questions. */
  readonly who?: string;
  /** Turns that a rewind left behind, where they are known before they are shown. */
  readonly rewound?: ReadonlySet<string>;
}

const PROMPT_LINES_SHOWN = 12;
const MARKS: { readonly [status: string]: string } = { open: "☐", active: "◐", done: "☑" };
const SHORT_ID_CHARS = 28;

type Columns = Pick<Terminal, "columns">;

/** A session on a terminal: messages in full, tool calls in short, and what is under way. */
export function createScreenTranscript(
  screen: Columns,
  options: TranscriptOptions,
  output: TranscriptOutput,
): Transcript {
  const { print } = output;
  let sum: TurnSum = { startedMs: Date.now(), firstMs: null, tools: 0, usage: null };
  const cards = createToolCards(screen, print);
  let isBusy = false;
  /** A turn runs or waits. */
  let isOpen = false;
  let doing = "working";

  const show = (text: string, paint: (line: string) => Text = plain): void =>
    print(wrap(harmless(text), screen.columns).map((line) => paint(line)));
  const speech = createSpeech(show);
  const firstSign = (ms: number): void => {
    sum = { ...sum, firstMs: sum.firstMs ?? ms - sum.startedMs };
  };
  const changed = ({ type }: LogEvent): void => print([dim(`(${type.slice("session.".length, -2)})`)]);

  const on: { readonly [type: string]: (event: LogEvent) => void } = {
    "turn.admitted@1": ({ data }) => {
      if (options.prompts(data)) print(promptLines(screen.columns, data, options.rewound));
    },
    "turn.attached@1": ({ data }) => {
      if (options.prompts(data)) print(attachedLines(screen.columns, data));
    },
    "turn.started@1": ({ at }) => {
      sum = { startedMs: Date.parse(at), firstMs: null, tools: 0, usage: null };
      cards.reset();
    },
    "message.completed@1": ({ data }) => {
      const [blob, bytes] = [memberOf(data, "blob"), Number(memberOf(data, "bytes"))];
      const isThought = memberOf(data, "role") === "thought";
      const isWhole = typeof blob !== "string";
      if (isWhole || isThought) speech.message(textOf(data, "text"), isThought);
      if (!isWhole && (isThought || !speech.beginning(textOf(data, "text"), bytes)))
        show(`… the beginning of ${bytes} bytes; all of it: nomos blob read ${blob}`, dim);
      doing = "working";
    },
    "usage.reported@1": ({ data }) => {
      sum = { ...sum, usage: data };
    },
    "todo.replaced@1": ({ data }) => print(todoLines(screen.columns, data)),
    "x.note@1": ({ data }) => show(`✉ ${textOf(memberOf(data, "payload"), "text")}`, yellow),
    "driver.noticed@1": ({ data }) => {
      const isInfo = memberOf(data, "severity") === "info";
      if (!isInfo || options.verbose === true) show(textOf(data, "title"), isInfo ? dim : yellow);
      if (isInfo && options.verbose === true) show(String(memberOf(memberOf(data, "body"), "text") ?? ""), dim);
    },
    "driver.attached@1": ({ data }) => {
      if (memberOf(data, "continuity") !== "digest") return;
      const reason = textOf(data, "reason");
      show(`The agent starts from a digest of the conversation${reason === "" ? "." : `: ${reason}`}`, yellow);
    },
    "gate.denied@1": ({ data }) => {
      const rules = memberOf(data, "rules");
      const isOffer = Array.isArray(rules) && rules.includes("not_offered");
      const what = `${textOf(data, "verb")} ${textOf(data, "resource")}`;
      if (!isOffer) show(`✗ denied: ${what}`, red);
      else if (options.verbose === true) show(`  not offered to the agent: ${what}`, dim);
    },
    "approval.requested@1": ({ data }) => print(askedLines(screen, data, options)),
    "approval.answered@1": ({ data }) => {
      const said = [textOf(data, "option"), textOf(data, "reason")].filter((text) => text !== "").join(", ");
      show(`  ${textOf(data, "status")}${said === "" ? "" : `: ${inOneLine(said)}`}`, dim);
    },
    "turn.ended@1": ({ data, at }) => {
      cards.close();
      print(turnEnd(data, at, { ...sum, tools: cards.count() }));
    },
    "turn.steered@1": ({ data }) => print(promptLines(screen.columns, { prompt: textOf(data, "text") }, undefined)),
    "context.compacted@1": ({ data }) =>
      show(
        `The conversation was compacted: ${textOf(data, "tokensBefore")} -> ${textOf(data, "tokensAfter")} tokens`,
        dim,
      ),
    "session.suspended@1": changed,
    "session.rewound@1": () => print([yellow("↶ rewound: the turns after that point no longer count")]),
    "session.exited@1": changed,
    "session.killed@1": changed,
    "session.failed@1": ({ data }) => show(`✗ ${textOf(data, "message")}`, red),
  };

  const hear = (event: LogEvent): void => {
    if (cards.hear(event)) doing = "working";
    else on[event.type]?.(event);
  };
  return {
    show: (item: StreamItem) => {
      if (item.event === "status") {
        isOpen = item.data.busy;
        isBusy = isOpen && item.data.waitingFor === undefined;
      } else if (item.event === "delta" && item.data.source === "message" && isBusy) {
        firstSign(Date.now());
        doing = speech.stream(item.data.text) ?? doing;
      } else if (item.event === "delta" && item.data.source === "thought") doing = "thinking";
      else if (item.event === "delta") cards.stream(item.data.text);
      else if (item.event === "gap") print([dim(`(${item.data.dropped} pieces were not shown)`)]);
      else if (item.event === "event") hear(item.data);
      output.working(isBusy ? { text: doing, sinceMs: sum.startedMs } : null, cards.running());
    },
    unfold: () => {
      const lines = cards.unfolded();
      if (lines !== null) print(lines);
      return lines !== null;
    },
    close: () => {
      // A call of a turn that goes on has no outcome yet, also while the turn waits for a person.
      if (!isOpen) cards.leave();
      output.close();
    },
  };
}

function textOf(data: unknown, key: string): string {
  return String(memberOf(data, key) ?? "");
}

function plain(text: string): string {
  return text;
}

function promptLines(columns: number, data: unknown, rewound: ReadonlySet<string> | undefined): readonly Text[] {
  const lines = wrap(harmless(textOf(data, "prompt")), columns - 2);
  const folded = lines.length - PROMPT_LINES_SHOWN;
  const notes = [
    rewound?.has(textOf(data, "turnId")) === true ? "rewound: no longer part of the conversation" : "",
    memberOf(data, "queued") === true ? "queued" : "",
  ].filter((note) => note !== "");
  return [
    "",
    ...lines.slice(0, PROMPT_LINES_SHOWN).map((line) => bold(`> ${line}`)),
    ...(folded > 0 ? [dim(`  … ${folded} more lines`)] : []),
    ...notes.map((note) => dim(`  (${note})`)),
  ];
}

function attachedLines(columns: number, data: unknown): readonly Text[] {
  const items = memberOf(data, "items");
  if (!Array.isArray(items)) return [];
  return items.map((item) => {
    const name = inOneLine(harmless(textOf(item, "name")));
    return dim(
      cutTo(`  (${textOf(item, "kind")} ${name}, ${spellBytes(Number(memberOf(item, "bytes") ?? 0))})`, columns),
    );
  });
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

function askedLines({ columns }: Columns, data: unknown, { answers, who }: TranscriptOptions): readonly Text[] {
  const asked = askedQuestion(data);
  if (answers === "past") return questionFacts(columns, asked, { keys: null });
  const id = asked.id.slice(0, SHORT_ID_CHARS);
  const elsewhere = [dim(`  answer with: nomos approve ${id}`), dim(`  or:          nomos reject ${id}`)];
  const facts = questionFacts(columns, asked, { keys: "typed", ...(who === undefined ? {} : { who }) });
  return answers === "here" ? facts : [...facts, ...elsewhere];
}
