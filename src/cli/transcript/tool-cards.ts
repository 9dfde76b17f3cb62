import type { LogEvent } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { harmless } from "../screen/harmless.ts";
import { dim, type Text } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import type { Working } from "./status-line.ts";
import { diffOf, fullOutput, toolHead, toolTail, toolTitle } from "./tool-lines.ts";

/** Tool calls as cards: one line with the last of the output while they run, and the result when they have ended. */
export interface ToolCards {
  /** False for an event that is about no tool. */
  readonly hear: (event: LogEvent) => boolean;
  /** Output on its way, not yet recorded. */
  readonly stream: (text: string) => void;
  readonly running: () => readonly Working[];
  readonly count: () => number;
  /** The turn has ended: prints the calls of which no end was reported. */
  readonly close: () => void;
  /** Nothing more will be heard: prints the calls that have not ended as such. */
  readonly leave: () => void;
  /** The next older folded output in full, from the newest on; null when there is none. */
  readonly unfolded: () => readonly Text[] | null;
  readonly reset: () => void;
}

interface Card {
  readonly title: string;
  readonly startedMs: number;
  output: string;
}

const OUTPUT_CHARS_KEPT = 20_000;
const LAST_LINES_SHOWN = 3;
const FOLDED_KEPT_MAX = 20;

export function createToolCards(screen: Pick<Terminal, "columns">, print: (lines: readonly Text[]) => void): ToolCards {
  const open = new Map<string, Card>();
  /** Effects of the engine's calls: their output belongs to the card of the call. */
  const callOf = new Map<string, string>();
  let folded: { readonly title: string; readonly output: string }[] = [];
  let unfoldedCount = 0;
  let count = 0;

  const begin = (id: string, { data, at }: LogEvent): void => {
    count += 1;
    open.set(id, { title: toolTitle(data), startedMs: Date.parse(at), output: "" });
  };
  const end = (id: string, { data, at }: Pick<LogEvent, "data" | "at">, output?: string): void => {
    const card = open.get(id) ?? { title: toolTitle(data), startedMs: Date.parse(at), output: "" };
    open.delete(id);
    const whole = output === undefined || output === "" ? card.output : output;
    print([
      toolHead(screen, card.title, Date.parse(at) - card.startedMs),
      ...diffOf(screen, data),
      ...toolTail(screen, data, whole),
    ]);
    if (whole.trim() === "") return;
    folded = [{ title: card.title, output: whole }, ...folded].slice(0, FOLDED_KEPT_MAX);
    unfoldedCount = 0;
  };
  const add = (id: string, text: string): void => {
    const card = open.get(id);
    if (card !== undefined) card.output = (card.output + text).slice(-OUTPUT_CHARS_KEPT);
  };
  const on: { readonly [type: string]: (event: LogEvent) => void } = {
    "tool.called@1": (event) => begin(textOf(event.data, "callId"), event),
    "effect.intended@1": (event) => {
      const callId = memberOf(event.data, "callId");
      const id = textOf(event.data, "effectId");
      if (typeof callId === "string" && open.has(callId)) callOf.set(id, callId);
      else begin(id, event);
    },
    "effect.output@1": ({ data }) => {
      const id = textOf(data, "effectId");
      add(callOf.get(id) ?? id, textOf(data, "text"));
    },
    "effect.settled@1": (event) => {
      const id = textOf(event.data, "effectId");
      if (!callOf.delete(id)) end(id, event);
    },
    "tool.ended@1": (event) =>
      end(textOf(event.data, "callId"), event, String(memberOf(memberOf(event.data, "output"), "text") ?? "")),
  };
  /** Output of which the record has not come; only the newest call is shown with it. */
  let streamed = "";
  return {
    hear: (event) => {
      const heard = on[event.type];
      if (heard === undefined) return false;
      streamed = "";
      heard(event);
      return true;
    },
    stream: (text) => {
      streamed = (streamed + text).slice(-OUTPUT_CHARS_KEPT);
    },
    running: () =>
      [...open.values()].map(({ title, startedMs, output }, at, all) => ({
        text: title,
        sinceMs: startedMs,
        last: at === all.length - 1 ? lastLines(output + streamed) : [],
      })),
    count: () => count,
    close: () => {
      const at = new Date().toISOString();
      for (const [id, { title }] of open) end(id, { data: { title, outcome: "unknown" }, at });
      callOf.clear();
    },
    leave: () => {
      for (const { title } of open.values()) print([toolHead(screen, title, 0), dim("  … has not ended yet")]);
      open.clear();
    },
    unfolded: () => {
      const next = folded[unfoldedCount];
      if (next === undefined) return null;
      unfoldedCount += 1;
      return [toolHead(screen, next.title, 0), ...fullOutput(screen, next.output)];
    },
    reset: () => {
      count = 0;
    },
  };
}

function textOf(data: unknown, key: string): string {
  return String(memberOf(data, key) ?? "");
}

function lastLines(output: string): readonly string[] {
  return harmless(output)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-LAST_LINES_SHOWN);
}
