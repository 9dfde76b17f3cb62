import type { Clock, HostProcess } from "../../host/index.ts";
import type { Json } from "../../kernel/index.ts";
import { CutError, DriverError, type EngineErrorCode } from "../../turns/index.ts";
import type { BreakerReport, ModelTest } from "../engine.ts";
import type { EngineCall, FromEngine, ModelRef, ToEngine, TurnEnd, TurnOrder } from "../link/protocol.ts";
import { TEST_MS_MAX } from "../providers/index.ts";
import { type ApartRequests, createApartRequests } from "./apart-requests.ts";
import { readLines } from "./read-lines.ts";
import { watchAnswers } from "./watch-answers.ts";

/** One process of the engine, with the turns that run in it. */
export interface EngineProcess {
  readonly pid: number;
  /** Resolves when the turn has ended; true: it is parked. Throws a `CutError` when the process dies first. */
  readonly run: (order: TurnOrder, serve: TurnServer) => Promise<boolean>;
  readonly forget: (sessionId: string) => void;
  /** Loads what a request to this model needs. */
  readonly warm: (model: ModelRef) => void;
  readonly test: (order: TestOrder) => Promise<ModelTest>;
  /** One request that belongs to no turn. Throws a `DriverError` when the model does not answer. */
  readonly ask: ApartRequests["ask"];
  readonly turns: () => number;
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A model to test, and what the engine's process cannot know about its key. */
export type TestOrder = Omit<Extract<ToEngine, { kind: "test" }>, "kind" | "id">;

/** The daemon's side of one turn. */
export interface TurnServer {
  readonly call: (call: EngineCall) => Promise<Json>;
  readonly stream: (text: string, of: "message" | "thought") => void;
  readonly signal: AbortSignal;
}

export interface EngineProcessOptions {
  readonly clock: Clock;
  readonly onBreakers: (breakers: readonly BreakerReport[]) => void;
  readonly log: (message: string, details: object) => void;
}

interface Run {
  readonly server: TurnServer;
  readonly over: PromiseWithResolvers<TurnEnd>;
}

/** The test itself gives up sooner, and then says in a sentence what was wrong. */
const TEST_MAX_MS = TEST_MS_MAX + 30_000;
const STOP_GRACE_MS = 300;

export function openEngineProcess(process: HostProcess, options: EngineProcessOptions): EngineProcess {
  const { clock, log } = options;
  const runs = new Map<number, Run>();
  const tests = new Map<number, PromiseWithResolvers<ModelTest>>();
  const nextNumber = createCounter();
  let isOver = false;
  let why = "the engine's process ended";

  const send = (message: ToEngine): void => {
    process.stdin?.write(`${JSON.stringify(message)}\n`).catch(() => undefined);
  };
  const apart = createApartRequests(send, nextNumber);
  const serve = (run: number, id: number, call: EngineCall): void => {
    const server = runs.get(run)?.server;
    if (server === undefined) return;
    server.call(call).then(
      (value) => send({ kind: "answer", id, value }),
      (thrown: unknown) => send({ kind: "refusal", id, ...explained(thrown) }),
    );
  };
  const hear = (message: FromEngine): void => {
    watch.heard();
    switch (message.kind) {
      case "call":
        serve(message.run, message.id, message.call);
        break;
      case "stream":
        runs.get(message.run)?.server.stream(message.text, message.of);
        break;
      case "end":
        runs.get(message.run)?.over.resolve(message.end);
        break;
      case "tested":
        tests.get(message.id)?.resolve(message.test);
        break;
      case "asked":
        apart.answered(message.id, message.answer);
        break;
      case "breakers":
        options.onBreakers(message.breakers);
        break;
      case "said":
        log("the engine said", { text: message.text });
        break;
      case "ready":
      case "pong":
    }
  };
  const watch = watchAnswers(
    clock,
    (n) => send({ kind: "ping", n }),
    (silentMs) => {
      why = `the engine's process did not answer for ${silentMs / 1000} s`;
      process
        .stop({ graceMs: 0 })
        .catch((thrown: unknown) => log("the engine cannot be ended", { reason: String(thrown) }));
    },
  );
  const ended = readLines(process, hear, (text) => log("the engine said", { text }))
    .catch((thrown: unknown) => {
      why = `the engine's process sent what cannot be read: ${String(thrown)}`;
    })
    .then(async () => {
      watch.stop();
      await process.stop({ graceMs: 0 }).catch(() => undefined);
      isOver = true;
      for (const { over } of runs.values()) over.reject(new CutError(why));
      for (const test of tests.values()) test.reject(new DriverError("engine_failed", why));
      apart.end(new DriverError("engine_failed", why));
    });

  const run: EngineProcess["run"] = async (order, server) => {
    // It may have ended while the order was made.
    if (isOver) throw new CutError(why);
    const number = nextNumber();
    const over = Promise.withResolvers<TurnEnd>();
    runs.set(number, { server, over });
    const abort = () => send({ kind: "abort", run: number });
    server.signal.addEventListener("abort", abort, { once: true });
    try {
      send({ kind: "turn", run: number, order });
      if (server.signal.aborted) abort();
      const end = await over.promise;
      if (end.is === "failed") throw new DriverError(end.code as EngineErrorCode, end.message);
      return end.is === "parked";
    } finally {
      server.signal.removeEventListener("abort", abort);
      runs.delete(number);
    }
  };

  return {
    pid: process.pid,
    run,
    ask: apart.ask,
    ended,
    turns: () => runs.size,
    forget: (sessionId) => send({ kind: "forget", sessionId }),
    warm: (model) => send({ kind: "warm", model }),
    test: async (order) => {
      if (isOver) throw new DriverError("engine_failed", why);
      const id = nextNumber();
      const over = Promise.withResolvers<ModelTest>();
      tests.set(id, over);
      const cancel = clock.after(TEST_MAX_MS, () => over.reject(endlessTest()));
      try {
        send({ kind: "test", id, ...order });
        return await over.promise;
      } finally {
        cancel();
        tests.delete(id);
      }
    },
    stop: async () => {
      why = "the daemon stops";
      await process.stop({ graceMs: STOP_GRACE_MS });
      await ended;
    },
  };
}

function endlessTest(): DriverError {
  return new DriverError("engine_failed", "the engine's process did not end the test");
}

function createCounter(): () => number {
  let last = 0;
  return () => {
    last += 1;
    return last;
  };
}

function explained(thrown: unknown): { readonly code: string; readonly message: string } {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "engine_failed";
  return { code, message: thrown instanceof Error ? thrown.message : String(thrown) };
}
