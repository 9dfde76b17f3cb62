import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "./api-client.ts";
import { residentMb, startDaemon } from "./daemon.ts";
import { homeWithFakeAgent } from "./fake-agents.ts";
import type { Benchmark } from "./harness.ts";

const SESSIONS = 100;
const AT_A_TIME = 8;
const MB_PER_SESSION_MAX = 1;
/** Time for a garbage collection and a checkpoint of the write-ahead log. */
const SETTLE_MS = 3000;

/** The daemon's own memory for sessions with running agents; the agents' memory does not count. */
export const agentMemoryBenchmark: Benchmark = {
  name: "agent-memory",
  run: async ({ product, quick, scratch }) => {
    const count = quick ? SESSIONS / 10 : SESSIONS;
    const work = join(scratch, "agent-memory-work");
    mkdirSync(work);
    await using daemon = await startDaemon(await product(), homeWithFakeAgent(scratch, "agent-memory"));
    const { api, pid } = daemon;
    await liveSession(api, work);
    await sleep(SETTLE_MS);
    const oneMb = residentMb(pid);
    let begun = 1;
    const begin = async (): Promise<void> => {
      while (begun < count) {
        begun += 1;
        await liveSession(api, work);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, begin));
    await sleep(SETTLE_MS);
    const allMb = residentMb(pid);
    return [
      {
        name: `agent-memory.${count}`,
        what: `resident memory of the daemon with ${count} agents running, each after its first turn`,
        unit: "MB",
        value: allMb,
        baseline: { what: "with one", value: oneMb },
        aim: { valueAtMost: oneMb + (count - 1) * MB_PER_SESSION_MAX },
        details: { perSessionMb: Number(((allMb - oneMb) / (count - 1)).toFixed(3)) },
      },
    ];
  },
};

async function liveSession(api: ApiClient, cwd: string): Promise<void> {
  const { id } = await api.call("POST", "/sessions/agent", { adapter: "fake", cwd, prompt: "say hello" });
  await api.call("GET", `/sessions/${String(id)}/wait`);
}
