import type { EngineProcess } from "../../src/engine/host/engine-process.ts";
import { openEngineProcess } from "../../src/engine/host/engine-process.ts";
import { serveCalls } from "../../src/engine/host/serve-call.ts";
import type { EngineCall, FromEngine, ToEngine } from "../../src/engine/link/protocol.ts";
import { createEngineSide } from "../../src/engine/process/engine-side.ts";
import type { HostProcess } from "../../src/host/index.ts";
import type { Json, NewId } from "../../src/kernel/index.ts";
import type { Driver, TurnPort } from "../../src/turns/index.ts";
import type { Chance } from "./chance.ts";
import { type Provider, simModel } from "./sim-model.ts";
import type { Incarnation } from "./sim-store.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface SimEngineWorld {
  readonly clock: VirtualClock;
  readonly chance: Chance;
  readonly newId: NewId;
  readonly provider: Provider;
  /** How likely the engine's process dies at a line to or from it. */
  readonly engineDies: () => number;
  /** A planted bug: a run of a turn knows nothing of the runs before it. */
  readonly forgets?: boolean;
}

const NAME = "sim/model";
const SYSTEM = [{ name: "identity", source: "built-in", text: "You are simulated.", blob: null, bytes: 18 }];
const LIMITS = {
  stepsMax: 1000,
  budgetMicroUsd: null,
  thinking: "off",
  compaction: { isEnabled: true, strategy: "summary", reserveTokens: null, keepRecentTokens: null },
  schema: null,
} as const;

/** The own engine of one daemon: its real loop, line protocol and daemon's side, in a process that can die by itself. */
export function createSimEngine(world: SimEngineWorld, life: Incarnation): Driver {
  const { clock } = world;
  let current: EngineProcess | null = null;
  const running = (): EngineProcess => {
    if (current === null) {
      const begun = openEngineProcess(simProcess(world, life), {
        clock,
        log: () => undefined,
        onBreakers: () => undefined,
      });
      void begun.ended.then(() => {
        if (current === begun) current = null;
      });
      current = begun;
    }
    return current;
  };
  const runTurn = async (port: TurnPort): Promise<void> => {
    const { sessionId, turnId, prompt, past, isResumed, signal } = port;
    const engine = running();
    const events = await past.history();
    const settings = { api: "demo" } as const;
    const order = {
      ...{ sessionId, turnId, prompt, isResumed, events, after: null, pathKey: past.pathKey, cwd: port.spec.cwd },
      ...{ models: [{ name: NAME, settings }], summaryModel: null, system: SYSTEM, limits: LIMITS, served: [] },
    };
    const serve = serveCalls(port, {
      token: async () => "",
      serve: () => Promise.reject(new Error("no tools are served here")),
    });
    const call = world.forgets === true ? forgetful(serve, world.newId()) : serve;
    await engine.run(order, { call, stream: port.stream, signal });
  };
  return {
    slug: "nomos",
    summary: "",
    continuity: "native",
    actsByEffects: true,
    continues: true,
    check: async () => undefined,
    runTurn,
  };
}

function forgetful(serve: (call: EngineCall) => Promise<Json>, run: string) {
  return (call: EngineCall): Promise<Json> =>
    call.do === "known" ? Promise.resolve(null) : serve("key" in call ? { ...call, key: `${run}${call.key}` } : call);
}

/** The engine's process: lines arrive in order, each of them later, and none after its death. */
function simProcess({ clock, chance, newId, provider, engineDies }: SimEngineWorld, life: Incarnation): HostProcess {
  const printed: Uint8Array[] = [];
  const ended = Promise.withResolvers<void>();
  let news = Promise.withResolvers<void>();
  let isOver = false;
  const end = (): void => {
    isOver = true;
    news.resolve();
    ended.resolve();
  };
  const lives = (): boolean => {
    if (!isOver && !life.dead && chance.happens(engineDies())) end();
    return !isOver && (!life.dead || life.zombie);
  };
  const send = (message: FromEngine): void => {
    if (!lives()) return;
    printed.push(Buffer.from(`${JSON.stringify(message)}\n`));
    news.resolve();
  };
  const side = createEngineSide(send, {
    clock: { nowMs: clock.nowMs, random: chance.next, sleep: clock.sleep },
    createModel: async (name) => simModel(name, provider, clock, chance),
    newId,
  });
  return {
    pid: 2,
    stdin: {
      write: async (line) => {
        if (lives()) side.hear(JSON.parse(String(line)) as ToEngine);
      },
    },
    closeStdin: async () => undefined,
    output: {
      async *[Symbol.asyncIterator]() {
        while (true) {
          const bytes = printed.shift();
          if (bytes !== undefined) yield { stream: "stdout" as const, bytes };
          else if (isOver) return;
          else {
            await news.promise;
            news = Promise.withResolvers();
          }
        }
      },
    },
    exited: ended.promise.then(() => ({ exitCode: null, signal: "SIGKILL", outputDroppedBytes: 0 })),
    mark: () => [],
    endSince: async () => undefined,
    stop: async () => end(),
    [Symbol.asyncDispose]: async () => end(),
  };
}
