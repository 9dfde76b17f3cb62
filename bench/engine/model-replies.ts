import { z } from "zod";
import { fileOf, firstLineOf, pieceOf, type Task, taskIn } from "./task.ts";

const Content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish();
const Message = z.looseObject({ role: z.string(), content: Content });
const Tool = z.object({
  function: z.looseObject({
    name: z.string(),
    parameters: z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) }).optional(),
  }),
});
/** Messages are parsed one by one, from the end: a long session has thousands. */
export const ChatRequest = z.looseObject({
  messages: z.array(z.unknown()),
  tools: z.array(z.unknown()).default([]),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

export type Reply =
  | { readonly is: "call"; readonly task: Task; readonly tool: string; readonly input: object }
  | { readonly is: "text"; readonly task: Task }
  /** A title, a summary: a request beside the task. */
  | { readonly is: "aside"; readonly task: Task | null };

const READERS = ["read", "Read", "read_file"];

/** Stateless: the results since the last prompt show how far the task has come. */
export function replyTo({ messages, tools }: ChatRequest): Reply {
  const { task, results } = progressIn(messages);
  if (task === null || tools.length === 0) return { is: "aside", task };
  const last = results.length - 1;
  // The results were collected from the end.
  if (last >= 0 && !results[0]?.includes(firstLineOf(last)))
    throw new Error(`read ${last} failed: ${results[0]?.slice(0, 300)}`);
  if (results.length >= task.reads) return { is: "text", task };
  const offered = tools.map((tool) => Tool.parse(tool).function);
  const reader = offered.find(({ name }) => READERS.includes(name));
  const key = Object.keys(reader?.parameters?.properties ?? {}).find((name) => /path/i.test(name));
  if (reader === undefined || key === undefined)
    throw new Error(`no tool reads a file among ${offered.map(({ name }) => name).join(" ")}`);
  return { is: "call", task, tool: reader.name, input: { [key]: fileOf(task.folder, results.length) } };
}

function progressIn(messages: readonly unknown[]): { readonly task: Task | null; readonly results: readonly string[] } {
  const results: string[] = [];
  for (const message of messages.toReversed()) {
    const { role, content } = Message.parse(message);
    const text = typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");
    if (role === "tool") results.push(text);
    const task = role === "user" ? taskIn(text) : null;
    if (task !== null) return { task, results };
  }
  return { task: null, results };
}

export interface Usage {
  readonly promptTokens: number;
  readonly cachedTokens: number;
}

/** The chunks of a streamed answer: `head` at once, then the pieces at their times, then `tail`. */
export interface Chunks {
  readonly head: string;
  readonly pieces: readonly string[];
  readonly tail: string;
}

const ASIDE = "The session looks at files.";

export function chunksOf(reply: Reply, number: number, { promptTokens, cachedTokens }: Usage): Chunks {
  const chunk = (choices: readonly object[], more: object = {}) =>
    `data: ${JSON.stringify({ id: `chatcmpl-${number}`, object: "chat.completion.chunk", created: 1, model: "scripted", choices, ...more })}\n\n`;
  const delta = (one: object, finish_reason: string | null = null) => chunk([{ index: 0, delta: one, finish_reason }]);
  const called = (one: object) => delta({ tool_calls: [{ index: 0, ...one }] });
  const pieces =
    reply.is === "call"
      ? [
          called({ id: `call_${number}`, type: "function", function: { name: reply.tool, arguments: "" } }),
          called({ function: { arguments: JSON.stringify(reply.input) } }),
        ]
      : textOf(reply).map((text) => delta({ content: text }));
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: pieces.length,
    total_tokens: promptTokens + pieces.length,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
  const finished = delta({}, reply.is === "call" ? "tool_calls" : "stop");
  return {
    head: delta({ role: "assistant", content: "" }),
    pieces,
    tail: `${finished}${chunk([], { usage })}data: [DONE]\n\n`,
  };
}

/** The same answer to a request that asks for no stream. */
export function wholeOf(reply: Reply, number: number): object {
  const message = { role: "assistant", content: textOf(reply).join("") };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return { id: `chatcmpl-${number}`, object: "chat.completion", created: 1, model: "scripted", choices };
}

function textOf(reply: Reply): readonly string[] {
  if (reply.is === "aside") return [ASIDE];
  return Array.from({ length: reply.task.pieces }, (_, at) => pieceOf(at));
}
