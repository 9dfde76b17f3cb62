import { type Message, type Model, ModelError, type ModelPart, type ModelRequest } from "../../src/engine/model.ts";
import type { Chance } from "./chance.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** The model's provider: it outlives every daemon, and remembers what it was asked. */
export interface Provider {
  /** What people said in each request, and what tools answered. */
  readonly requests: Heard[];
  /** Until then every request meets a usage limit. */
  limitedUntilMs: number;
  /** Usage limits that were met: `limit N` is met once. */
  readonly met: Set<string>;
  readonly windowTokens: number;
  /** False: no usage limit is met any more. */
  isLimiting: boolean;
}

export interface Heard {
  readonly said: string;
  readonly results: string;
}

export function newProvider(windowTokens = 200_000): Provider {
  return { requests: [], limitedUntilMs: 0, met: new Set(), windowTokens, isLimiting: true };
}

const LIMIT_MS = 90_000;

/**
 * Follows all that people said, line by line: `run COMMAND`, `ask QUESTION`, `limit NAME` (a usage limit, once), `shaky NAME`
 * (overloaded, once), and is silent about the rest. What it called once it never calls again, whatever came of it.
 */
export function simModel(name: string, provider: Provider, clock: VirtualClock, chance: Chance): Model {
  const stream = async function* (request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    provider.requests.push(heardIn(request.messages));
    await clock.sleep(chance.below(20), signal);
    if (clock.nowMs() < provider.limitedUntilMs) throw limit(provider.limitedUntilMs - clock.nowMs());
    const parts = answerTo(request, provider, clock);
    for (const part of parts) {
      await clock.sleep(chance.below(5), signal);
      yield part;
    }
    const stop = parts.length > 1 ? "tool_calls" : "stop";
    yield { kind: "end", stop, usage: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 } };
  };
  const facts = {
    name,
    provider: "sim",
    windowTokens: provider.windowTokens,
    outputTokensMax: 1000,
    takesImages: false,
  };
  return { ...facts, price: null, stream };
}

function answerTo({ messages, tools }: ModelRequest, provider: Provider, clock: VirtualClock): readonly ModelPart[] {
  const said = heardIn(messages).said;
  if (tools.length === 0) return [text("a summary")];
  const called = new Set(
    messages
      .flatMap((one) => (one.role === "assistant" ? one.content : []))
      .flatMap((part) => (part.kind === "call" ? [part.input] : [])),
  );
  for (const line of said.split("\n")) {
    const [word = "", ...words] = line.split(" ");
    const rest = words.join(" ");
    if ((word === "limit" || word === "shaky") && !provider.met.has(line)) {
      provider.met.add(line);
      if (word === "limit" && !provider.isLimiting) continue;
      if (word === "shaky") throw new ModelError("overloaded", "try again");
      provider.limitedUntilMs = clock.nowMs() + LIMIT_MS;
      throw limit(LIMIT_MS);
    }
    const tool = word === "run" ? "terminal" : word === "ask" ? "ask_user" : null;
    const input = JSON.stringify(word === "run" ? { command: rest } : { question: rest, options: ["yes", "no"] });
    // A provider that counts its calls anew in each answer.
    if (tool !== null && !called.has(input)) return [text("now"), call(tool, input)];
  }
  return [text("all is done")];
}

function limit(retryAfterMs: number): ModelError {
  return new ModelError("rate_limit", "the usage limit is reached", { retryAfterMs });
}

function text(words: string): ModelPart {
  return { kind: "part", part: { kind: "text", text: words } };
}

function call(name: string, input: string): ModelPart {
  return { kind: "part", part: { kind: "call", callId: "call_1", name, input } };
}

function heardIn(messages: readonly Message[]): Heard {
  const texts = (role: "user" | "tool") =>
    messages
      .flatMap((one) =>
        one.role === role ? (one.role === "tool" ? one.results.flatMap(({ content }) => content) : one.content) : [],
      )
      .flatMap((part) => (part.kind === "text" ? [part.text] : []))
      .join("\n");
  return { said: texts("user"), results: texts("tool") };
}
