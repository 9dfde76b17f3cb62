import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ApiClient, startSession } from "./api-client.ts";
import { residentMb, startDaemon } from "./daemon.ts";
import type { Bench, Benchmark, Figure } from "./harness.ts";

const WORKERS = 4;
const TURNS_PER_SESSION = 4;
const PAUSE_MS = 20;
const SAMPLE_MS = 1000;
/** Memory used for the first pass over everything is not a leak. */
const WARM_UP_SHARE = 0.25;
const MINUTE_MS = 60_000;

/** A daemon under steady load for a long time: whether its memory grows with the work done. */
export function soakBenchmark(minutes: number): Benchmark {
  return { name: "soak", run: (bench) => soak(bench, minutes * MINUTE_MS) };
}

async function soak({ product, scratch, say }: Bench, forMs: number): Promise<readonly Figure[]> {
  const home = join(scratch, "soak");
  mkdirSync(home);
  await using daemon = await startDaemon(await product(), home);
  const { api, pid } = daemon;
  const startMs = performance.now();
  const isOver = () => performance.now() - startMs >= forMs;
  let turns = 0;
  const work = async (): Promise<void> => {
    while (!isOver()) turns += await runSession(api, scratch);
  };
  const taken: Sample[] = [];
  const watch = async (): Promise<void> => {
    while (!isOver()) {
      const atMs = performance.now() - startMs;
      taken.push({ atMs, memoryMb: residentMb(pid), files: readdirSync(`/proc/${pid}/fd`).length });
      await sleep(SAMPLE_MS);
    }
  };
  await Promise.all([watch(), ...Array.from({ length: WORKERS }, work)]);
  say(`${turns} turns, ${taken.length} samples`);
  const warm = taken.filter(({ atMs }) => atMs >= forMs * WARM_UP_SHARE);
  return [
    slopeFigure("soak.memory", "resident memory", "MB", warm, ({ memoryMb }) => memoryMb, turns),
    slopeFigure("soak.files", "open files", "files", warm, ({ files }) => files, turns),
  ];
}

interface Sample {
  readonly atMs: number;
  readonly memoryMb: number;
  readonly files: number;
}

/** A session from start to end, with a hibernation in between. */
async function runSession(api: ApiClient, cwd: string): Promise<number> {
  const id = await startSession(api, cwd, "say hello");
  for (let turn = 1; turn < TURNS_PER_SESSION; turn += 1) {
    if (turn === 2) await api.call("POST", `/sessions/${id}/hibernate`, {});
    const { turnId } = await api.call("POST", `/sessions/${id}/prompt`, { prompt: "say hello again" });
    await api.call("GET", `/sessions/${id}/wait?turnId=${String(turnId)}`);
    await sleep(PAUSE_MS);
  }
  await api.call("POST", `/sessions/${id}/kill`, {});
  return TURNS_PER_SESSION;
}

function slopeFigure(
  name: string,
  what: string,
  unit: Figure["unit"],
  samples: readonly Sample[],
  of: (sample: Sample) => number,
  turns: number,
): Figure {
  const { slopePerMs, at } = leastSquares(samples.map((sample) => [sample.atMs, of(sample)]));
  const [first, last] = [samples.at(0)?.atMs ?? 0, samples.at(-1)?.atMs ?? 0];
  return {
    name,
    what: `${what} at the end of ${((last - first) / MINUTE_MS).toFixed(1)} minutes of steady work, on the fitted line`,
    unit,
    value: at(last),
    baseline: { what: "at the beginning, on the same line", value: at(first) },
    aim: null,
    details: { perHour: slopePerMs * 60 * MINUTE_MS, samples: samples.length, turns },
  };
}

function leastSquares(points: readonly (readonly [number, number])[]): {
  readonly slopePerMs: number;
  readonly at: (x: number) => number;
} {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const below = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slopePerMs = below === 0 ? 0 : above / below;
  return { slopePerMs, at: (x) => meanY + slopePerMs * (x - meanX) };
}
