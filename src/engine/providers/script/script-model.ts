import { setTimeout as sleep } from "node:timers/promises";
import type { AnswerPart, Call, Message, Model, ModelPart, ModelRequest, ToolSpec, Usage } from "../../model.ts";
import { minimalInstance } from "./minimal-instance.ts";
import { type Command, type ScriptCall, stepsOf } from "./script.ts";

const PIECE_CHARS = 16;

/**
 * `demo/script`: a model without a key and without a network that follows the script in the last message of the user and
 * calls real tools. It keeps no state: the conversation shows how far it got.
 */
export function createScriptModel({ paceMs = 4 }: { readonly paceMs?: number } = {}): Model {
  return {
    name: "demo/script",
    provider: "demo",
    windowTokens: 128_000,
    outputTokensMax: 8192,
    takesImages: true,
    price: null,
    stream: (request, signal) => play(request, signal, paceMs),
  };
}

async function* play(request: ModelRequest, signal: AbortSignal, paceMs: number): AsyncGenerator<ModelPart> {
  signal.throwIfAborted();
  let outputChars = 0;
  const calls: Call[] = [];
  const flow = spoken(commandsFor(request), request);
  for await (const piece of flow) {
    signal.throwIfAborted();
    if (piece.kind === "pause") {
      await pause(piece.ms, signal);
    } else if (piece.kind === "part") {
      outputChars += piece.part.kind === "call" ? piece.part.input.length : piece.part.text.length;
      if (piece.part.kind === "call") calls.push(piece.part);
      yield piece;
    } else {
      if (paceMs > 0) await pause(paceMs, signal);
      yield piece;
    }
  }
  yield { kind: "end", stop: calls.length > 0 ? "tool_calls" : "stop", usage: usageFor(request, outputChars) };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    // Only an abort ends a sleep early; its own reason is thrown instead of the timer's.
    signal.throwIfAborted();
  }
}

type Piece = Exclude<ModelPart, { kind: "end" }> | { readonly kind: "pause"; readonly ms: number };

/** Text lines that follow each other are one part of the answer. */
function* spoken(commands: readonly Command[], request: ModelRequest): Generator<Piece> {
  let open: { readonly kind: "text" | "thought"; text: string } | null = null;
  const closed = function* (): Generator<Piece> {
    if (open !== null) yield { kind: "part", part: { ...open } };
    open = null;
  };
  const words = function* (kind: "text" | "thought", text: string): Generator<Piece> {
    if (open?.kind !== kind) yield* closed();
    const line: string = open === null ? text : `\n${text}`;
    open = { kind, text: (open?.text ?? "") + line };
    for (const piece of piecesOf(line)) yield { kind: "delta", of: kind, text: piece };
  };
  let number = callsIn(request.messages);
  for (const command of commands) {
    switch (command.do) {
      case "say":
        yield* words("text", command.text);
        break;
      case "think":
        yield* words("thought", command.text);
        break;
      case "recall":
        yield* words("text", `The code word is ${codeWords(request).at(-1) ?? "unknown"}.`);
        break;
      case "sleep":
        yield { kind: "pause", ms: command.ms };
        break;
      case "fail":
        throw command.error;
      case "call":
        yield* closed();
        number += 1;
        yield { kind: "part", part: callPart(command, number, request.tools) };
    }
  }
  yield* closed();
}

function piecesOf(text: string): readonly string[] {
  return text.match(new RegExp(`.{1,${PIECE_CHARS}}`, "gsu")) ?? [];
}

/** What the conversation asks for next. */
function commandsFor(request: ModelRequest): readonly Command[] {
  const { messages, tools, schema } = request;
  if (schema !== null) return [{ do: "say", text: JSON.stringify(minimalInstance(schema)) }];
  if (tools.length === 0) return [{ do: "say", text: summaryOf(request) }];
  const at = messages.findLastIndex(({ role }) => role === "user");
  const script = messages[at];
  if (script?.role !== "user") return [{ do: "say", text: "There is no script." }];
  const answered = messages.slice(at + 1).reduce((sum, one) => sum + (one.role === "tool" ? one.results.length : 0), 0);
  const texts = script.content.map((part) => (part.kind === "text" ? part.text : "[an image]"));
  const text = texts.filter((one) => !SUMMARY.test(one)).join("\n");
  let seen = 0;
  for (const step of stepsOf(text)) {
    if (seen >= answered) return step;
    seen += step.filter(({ do: what }) => what === "call").length;
  }
  return [{ do: "say", text: answered === 0 ? "The message is empty." : "Done." }];
}

/** A summary that the engine puts before the prompt is no part of the script. */
const SUMMARY = /<\/(?:summary|left-branch)>$/;

function callPart({ tool, input }: ScriptCall, number: number, tools: readonly ToolSpec[]): AnswerPart {
  // A script names tools shortly; a tool of a server has a longer name.
  const found = tools.find(({ name }) => name === tool) ?? tools.find(({ name }) => name.endsWith(`_${tool}`));
  return { kind: "call", callId: `call_${number}`, name: found?.name ?? tool, input };
}

function callsIn(messages: readonly Message[]): number {
  return messages.reduce((sum, { role, ...rest }) => {
    const parts = role === "assistant" && "content" in rest ? rest.content : [];
    return sum + parts.filter(({ kind }) => kind === "call").length;
  }, 0);
}

/** A request without tools asks for a summary. Code words are what tests look for behind a compaction. */
function summaryOf(request: ModelRequest): string {
  const words = [...new Set(codeWords(request))].map((word) => `CODEWORD=${word}`);
  return [`A summary of ${request.messages.length} messages.`, ...words].join(" ");
}

function codeWords({ system, messages }: ModelRequest): readonly string[] {
  const all = [system, ...messages.map(wordsOf)].join("\n");
  return [...all.matchAll(/CODEWORD=([\w-]+)/g)].map(([, word = ""]) => word);
}

function wordsOf(message: Message): string {
  if (message.role === "tool")
    return message.results
      .flatMap(({ content }) => content.map((part) => (part.kind === "text" ? part.text : "")))
      .join("\n");
  const texts = message.content.map((part) => {
    if (part.kind === "image") return "";
    return part.kind === "call" ? `${part.name} ${part.input}` : part.text;
  });
  return texts.join("\n");
}

/** Four characters a token. What the request before this one held is taken for cached. */
function usageFor(request: ModelRequest, outputChars: number): Usage {
  const { system, messages, tools } = request;
  const answer = messages.findLastIndex(({ role }) => role === "assistant");
  const head = system.length + (tools.length === 0 ? 0 : JSON.stringify(tools).length);
  const charsOf = (some: readonly Message[]): number => some.reduce((sum, one) => sum + wordsOf(one).length, 0);
  const cachedChars = answer === -1 ? 0 : head + charsOf(messages.slice(0, answer));
  const freshChars = head + charsOf(messages) - cachedChars;
  const tokens = (chars: number): number => Math.ceil(chars / 4);
  return { input: tokens(freshChars), output: tokens(outputChars), cacheRead: tokens(cachedChars), cacheWrite: 0 };
}
