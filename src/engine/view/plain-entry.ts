import type { Json } from "../../kernel/index.ts";
import type { Message } from "../model.ts";
import type { Entry, EntryAt } from "./entry.ts";
import type { LoadedData } from "./path-event.ts";
import { isBlank, text } from "./texts.ts";
import { TOOL_OUTPUT_CHARS, toolLine } from "./tool-line.ts";
import { joinFiles, pathIn, type TouchedFiles, touchedFiles } from "./touched-files.ts";

/**
 * What a driver without steps said and did, as one text: its tools are not ours, so the model sees no calls of them. Its
 * thoughts are left out.
 */
export interface PlainEntry extends Entry {
  readonly kind: "plain";
  readonly said: (said: string) => void;
  readonly called: (call: LoadedData<"tool.called@1">) => void;
  readonly resulted: (end: LoadedData<"tool.ended@1">) => void;
  readonly intended: (effect: LoadedData<"effect.intended@1">) => void;
  readonly printed: (output: LoadedData<"effect.output@1">) => void;
  readonly settled: (effect: LoadedData<"effect.settled@1">) => void;
  /** A call that has not ended: its agent's effects belong to it. */
  readonly isCalling: () => boolean;
  /** Long enough for a new entry to begin, so that a compaction can cut a long turn. Nothing of it is still going on. */
  readonly isFull: () => boolean;
}

const FULL_CHARS = 20_000;

export function createPlainEntry(at: EntryAt): PlainEntry {
  const items: Item[] = [];
  const open = new Map<string, Action>();
  let chars = 0;
  let made: readonly Message[] | null = null;
  const begin = (key: string, action: Action) => {
    items.push(action);
    open.set(key, action);
    made = null;
  };
  const end = (key: string, change: (action: Action) => void) => {
    const action = open.get(key);
    if (action === undefined) return;
    change(action);
    open.delete(key);
    chars += action.output.length;
    made = null;
  };
  return {
    ...at,
    kind: "plain",
    isOpen: () => false,
    isCalling: () => [...open.keys()].some((key) => key.startsWith(CALL)),
    isFull: () => chars >= FULL_CHARS && open.size === 0,
    files: () => joinFiles(items.flatMap((item) => (typeof item === "string" ? [] : [item.files]))),
    messages() {
      made ??= messagesOf(items);
      return made;
    },
    said(said) {
      items.push(said);
      chars += said.length;
      made = null;
    },
    called: (call) => begin(CALL + call.callId, { ...NO_ACTION, title: call.title, call }),
    resulted(ended) {
      end(CALL + ended.callId, (action) => {
        action.outcome = ended.outcome;
        action.output = ended.output?.text.slice(0, TOOL_OUTPUT_CHARS + 1) ?? "";
        if (ended.outcome !== "failed" && action.call !== null) action.files = filesOfCall(action.call, ended);
      });
    },
    intended: (effect) => begin(EFFECT + effect.effectId, { ...NO_ACTION, title: titleOf(effect), effect }),
    printed({ effectId, text: printed }) {
      const action = open.get(EFFECT + effectId);
      if (action === undefined || action.output.length > TOOL_OUTPUT_CHARS) return;
      action.output += printed.slice(0, TOOL_OUTPUT_CHARS + 1);
      made = null;
    },
    settled({ effectId, outcome, message }) {
      end(EFFECT + effectId, (action) => {
        action.outcome = outcome;
        if (message !== null) action.output = isBlank(action.output) ? message : `${message}\n${action.output}`;
        if (outcome === "done" && action.effect !== null) action.files = filesOfEffect(action.effect);
      });
    },
  };
}

const CALL = "call:";
const EFFECT = "effect:";

type Item = string | Action;

interface Action {
  readonly title: string;
  readonly call: LoadedData<"tool.called@1"> | null;
  readonly effect: LoadedData<"effect.intended@1"> | null;
  outcome: string | null;
  output: string;
  files: TouchedFiles;
}

const NO_ACTION = { call: null, effect: null, outcome: null, output: "", files: { read: [], modified: [] } };

function messagesOf(items: readonly Item[]): readonly Message[] {
  const said = items
    .map((item) => (typeof item === "string" ? item : lineOf(item)))
    .filter((one) => !isBlank(one))
    .join("\n\n");
  return said === "" ? [] : [{ role: "assistant", content: [text(said)] }];
}

function lineOf({ title, outcome, output }: Action): string {
  return toolLine(title, outcome === null ? null : { outcome, output: { text: output } });
}

function filesOfCall(call: LoadedData<"tool.called@1">, end: LoadedData<"tool.ended@1">): TouchedFiles {
  const places = [...call.places, ...end.places];
  return touchedFiles({ names: [call.kind], places, diffs: end.diffs, input: call.input?.text ?? "" });
}

function filesOfEffect({ kind, detail }: LoadedData<"effect.intended@1">): TouchedFiles {
  const path = pathIn(detail);
  return touchedFiles({ names: [kind], places: path === null ? [] : [{ path }], diffs: [], input: "" });
}

function titleOf({ kind, detail }: LoadedData<"effect.intended@1">): string {
  const shown = shownIn(detail);
  return shown === "" ? kind : `${kind}: ${shown.slice(0, TITLE_CHARS)}`;
}

const TITLE_CHARS = 300;

function shownIn(detail: Json): string {
  if (typeof detail !== "object" || detail === null) return "";
  const shown: unknown = Reflect.get(detail, "command") ?? Reflect.get(detail, "path") ?? Reflect.get(detail, "argv");
  return Array.isArray(shown) ? shown.join(" ") : typeof shown === "string" ? shown : "";
}
