import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ApiClient, startSession } from "./api-client.ts";
import { residentMb, startDaemon } from "./daemon.ts";
import { type Benchmark, type Figure, percentile, seededRandom } from "./harness.ts";

const SESSIONS = 10_000;
const AT_A_TIME = 48;
const WOKEN = 100;
/** Long enough for a checkpoint of the write-ahead log, the search index and a garbage collection. */
const SETTLE_MS = 5000;

/** A daemon whose sessions have all run a turn and are hibernated: their cost, and how fast one wakes. */
export const hibernatedBenchmark: Benchmark = {
  name: "hibernated",
  run: async ({ product, quick, scratch, say }) => {
    const count = quick ? SESSIONS / 10 : SESSIONS;
    const home = join(scratch, "hibernated");
    mkdirSync(home);
    await using daemon = await startDaemon(await product(), home);
    const { api, pid } = daemon;
    await sleep(1000);
    const emptyMb = residentMb(pid);
    const startMs = performance.now();
    const ids = await runAndSleep(api, scratch, count);
    say(`${count} sessions ran a turn and went to sleep in ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
    const busyMb = residentMb(pid);
    await sleep(quick ? 1000 : SETTLE_MS);
    const memory: Figure = {
      name: `hibernated.${count}.memory`,
      what: `resident memory of a daemon with ${count} hibernated sessions that it ran itself`,
      unit: "MB",
      value: residentMb(pid),
      baseline: { what: "with no session", value: emptyMb },
      aim: { valueAtMost: 190 },
      details: { rightAfterTheLastTurn: busyMb },
    };
    return [memory, ...wakeFigures(count, await wakeSome(api, ids))];
  },
};

async function runAndSleep(api: ApiClient, cwd: string, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      const id = await startSession(api, cwd, "say hello");
      await api.call("POST", `/sessions/${id}/hibernate`, {});
      ids.push(id);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return ids;
}

interface Woken {
  readonly wakeMs: number;
  readonly awakeMs: number;
}

/** A prompt to a hibernated session, then the same prompt to it awake: from the request to the end of the turn. */
async function wakeSome(api: ApiClient, ids: readonly string[]): Promise<readonly Woken[]> {
  const random = seededRandom(31);
  const woken: Woken[] = [];
  for (let n = 0; n < WOKEN; n += 1) {
    const id = ids[Math.floor(random() * ids.length)] ?? "";
    const session = await api.call("GET", `/sessions/${id}`);
    if (session["state"] !== "hibernated") continue;
    woken.push({ wakeMs: await promptMs(api, id), awakeMs: await promptMs(api, id) });
  }
  return woken;
}

async function promptMs(api: ApiClient, id: string): Promise<number> {
  const startMs = performance.now();
  const { turnId } = await api.call("POST", `/sessions/${id}/prompt`, { prompt: "say hello again" });
  await api.call("GET", `/sessions/${id}/wait?turnId=${String(turnId)}`);
  return performance.now() - startMs;
}

function wakeFigures(count: number, woken: readonly Woken[]): readonly Figure[] {
  return [50, 99].map((percent) => ({
    name: `hibernated.${count}.wake.p${percent}`,
    what: `p${percent} from a prompt to the end of its turn, for one of ${count} hibernated sessions`,
    unit: "ms",
    value: percentile(
      woken.map(({ wakeMs }) => wakeMs),
      percent,
    ),
    baseline: {
      what: `p${percent}, awake`,
      value: percentile(
        woken.map(({ awakeMs }) => awakeMs),
        percent,
      ),
    },
    aim: null,
    details: { woken: woken.length },
  }));
}
