import type { ContextPart, TodoItem } from "../../kernel/index.ts";
import type { Message } from "../model.ts";
import type { Entry, EntryAt } from "./entry.ts";
import { createMessageList } from "./message-list.ts";
import type { LoadedData } from "./path-event.ts";
import type { PlainEntry } from "./plain-entry.ts";
import type { StepEntry } from "./step-entry.ts";
import { text } from "./texts.ts";
import { createTurnNotes } from "./turn-notes.ts";

export interface LastCompaction {
  readonly turnId: string;
  readonly summary: string;
  readonly message: Message;
  readonly files: LoadedData<"context.compacted@1">["files"];
  /** Nothing was said since. */
  readonly isLast: boolean;
}

export interface LastUsage {
  readonly model: string;
  /** Of the whole request and its answer. */
  readonly tokens: number;
  readonly entry: Entry;
}

export interface SteerWaiting {
  readonly steerId: string;
  readonly turnId: string;
  readonly text: string;
}

/** What a transcript knows after the events so far. */
export interface State {
  place: number;
  eventId: string;
  /** The places of events from the newest compaction's kept part on. */
  places: Map<string, number>;
  entries: Entry[];
  list: ReturnType<typeof createMessageList>;
  /** The running step of an answer, or the step of a summary, whose messages are not part of the transcript. */
  step: StepEntry | "aside" | null;
  plain: PlainEntry | null;
  readonly calls: Map<string, StepEntry>;
  /** The last step with a call of this id. */
  readonly callIds: Map<string, StepEntry>;
  readonly steers: Map<string, SteerWaiting>;
  readonly turns: ReturnType<typeof createTurnNotes>;
  systemParts: readonly ContextPart[];
  compaction: Omit<LastCompaction, "isLast"> | null;
  compactedAt: number;
  usage: LastUsage | null;
  model: string | null;
  todo: readonly TodoItem[];
}

export function newState(): State {
  return {
    place: 0,
    eventId: "",
    places: new Map(),
    entries: [],
    list: createMessageList(null),
    step: null,
    plain: null,
    calls: new Map(),
    callIds: new Map(),
    steers: new Map(),
    turns: createTurnNotes(),
    systemParts: [],
    compaction: null,
    compactedAt: 0,
    usage: null,
    model: null,
    todo: [],
  };
}

export function compact(state: State, { turnId, keptFrom, summary, files }: LoadedData<"context.compacted@1">): void {
  // An unknown event is one from before all that was added: the path was given from a later event on.
  const from = keptFrom === null ? state.place : (state.places.get(keptFrom) ?? 0);
  state.entries = state.entries.filter(({ place }) => place >= from);
  state.places = new Map([...state.places].filter(([, place]) => place >= from));
  for (const calls of [state.calls, state.callIds])
    for (const [key, step] of calls) if (step.place < from) calls.delete(key);
  if (state.plain !== null && state.plain.place < from) state.plain = null;
  const message: Message = { role: "user", content: [text(summaryText(summary.text))] };
  state.compaction = { turnId, summary: summary.text, message, files };
  state.compactedAt = state.place;
  state.list = createMessageList(message);
  // Old usage counted what is gone.
  state.usage = null;
}

function summaryText(summary: string): string {
  return `What came before was replaced by this summary, to save room:\n\n<summary>\n${summary.trim()}\n</summary>`;
}

export function push(state: State, entry: Entry): void {
  // A running step that left nothing looks different once it is not the last.
  const last = state.entries.length - 1;
  state.list.changedFrom(state.entries[last]?.isOpen() === true ? last : state.entries.length);
  state.entries.push(entry);
}

export function changed(state: State, entry: Entry): void {
  const index = state.entries.lastIndexOf(entry);
  if (index >= 0) state.list.changedFrom(index);
}

export function here(state: State, turnId: string): EntryAt {
  return { turnId, eventId: state.eventId, place: state.place };
}
