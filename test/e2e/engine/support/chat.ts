import { expect } from "vitest";
import type { AnsweredCall, SeenRequest } from "../../../engine/model-server/index.ts";

/** A message as it was sent to an endpoint of OpenAI's chat format. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content?: string | null | readonly { readonly type: string; readonly text?: string }[];
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** A call as a model makes it. A string is sent as it is: it may be no JSON. */
export function call(name: string, input: object | string): AnsweredCall {
  return { name, input: typeof input === "string" ? input : JSON.stringify(input) };
}

export function messagesOf(request: SeenRequest | undefined): readonly ChatMessage[] {
  if (request === undefined) throw new Error("there was no such request");
  return (request.body as { readonly messages: readonly ChatMessage[] }).messages;
}

/** What was said in it, without the system prompt. */
export function saidIn(request: SeenRequest | undefined): string {
  return messagesOf(request)
    .filter(({ role }) => role !== "system")
    .map(textOf)
    .join("\n");
}

export function textOf({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text = "" }) => text).join("\n");
}

export function resultsIn(request: SeenRequest | undefined): readonly string[] {
  return messagesOf(request)
    .filter(({ role }) => role === "tool")
    .map(textOf);
}

/** Every endpoint takes it: each call has its result at once, no result stands alone, and a person speaks first. */
export function expectValid(request: SeenRequest | undefined): void {
  const messages = messagesOf(request).filter(({ role }) => role !== "system");
  expect(messages[0]?.role).toBe("user");
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      expect(open).toContain(message.tool_call_id);
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    expect(open, "calls without a result").toEqual([]);
    open = (message.tool_calls ?? []).map(({ id }) => id);
    if (message.role === "assistant") expect(textOf(message) !== "" || open.length > 0).toBe(true);
  }
  expect(open, "calls without a result").toEqual([]);
}
