import { setTimeout as sleep } from "node:timers/promises";
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { z } from "zod";
import type { Json } from "../../kernel/index.ts";
import type { AnswerPart, Meta, ModelPart, Stop } from "../model.ts";
import { errorInStream, modelError, type Subject, toModelError } from "./errors/to-model-error.ts";
import { usageOf } from "./usage.ts";

const ANSWER_CHARS_MAX = 8 * 1024 * 1024;
const ANSWER_CALLS_MAX = 1000;

export interface AnswerSubject extends Subject {
  readonly api: string;
  readonly modelId: string;
}

/**
 * The package's stream as our parts. A part is passed on when it and all that began before it are complete, so that the
 * order is that of the answer. Calls wait for the end: the packages complete a call that was cut in the middle before they
 * say that the stream is broken. Throws a `ModelError` at the first sign of a broken answer.
 */
export async function* readAnswer(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  subject: AnswerSubject,
): AsyncGenerator<ModelPart> {
  const answer = createAnswer(subject);
  const reader = stream.getReader();
  for (;;) {
    const { done, value: part } = await reader.read();
    if (done) throw modelError(subject, "malformed", "it ends in the middle");
    if (part.type === "error") throw errorPart(part.error, subject);
    if (part.type === "finish") {
      const stop = stopOf(part.finishReason, answer.hasCalls(), subject);
      yield* answer.finish();
      yield { kind: "end", stop, usage: usageOf(part.usage) };
      return await drain(reader);
    }
    yield* answer.take(part);
  }
}

/** Some formats say that they end before the connection is free again. One that is read to its end can be used again. */
async function drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  const late = new AbortController();
  const rest = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  // What comes after the end does not matter, and neither does how it breaks.
  const read = rest().catch(() => undefined);
  await Promise.race([read, sleep(DRAIN_MS_MAX, undefined, { signal: late.signal }).catch(() => undefined)]);
  late.abort();
}

const DRAIN_MS_MAX = 200;

function errorPart(error: unknown, subject: Subject): Error {
  return error instanceof Error ? toModelError(subject, error, true) : errorInStream(subject, error);
}

function stopOf({ unified, raw }: LanguageModelV4FinishReason, hasCalls: boolean, subject: Subject): Stop {
  switch (unified) {
    case "length":
      return "length";
    case "content-filter":
      return "refused";
    case "error":
    case "interrupted":
      throw modelError(subject, "malformed", raw === undefined ? "it ends in the middle" : raw);
    case "other":
      // Without a word of the provider the stream was cut; with one it is a reason that is newer than the package.
      if (raw === undefined && !hasCalls) throw modelError(subject, "malformed", "it ends in the middle");
      if (/filter|safety|refus/i.test(raw ?? "")) return "refused";
      return hasCalls ? "tool_calls" : "stop";
    case "stop":
    case "tool-calls":
      // Some endpoints say "stop" although they call, and the other way round.
      return hasCalls ? "tool_calls" : "stop";
  }
}

interface Slot {
  readonly kind: "text" | "thought" | "call";
  text: string;
  /** Of a call: how much of its input has come. */
  chars: number;
  meta: SharedV4ProviderMetadata | undefined;
  /** Null until it is complete; undefined when nothing comes of it. */
  part: AnswerPart | null | undefined;
}

function createAnswer(subject: AnswerSubject) {
  const waiting: Slot[] = [];
  const open = new Map<string, Slot>();
  const callIds = new Set<string>();
  let chars = 0;

  const grow = (length: number): void => {
    chars += length;
    if (chars > ANSWER_CHARS_MAX) throw modelError(subject, "malformed", "it is too large");
  };
  const begin = (key: string, kind: Slot["kind"], meta: SharedV4ProviderMetadata | undefined): Slot => {
    const slot: Slot = { kind, text: "", chars: 0, meta, part: null };
    waiting.push(slot);
    // Calls wait for the end, so an endless row of them is noticed here.
    if (waiting.length > ANSWER_CALLS_MAX) throw modelError(subject, "malformed", "it has too many calls");
    open.set(key, slot);
    return slot;
  };
  const slotOf = (key: string, kind: Slot["kind"]): Slot => open.get(key) ?? begin(key, kind, undefined);
  const end = (key: string, slot: Slot): void => {
    open.delete(key);
    slot.part = textPart(slot, subject);
  };
  const call = (part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): void => {
    // A tool of the provider's own, which was not asked for.
    if (part.providerExecuted === true) return;
    const key = `call ${part.toolCallId}`;
    const slot = slotOf(key, "call");
    open.delete(key);
    const callId = freshId(part.toolCallId, callIds);
    callIds.add(callId);
    grow(Math.max(0, part.input.length - slot.chars));
    const meta = metaOf(merge(slot.meta, part.providerMetadata), subject);
    slot.part = { kind: "call", callId, name: part.toolName, input: part.input, ...(meta === null ? {} : { meta }) };
  };
  /** A call comes whole at its end; until then an input that never ends is only counted. */
  const input = (id: string, length: number): void => {
    grow(length);
    const slot = open.get(`call ${id}`);
    if (slot !== undefined) slot.chars += length;
  };
  const ready = function* (isEnd: boolean): Generator<ModelPart> {
    while (waiting[0] !== undefined && waiting[0].part !== null && (isEnd || waiting[0].kind !== "call")) {
      const part = waiting.shift()?.part;
      if (part !== undefined && part !== null) yield { kind: "part", part };
    }
  };

  return {
    hasCalls: () => callIds.size > 0,
    take: function* (part: LanguageModelV4StreamPart): Generator<ModelPart> {
      const place = placeOf(part);
      if (place !== null) {
        const slot = place.step === "start" ? begin(place.key, place.kind, place.meta) : slotOf(place.key, place.kind);
        slot.meta = merge(slot.meta, place.meta);
        slot.text += place.delta;
        grow(place.delta.length);
        if (place.delta !== "" && slot.kind !== "call") yield { kind: "delta", of: slot.kind, text: place.delta };
        if (place.step === "end" && slot.kind !== "call") end(place.key, slot);
      } else if (part.type === "tool-call") call(part);
      else if (part.type === "tool-input-delta") input(part.id, part.delta.length);
      yield* ready(false);
    },
    finish: function* (): Generator<ModelPart> {
      // A call whose input never ended is no call; a text that was not closed is complete now.
      for (const [key, slot] of open) {
        if (slot.kind === "call") slot.part = undefined;
        else end(key, slot);
      }
      yield* ready(true);
    },
  };
}

interface Place {
  readonly key: string;
  readonly kind: Slot["kind"];
  readonly step: "start" | "delta" | "end";
  readonly delta: string;
  readonly meta: SharedV4ProviderMetadata | undefined;
}

function placeOf(part: LanguageModelV4StreamPart): Place | null {
  const place = (
    kind: Slot["kind"],
    step: Place["step"],
    id: string,
    delta: string,
    meta?: SharedV4ProviderMetadata,
  ) => ({
    key: `${kind} ${id}`,
    kind,
    step,
    delta,
    meta,
  });
  switch (part.type) {
    case "text-start":
      return place("text", "start", part.id, "", part.providerMetadata);
    case "text-delta":
      return place("text", "delta", part.id, part.delta, part.providerMetadata);
    case "text-end":
      return place("text", "end", part.id, "", part.providerMetadata);
    case "reasoning-start":
      return place("thought", "start", part.id, "", part.providerMetadata);
    case "reasoning-delta":
      return place("thought", "delta", part.id, part.delta, part.providerMetadata);
    case "reasoning-end":
      return place("thought", "end", part.id, "", part.providerMetadata);
    case "tool-input-start":
      return part.providerExecuted === true ? null : place("call", "start", part.id, "", part.providerMetadata);
    default:
      return null;
  }
}

/** Null for nothing: an empty text without a signature is not worth a part. */
function textPart(slot: Slot, subject: AnswerSubject): AnswerPart | undefined {
  const meta = metaOf(slot.meta, subject);
  if (slot.kind === "thought") {
    if (slot.text === "" && meta === null) return undefined;
    // Always with its origin, so that it goes back to the model that had it and to no other.
    return { kind: "thought", text: slot.text, meta: meta ?? { api: subject.api, model: subject.modelId, data: null } };
  }
  if (slot.text === "" && meta === null) return undefined;
  return { kind: "text", text: slot.text, ...(meta === null ? {} : { meta }) };
}

const Data = z.record(z.string(), z.record(z.string(), z.json()));

function metaOf(metadata: SharedV4ProviderMetadata | undefined, subject: AnswerSubject): Meta | null {
  if (metadata === undefined) return null;
  // Undefined fields are no JSON; what cannot be stored is left out.
  const read = Data.safeParse(JSON.parse(JSON.stringify(metadata)));
  if (!read.success || Object.keys(read.data).length === 0) return null;
  const data: Json = read.data;
  return { api: subject.api, model: subject.modelId, data };
}

function merge(
  before: SharedV4ProviderMetadata | undefined,
  more: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (before === undefined || more === undefined) return more ?? before;
  const names = new Set([...Object.keys(before), ...Object.keys(more)]);
  return Object.fromEntries([...names].map((name) => [name, { ...before[name], ...more[name] }]));
}

/** Endpoints leave the id out, or give two calls of one answer the same. */
function freshId(id: string, taken: ReadonlySet<string>): string {
  const base = id === "" ? "call" : id;
  if (id !== "" && !taken.has(id)) return id;
  let number = taken.size + 1;
  while (taken.has(`${base}_${number}`)) number += 1;
  return `${base}_${number}`;
}
