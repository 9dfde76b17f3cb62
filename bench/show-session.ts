import { mkdirSync, readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { startSession } from "./api-client.ts";
import { startDaemon } from "./daemon.ts";
import { type Benchmark, interleave, median } from "./harness.ts";
import { startServer } from "./processes.ts";

const CONNECTIONS = 32;
const ROUND_MS = 1500;
const TICKS_PER_SECOND = 100;

/** `GET /sessions/:id` with authentication, parsing, the gate and a store read, against a route that does nothing. */
export const showSessionBenchmark: Benchmark = {
  name: "show-session",
  run: async ({ product, quick, scratch }) => {
    const home = join(scratch, "show-session");
    mkdirSync(home);
    await using daemon = await startDaemon(await product(), home);
    const id = await startSession(daemon.api, scratch, "say hello");
    const session = await daemon.api.call("GET", `/sessions/${id}`);
    await using bare = await startServer(new URL("./children/bare-hono.ts", import.meta.url), [
      JSON.stringify(session),
    ]);
    const measure = (server: Server) => (): Promise<Sample> =>
      load(server, `/sessions/${id}`, daemon.token, quick ? ROUND_MS / 3 : ROUND_MS);
    const measurements = { nomos: measure(daemon), bare: measure(bare) };
    await interleave(2, measurements);
    const samples = await interleave(quick ? 3 : 9, measurements);
    const typical = (taken: readonly Sample[], what: keyof Sample) => median(taken.map((sample) => sample[what]));
    const bareRoute = "a bare hono route with the same JSON";
    return [
      {
        name: "show-session",
        what: `GET /sessions/:id, ${CONNECTIONS} kept-alive connections of one node:http client`,
        unit: "requests/s",
        value: typical(samples.nomos, "perSecond"),
        baseline: { what: bareRoute, value: typical(samples.bare, "perSecond") },
        aim: { ratioAtLeast: 0.65 },
        details: { rounds: samples.nomos.length },
      },
      {
        name: "show-session.cpu",
        what: "processor time of the server for one of them; the client above can keep neither server busy",
        unit: "us",
        value: typical(samples.nomos, "cpuUs"),
        baseline: { what: bareRoute, value: typical(samples.bare, "cpuUs") },
        aim: null,
        details: {},
      },
    ];
  },
};

interface Server {
  readonly port: number;
  readonly pid: number;
}

interface Sample {
  readonly perSecond: number;
  readonly cpuUs: number;
}

async function load({ port, pid }: Server, path: string, token: string, forMs: number): Promise<Sample> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const options = { host: "127.0.0.1", port, path, agent, headers: { authorization: `Bearer ${token}` } };
  const startMs = performance.now();
  const cpuBefore = cpuTicks(pid);
  let requests = 0;
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      get(options, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`answered with ${answer.statusCode}`));
        answer.resume();
        answer.on("end", resolve);
      }).on("error", reject);
    });
  const askOn = async (): Promise<void> => {
    while (performance.now() - startMs < forMs) {
      await ask();
      requests += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, askOn));
  const seconds = (performance.now() - startMs) / 1000;
  const cpuUs = ((cpuTicks(pid) - cpuBefore) / TICKS_PER_SECOND) * 1_000_000;
  agent.destroy();
  return { perSecond: requests / seconds, cpuUs: cpuUs / requests };
}

/** User and system time of a process, all threads, in kernel ticks. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}
