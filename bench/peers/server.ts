import { setTimeout as sleep } from "node:timers/promises";
import { environment, freePort, residentMb } from "../daemon.ts";
import { type Bench, type Figure, interleave, median } from "../harness.ts";
import type { Package } from "../package.ts";
import { ended, NODE, spawnOwned, stopped } from "../processes.ts";

/** How a server is started, and the path that says it can be used. */
export interface Launch {
  readonly argv: (port: number) => readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly health: string;
}

export interface RunningServer extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  /** From the start of the process until its first answer. */
  readonly startMs: number;
}

const ASK_EVERY_MS = 10;
/** Longer than an answer takes on a machine with far too much to do. */
const ASK_MAX_MS = 5000;
const START_MAX_MS = 120_000;
/** Time for what a server still does after its first answer. */
const SETTLE_MS = 3000;
const ROUNDS = 5;

export function nomosLaunch(product: Package, home: string): Launch {
  return {
    argv: (port) => [...NODE, ...product.daemonArguments(home, port)],
    env: environment(home),
    cwd: home,
    health: "/health",
  };
}

export async function startPeer({ argv, env, cwd, health }: Launch): Promise<RunningServer> {
  const port = await freePort();
  const startedMs = performance.now();
  const child = spawnOwned(argv(port), { env, cwd, stdio: "ignore" });
  const failed = ended(child);
  try {
    await Promise.race([firstAnswer(`http://127.0.0.1:${port}${health}`), failed]);
  } catch (cause) {
    await stopped(child);
    throw cause;
  }
  const startMs = performance.now() - startedMs;
  failed.catch(() => undefined);
  return { pid: child.pid ?? 0, port, startMs, [Symbol.asyncDispose]: () => stopped(child) };
}

/**
 * Asks anew every few ms without waiting for the request before: opencode never answers the ones that arrive while it
 * starts.
 */
async function firstAnswer(url: string): Promise<void> {
  const answered = Promise.withResolvers<void>();
  const over = new AbortController();
  const ask = async (): Promise<void> => {
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(ASK_MAX_MS)]);
    const { status } = await fetch(url, { signal });
    if (status === 200) answered.resolve();
  };
  // Refused or unanswered: the next one asks again.
  const asking = setInterval(() => ask().catch(() => undefined), ASK_EVERY_MS);
  const giveUp = () => answered.reject(new Error(`no answer after ${START_MAX_MS} ms`));
  const timer = setTimeout(giveUp, START_MAX_MS);
  try {
    await answered.promise;
  } finally {
    clearInterval(asking);
    clearTimeout(timer);
    over.abort();
  }
}

/** Both servers started in turn, with homes that were started once before. */
export async function startFigures(
  { quick }: Bench,
  name: string,
  what: string,
  launches: { readonly nomos: Launch; readonly peer: Launch },
): Promise<readonly Figure[]> {
  const start = (launch: Launch) => async (): Promise<{ readonly startMs: number; readonly idleMb: number }> => {
    await using server = await startPeer(launch);
    await sleep(SETTLE_MS);
    return { startMs: server.startMs, idleMb: residentMb(server.pid) };
  };
  const measurements = { nomos: start(launches.nomos), peer: start(launches.peer) };
  await interleave(1, measurements);
  const { nomos, peer } = await interleave(quick ? 1 : ROUNDS, measurements);
  const figure = (of: "startMs" | "idleMb"): Pick<Figure, "value" | "baseline" | "aim" | "details"> => ({
    value: median(nomos.map((sample) => sample[of])),
    baseline: { what, value: median(peer.map((sample) => sample[of])) },
    aim: { ratioAtMost: 1 },
    details: { starts: nomos.length },
  });
  return [
    {
      name: `peers.${name}.start`,
      what: "from the start of the process to its first answered health request, with no session",
      unit: "ms",
      ...figure("startMs"),
    },
    {
      name: `peers.${name}.memory`,
      what: `resident memory of that process, ${SETTLE_MS / 1000} s later`,
      unit: "MB",
      ...figure("idleMb"),
    },
  ];
}
