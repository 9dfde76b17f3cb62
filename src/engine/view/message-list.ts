import type { Message } from "../model.ts";
import type { Entry } from "./entry.ts";
import { text } from "./texts.ts";

/** Providers want a user message between two answers, and none takes a request that ends with an answer. */
const GO_ON: Message = { role: "user", content: [text("[go on from where you stopped]")] };
/** Every provider wants a user message first. */
const BEGINNING: Message = { role: "user", content: [text("[the beginning is missing]")] };

/**
 * The messages of entries, in roles that every provider accepts. What did not change stays the same object, so that
 * a step costs only what is new and a provider's cache finds its prefix.
 */
export interface MessageList {
  /** Entries from this index on have changed. */
  readonly changedFrom: (index: number) => void;
  readonly messages: (entries: readonly Entry[]) => readonly Message[];
}

export function createMessageList(first: Message | null): MessageList {
  const flat: Message[] = first === null ? [] : [first];
  /** The list as it was before each entry. An entry may replace the last message by a longer one. */
  const before: { readonly length: number; readonly last: Message | undefined }[] = [];
  let given: readonly Message[] | null = null;
  return {
    changedFrom(index) {
      given = null;
      const mark = before[index];
      if (mark === undefined) return;
      before.length = index;
      flat.length = mark.length;
      if (mark.last !== undefined) flat[mark.length - 1] = mark.last;
    },
    messages(entries) {
      if (given !== null) return given;
      for (let index = before.length; index < entries.length; index += 1) {
        before.push({ length: flat.length, last: flat.at(-1) });
        const entry = entries[index];
        if (entry !== undefined) addEntry(flat, entry, index === entries.length - 1);
      }
      given = [...flat];
      return given;
    },
  };
}

function addEntry(flat: Message[], entry: Entry, isLast: boolean): void {
  const messages = entry.messages();
  const isStep = entry.kind === "step";
  const asks = messages.length > 0 || (isLast && entry.isOpen());
  if (isStep && asks && flat.at(-1)?.role === "assistant") flat.push(GO_ON);
  for (const message of messages) addMessage(flat, message);
}

function addMessage(flat: Message[], message: Message): void {
  const last = flat.at(-1);
  if (last === undefined && message.role !== "user") flat.push(BEGINNING);
  const joined = last === undefined ? null : join(last, message);
  if (joined === null) flat.push(message);
  else flat[flat.length - 1] = joined;
}

/** Two messages of one role as one; null when they stay two. */
function join(last: Message, next: Message): Message | null {
  if (last.role === "user" && next.role === "user")
    return { role: "user", content: [...last.content, ...next.content] };
  if (last.role === "assistant" && next.role === "assistant")
    return { role: "assistant", content: [...last.content, ...next.content] };
  return null;
}
