import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { uuidv7Maker } from "../../domains/index.ts";
import type { Json } from "../../kernel/index.ts";
import type { EngineCall, FromEngine, ModelRef, ServedSpec, ToEngine, TurnEnd, TurnOrder } from "../link/protocol.ts";
import { CallError, type Link } from "../loop/link.ts";
import { runTurn } from "../loop/run-turn.ts";
import { Parked, TurnFailure } from "../loop/turn-failure.ts";
import type { LoopClock, TurnState } from "../loop/turn-state.ts";
import type { Model } from "../model.ts";
import { createPoints } from "../points/index.ts";
import { createModel, testModel, warmUp } from "../providers/index.ts";
import { servedTools, TOOLS, toolSpecs } from "../tools/index.ts";
import { createLoopGuard } from "../view/loop-guard.ts";
import { createAsking } from "./ask-apart.ts";
import { askedToken } from "./asked-token.ts";
import { createBreakers } from "./breakers.ts";
import { keepModels } from "./keep-models.ts";
import { createMemories, recallSession } from "./memories.ts";
import { steadyNowMs } from "./steady-now.ts";

interface Waiting {
  readonly resolve: (value: Json) => void;
  readonly reject: (error: Error) => void;
}

/** What a simulation replaces. */
export interface EngineSideParts {
  readonly clock: LoopClock;
  readonly createModel: typeof createModel;
  readonly newId: () => string;
}

/** The engine's end of the line protocol: runs turns and answers the daemon. */
export function createEngineSide(
  send: (message: FromEngine) => void,
  { clock, newId, ...parts }: EngineSideParts = realParts(),
): { readonly hear: (message: ToEngine) => void } {
  const waiting = new Map<number, Waiting>();
  const aborts = new Map<number, AbortController>();
  const memories = createMemories();
  const breakers = createBreakers(clock, (all) => send({ kind: "breakers", breakers: all }));
  const own = toolsWith([]);
  let calls = 0;

  const linkOf = (run: number, signal: AbortSignal): Link => ({
    signal,
    stream: (text, of) => send({ kind: "stream", run, text, of }),
    call: (call: EngineCall) => {
      calls += 1;
      const id = calls;
      const { promise, resolve, reject } = Promise.withResolvers<Json>();
      waiting.set(id, { resolve, reject });
      send({ kind: "call", run, id, call });
      return promise;
    },
  });

  const modelFor = keepModels(({ name, settings }) => parts.createModel(name, settings));
  const modelOf = (link: Link, ref: ModelRef): Promise<Model> => {
    const { name, settings, hasToken } = ref;
    if (hasToken !== true) return modelFor(ref);
    return parts.createModel(name, settings, { token: () => askedToken(link, name) });
  };

  const begin = async (link: Link, order: TurnOrder): Promise<TurnState> => {
    const session = await recallSession(memories, link, order);
    const before = session.transcript.standing();
    const models = await Promise.all(order.models.map((ref) => modelOf(link, ref)));
    const [model] = models;
    if (model === undefined) throw new TurnFailure("no_model", "No model is configured.");
    return {
      ...{ order, link, session, models, model, newId },
      ...(order.served.length === 0 ? own : toolsWith(order.served)),
      summaryModel: order.summaryModel === null ? null : await modelOf(link, order.summaryModel),
      guard: createLoopGuard({ stepsMax: order.limits.stepsMax, stepsBefore: before.answers }),
      points: createPoints(({ point, error }) => send({ kind: "said", text: `${point}: ${error.message}` })),
      todo: { items: session.transcript.todo() },
      breakerOf: breakers.of,
      clock,
      unsent: [],
      unrecorded: [],
      recording: Promise.resolve(),
      early: new Map(),
      limit: null,
      spent: { microUsd: before.costMicroUsd },
    };
  };

  const run = async (number: number, order: TurnOrder): Promise<void> => {
    const abort = new AbortController();
    aborts.set(number, abort);
    const link = linkOf(number, abort.signal);
    let end: TurnEnd = { is: "done" };
    try {
      await runTurn(await begin(link, order));
    } catch (thrown) {
      end = endOf(thrown, abort.signal);
      // What the transcript holds may be ahead of the log after a refused call.
      if (end.is === "failed" && !(thrown instanceof TurnFailure)) memories.drop(order.sessionId);
    }
    aborts.delete(number);
    send({ kind: "end", run: number, end });
  };

  const ask = createAsking({
    ...{ aborts, clock, send, breakerOf: breakers.of },
    modelOf: (ref, token) =>
      token === null ? modelFor(ref) : parts.createModel(ref.name, ref.settings, { token: async () => token }),
  });

  return {
    hear: (message) => {
      switch (message.kind) {
        case "turn":
          void run(message.run, message.order);
          return;
        case "answer":
          waiting.get(message.id)?.resolve(message.value);
          waiting.delete(message.id);
          return;
        case "refusal":
          waiting.get(message.id)?.reject(new CallError(message.code, message.message));
          waiting.delete(message.id);
          return;
        case "abort":
          aborts.get(message.run)?.abort(new Error("interrupted"));
          return;
        case "forget":
          memories.drop(message.sessionId);
          return;
        case "test":
          void test(message, send);
          return;
        case "ask":
          void ask(message);
          return;
        case "warm":
          warmUp(message.model).catch(() => undefined);
          return;
        case "ping":
          send({ kind: "pong", n: message.n });
      }
    },
  };
}

/** The built-in tools come first: the beginning of a prompt that stays the same is cached. One of the same name hides. */
function toolsWith(served: readonly ServedSpec[]): Pick<TurnState, "tools" | "specs"> {
  const names = new Set(TOOLS.map(({ name }) => name));
  const all = [...TOOLS, ...servedTools(served.filter(({ name }) => !names.has(name)))];
  return { tools: new Map(all.map((tool) => [tool.name, tool])), specs: toolSpecs(all) };
}

function realParts(): EngineSideParts {
  return {
    clock: {
      nowMs: steadyNowMs,
      random: Math.random,
      sleep: async (ms, signal) => void (await sleep(ms, null, { signal })),
    },
    createModel,
    newId: uuidv7Maker({ nowMs: Date.now, random: () => randomBytes(10) }),
  };
}

function endOf(thrown: unknown, signal: AbortSignal): TurnEnd {
  if (thrown instanceof Parked) return { is: "parked" };
  if (signal.aborted) return { is: "done" };
  if (thrown instanceof TurnFailure || thrown instanceof CallError)
    return { is: "failed", code: thrown.code, message: thrown.message };
  const message = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { is: "failed", code: "engine_failed", message };
}

async function test(
  { id, model: { name, settings }, token, keyFrom }: Extract<ToEngine, { kind: "test" }>,
  send: (message: FromEngine) => void,
): Promise<void> {
  const startedMs = Date.now();
  const tested = await createModel(name, settings, token === null ? {} : { token: async () => token })
    .then((model) => testModel(model, { settings: { ...settings, key: token ?? settings.key }, keyFrom }))
    .catch((thrown: unknown) => ({
      ok: false,
      ms: Date.now() - startedMs,
      firstTokenMs: null,
      says: thrown instanceof Error ? thrown.message : String(thrown),
    }));
  send({ kind: "tested", id, test: { ...tested, model: name } });
}
