import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { EngineCall, TurnLimits } from "../../src/engine/link/protocol.ts";
import type { Link } from "../../src/engine/loop/link.ts";
import { runTurn } from "../../src/engine/loop/run-turn.ts";
import type { TurnState } from "../../src/engine/loop/turn-state.ts";
import type { AnswerPart, Call, Message, Model, ModelRequest, Usage } from "../../src/engine/model.ts";
import { createPoints, type PointFailure } from "../../src/engine/points/index.ts";
import { createBreaker } from "../../src/engine/providers/index.ts";
import type { AnyTool, Tool, ToolResult } from "../../src/engine/tool.ts";
import { createPathLocks, toolSpecs } from "../../src/engine/tools/index.ts";
import { createLoopGuard } from "../../src/engine/view/loop-guard.ts";
import { createTranscript } from "../../src/engine/view/transcript.ts";
import type { DriverFact, Fact, Json } from "../../src/kernel/index.ts";

/** What the model answers in one step; an error is thrown instead. */
export type Answer = { readonly parts: readonly AnswerPart[]; readonly usage?: Usage } | Error;

export interface TurnHere {
  readonly points: TurnState["points"];
  readonly failures: readonly PointFailure[];
  /** Every request that the model got. */
  readonly requests: readonly ModelRequest[];
  /** The model of each request. */
  readonly asked: readonly string[];
  /** How often and for how long a turn asked to be parked. */
  readonly parks: readonly { readonly waitMs: number; readonly reason: string }[];
  /** Every fact of the session, in the order of the log. */
  readonly log: readonly Fact[];
  /** Records the end of a turn that has thrown. */
  readonly end: (outcome: "failed", code: string) => void;
  /** Runs one more turn with the next answers. */
  readonly run: (prompt: string, answers: readonly Answer[]) => Promise<void>;
}

/** The engine's loop in this process: own tools, own points, a model that answers as told, and a log in memory. */
export function turnHere(how: TurnHereHow = {}): TurnHere {
  const { tools = [], windowTokens = 200_000, limits = {} } = how;
  const log: Fact[] = [];
  const asked: string[] = [];
  const parks: { readonly waitMs: number; readonly reason: string }[] = [];
  const requests: ModelRequest[] = [];
  const failures: PointFailure[] = [];
  const points = createPoints((failure) => failures.push(failure));
  const transcript = createTranscript();
  const session = { transcript, pathKey: "p", upTo: 0, own: new Set<string>(), locks: createPathLocks() };
  const named: ReadonlyMap<string, AnyTool> = new Map(tools.map((tool) => [tool.name, tool]));
  let answers: readonly Answer[] = [];
  let turns = 0;

  const place = (fact: Fact) => {
    log.push(fact);
    return { id: `e${log.length}`, seq: log.length, at: AT };
  };
  const serve = async (call: EngineCall): Promise<unknown> => {
    await sleep(0);
    switch (call.do) {
      case "record":
        return call.facts.map((fact) => place(asFact(fact)));
      case "step": {
        const before = call.before.map((fact) => place(asFact(fact)));
        const data = { turnId: `t${turns}`, ...call.step, steers: [] };
        return { before, at: place({ type: "step.started@1", data }), steers: [] };
      }
      case "steered":
        return false;
      case "redact":
        return call.texts;
      case "keep":
        return { text: call.text, blob: null, bytes: Buffer.byteLength(call.text) };
      case "known":
        return null;
      case "park":
        parks.push(call);
        place(parked(`t${turns}`, call.waitMs, call.reason));
        return null;
      default:
        throw new Error(`no ${call.do} here`);
    }
  };
  const modelNamed = (name: string): Model => ({
    ...{
      name,
      provider: name.split("/")[0] ?? "",
      windowTokens,
      outputTokensMax: 8192,
      takesImages: true,
      price: null,
    },
    stream: async function* (request) {
      asked.push(name);
      requests.push({ ...request, messages: structuredClone(request.messages) as readonly Message[] });
      const [next, ...rest] = answers;
      answers = rest;
      await sleep(0);
      if (next === undefined) throw new Error("the model was asked once too often");
      if (next instanceof Error) throw next;
      for (const part of next.parts) yield { kind: "part", part };
      const stop = next.parts.some(({ kind }) => kind === "call") ? "tool_calls" : "stop";
      yield { kind: "end", stop, usage: next.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
    },
  });
  const model = modelNamed("test/scripted");
  const models = [model, ...(how.fallbacks ?? []).map(modelNamed)];
  const summaryModel = how.summaryModel === undefined ? null : modelNamed(how.summaryModel);
  const breaker = createBreaker({ nowMs: Date.now });

  const run = async (prompt: string, given: readonly Answer[]): Promise<void> => {
    turns += 1;
    answers = given;
    const turnId = `t${turns}`;
    const link: Link = {
      signal: new AbortController().signal,
      stream: () => undefined,
      call: (call) => serve(call) as Promise<Json>,
    };
    for (const fact of [
      { type: "turn.admitted@1", data: { turnId, prompt, blob: null, bytes: prompt.length, queued: false } },
      { type: "turn.started@1", data: { turnId } },
    ] as unknown as readonly Fact[])
      transcript.add({ ...place(fact), fact });
    const state: TurnState = {
      order: {
        ...{ sessionId: "s", turnId, cwd: "/", prompt, models: [], summaryModel: null, system: [] },
        limits: { ...LIMITS, ...limits },
        ...{ isResumed: false, pathKey: "p", after: null, events: [], served: [] },
      },
      ...{ link, session, tools: named, specs: toolSpecs(tools), points, model, models, summaryModel },
      guard: createLoopGuard({ stepsMax: 50 }),
      todo: { items: [] },
      breakerOf: () => breaker,
      clock: { nowMs: Date.now, random: () => 0, sleep: async () => undefined },
      newId: () => `n${log.length}`,
      ...{ unsent: [], unrecorded: [], early: new Map(), recording: Promise.resolve(), limit: null },
      spent: { microUsd: 0 },
    };
    await runTurn(state);
    const end = { type: "turn.ended@1", data: { turnId, outcome: "completed", error: null } } as unknown as Fact;
    transcript.add({ ...place(end), fact: end });
  };
  const end = (outcome: string, code: string): void => {
    const error = { code, message: code };
    const fact = { type: "turn.ended@1", data: { turnId: `t${turns}`, outcome, error } } as unknown as Fact;
    transcript.add({ ...place(fact), fact });
  };
  return { points, failures, requests, asked, parks, log, run, end };
}

export interface TurnHereHow {
  readonly tools?: readonly AnyTool[];
  readonly windowTokens?: number;
  readonly limits?: Partial<TurnLimits>;
  /** Names of models that are tried after the first one, and of the one that writes summaries. All share the answers. */
  readonly fallbacks?: readonly string[];
  readonly summaryModel?: string;
}

const LIMITS: TurnLimits = {
  stepsMax: 50,
  budgetMicroUsd: null,
  thinking: "off",
  compaction: { isEnabled: true, strategy: "summary", reserveTokens: null, keepRecentTokens: null },
  schema: null,
};

/** In the log of this file all events are of the same moment. */
function parked(turnId: string, waitMs: number, reason: string): Fact {
  const until = new Date(Date.parse(AT) + waitMs).toISOString();
  return { type: "quota.reached@1", data: { turnId, until, reason, onReset: "resume", nextTurnId: "next" } };
}

const AT = "2026-01-01T00:00:00.000Z";

function asFact(fact: DriverFact): Fact {
  return fact;
}

/** A tool that takes one word. */
export function wordTool(name: string, run: (word: string) => Promise<ToolResult>, more: Partial<Tool> = {}): AnyTool {
  const input = z.strictObject({ word: z.string().min(1) });
  return {
    ...{ name, description: name, input, permission: "none", redo: "failed", mode: "parallel", title: () => name },
    run: ({ word }: { readonly word: string }) => run(word),
    ...more,
  } as unknown as AnyTool;
}

export function result(text: string, more: Partial<ToolResult> = {}): ToolResult {
  return { content: [{ kind: "text", text }], isError: false, ...more };
}

let calls = 0;

export function callOf(name: string, input: object | string): Call {
  calls += 1;
  return {
    kind: "call",
    callId: `call-${calls}`,
    name,
    input: typeof input === "string" ? input : JSON.stringify(input),
  };
}

export function saying(text: string, usage?: Usage): Answer {
  return { parts: [{ kind: "text", text }], ...(usage === undefined ? {} : { usage }) };
}

export function doing(...parts: readonly AnswerPart[]): Answer {
  return { parts };
}

/** Texts of the results in a request, in order. */
export function resultTexts(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).flatMap((message) =>
    message.role === "tool"
      ? message.results.map(({ content }) => content.map((part) => (part.kind === "text" ? part.text : "")).join(""))
      : [],
  );
}
