import type { HostProcess, ProcessExit } from "../../src/host/index.ts";
import type { SessionProcesses } from "../../src/supervisor/index.ts";
import { newRedactor } from "../support/redactor.ts";
import type { Chance } from "./chance.ts";
import type { Incarnation } from "./sim-store.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** What commands did to the world: it stays done, whoever dies. */
export type Outside = string[];

/** Processes that take time, leave one mark in the world, and die with their daemon. */
export function createSimProcesses(
  clock: VirtualClock,
  chance: Chance,
  outside: Outside,
  life: Incarnation,
): SessionProcesses {
  const running = new Map<string, Set<HostProcess>>();

  const spawn: SessionProcesses["spawn"] = (_spec, sessionId, argv) => {
    const ended = Promise.withResolvers<ProcessExit>();
    let over = false;
    const end = (exitCode: number | null): void => {
      if (over) return;
      over = true;
      running.get(sessionId)?.delete(process);
      ended.resolve({ exitCode, signal: exitCode === null ? "SIGKILL" : null, outputDroppedBytes: 0 });
    };
    clock.after(chance.below(30), () => {
      if (over || life.dead) return;
      outside.push(argv.at(-1) ?? "");
      clock.after(chance.below(30), () => {
        if (!life.dead) end(chance.happens(0.1) ? 1 : 0);
      });
    });
    const process: HostProcess = {
      pid: 1,
      closeStdin: async () => undefined,
      output: {
        async *[Symbol.asyncIterator]() {
          await ended.promise;
          yield { stream: "stdout" as const, bytes: Buffer.from("done\n") };
        },
      },
      exited: ended.promise,
      mark: () => [],
      endSince: async () => undefined,
      stop: async () => {
        await clock.sleep(chance.below(10));
        end(null);
      },
      [Symbol.asyncDispose]: async () => end(null),
    };
    running.set(sessionId, (running.get(sessionId) ?? new Set()).add(process));
    return process;
  };

  return {
    spawn,
    spawnDriver: (spec, sessionId, argv, env) => spawn(spec, sessionId, argv, "pipe", env),
    spawnTool: (spec, sessionId, argv) => spawn(spec, sessionId, argv, "pipe", {}),
    stopAll: async (sessionId) => {
      await Promise.all([...(running.get(sessionId) ?? [])].map((process) => process.stop()));
    },
    agents: {
      spawn: () => {
        throw new Error("no agents are simulated");
      },
      tools: () => ({ url: "", token: "", end: () => undefined }),
      redactor: newRedactor(),
    },
    livesAt: () => false,
    sessionOfToken: () => null,
    whenKeyless: () => () => undefined,
  };
}
