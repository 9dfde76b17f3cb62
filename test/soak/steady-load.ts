import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type StormDaemon, startStormDaemon } from "../support/storm-daemon.ts";
import type { Findings, Trend } from "./long-run.ts";

const WORKERS = 4;
const TURNS_PER_SESSION = 4;
const PAUSE_MS = 20;
const SAMPLES = 720;
const SAMPLE_MIN_MS = 1000;
const KEPT_SAMPLES = 60;
/** Memory used for the first pass over everything is not a leak. */
const WARM_UP_SHARE = 0.25;

/** How far the fitted line may rise over a run and still count as flat: more than noise, less than any leak of an hour. */
const RISE_MAX = { memory: 12, "open files": 4, "event-loop lag": 10 } as const;
const UNITS = { memory: "MB", "open files": "files", "event-loop lag": "ms" } as const;
type Measured = keyof typeof UNITS;

interface Sample extends Readonly<Record<Measured, number>> {
  readonly atMs: number;
}

/** Sessions come and go for a long time: whether the daemon's memory, open files or lag grow with the work done. */
export async function soakSteadily(forMs: number): Promise<Findings> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-steady-")));
  const cwd = join(folder, "work");
  await mkdir(cwd);
  const daemon = await startStormDaemon(join(folder, "home"));
  const startMs = performance.now();
  const isOver = () => performance.now() - startMs >= forMs || daemon.child.exitCode !== null;
  const samples: Sample[] = [];
  let turns = 0;
  const work = async (): Promise<void> => {
    while (!isOver()) turns += await playSession(daemon, cwd);
  };
  const watch = async (): Promise<void> => {
    while (!isOver()) {
      samples.push({ atMs: performance.now() - startMs, ...(await measure(daemon)) });
      await sleep(Math.max(SAMPLE_MIN_MS, forMs / SAMPLES));
    }
  };
  try {
    await Promise.all([watch(), ...Array.from({ length: WORKERS }, work)]);
    const { exitCode } = await daemon.term();
    const trends = Object.fromEntries(MEASURED.map((what) => [what, trendOf(samples, what)]));
    const rising = MEASURED.filter((what) => trends[what]?.isFlat === false);
    const failures = [
      ...(exitCode === 0 ? [] : [`the daemon ended with ${exitCode}`]),
      ...rising.map((what) => `${what} is not flat`),
    ];
    return { counts: { turns, sessions: turns / TURNS_PER_SESSION, samples: samples.length }, failures, trends };
  } finally {
    daemon.child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
}

const MEASURED: readonly Measured[] = ["memory", "open files", "event-loop lag"];

/** A session from start to end, with a hibernation in between. */
async function playSession({ call }: StormDaemon, cwd: string): Promise<number> {
  const { id } = (await call<{ id: string }>("POST", "/sessions/agent", { adapter: "demo", cwd })).body;
  for (let turn = 0; turn < TURNS_PER_SESSION; turn += 1) {
    if (turn === 2) await call("POST", `/sessions/${id}/hibernate`, {});
    const { body } = await call<{ turnId: string }>("POST", `/sessions/${id}/prompt`, { prompt: "say hello again" });
    const { status } = await call("GET", `/sessions/${id}/wait?turnId=${body.turnId}`);
    if (status !== 200) throw new Error(`turn ${body.turnId} of ${id} was answered with ${status}`);
    await sleep(PAUSE_MS);
  }
  await call("POST", `/sessions/${id}/kill`, {});
  return TURNS_PER_SESSION;
}

async function measure({ pid, call }: StormDaemon): Promise<Readonly<Record<Measured, number>>> {
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  const { metrics } = (await call<{ metrics: string }>("GET", "/api/metrics")).body;
  const lag = /^nomos_event_loop_lag_seconds\{stat="p99"\} (\S+)$/m.exec(metrics)?.[1];
  return {
    memory: Number(resident) / 1024,
    "open files": readdirSync(`/proc/${pid}/fd`).length,
    "event-loop lag": Number(lag) * 1000,
  };
}

function trendOf(samples: readonly Sample[], what: Measured): Trend {
  const fromMs = (samples.at(-1)?.atMs ?? 0) * WARM_UP_SHARE;
  const warm = samples.filter(({ atMs }) => atMs >= fromMs);
  const at = fittedLine(warm.map((sample) => [sample.atMs, sample[what]]));
  const [begin, end] = [at(warm.at(0)?.atMs ?? 0), at(warm.at(-1)?.atMs ?? 0)];
  const step = Math.max(1, Math.ceil(samples.length / KEPT_SAMPLES));
  return {
    unit: UNITS[what],
    begin: rounded(begin),
    end: rounded(end),
    isFlat: end - begin <= RISE_MAX[what],
    samples: samples.filter((_, n) => n % step === 0).map((sample) => rounded(sample[what])),
  };
}

/** Least squares. */
function fittedLine(points: readonly (readonly [number, number])[]): (x: number) => number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const below = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = below === 0 ? 0 : above / below;
  return (x) => meanY + slope * (x - meanX);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
