import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startSession } from "./api-client.ts";
import { startDaemon } from "./daemon.ts";
import { type Benchmark, interleave, median, percentile, timedMs } from "./harness.ts";
import { openMcpClient } from "./mcp-client.ts";

const ROUNDS = 40;
const CALLS_PER_ROUND = 50;

/** The same syscall as a tool over `/mcp` and as a route: what the protocol adds. */
export const mcpBenchmark: Benchmark = {
  name: "mcp",
  run: async ({ product, quick, scratch }) => {
    const home = join(scratch, "mcp");
    mkdirSync(home);
    await using daemon = await startDaemon(await product(), home);
    const id = await startSession(daemon.api, scratch, "say hello");
    const mcp = await openMcpClient(daemon.port, daemon.token);
    try {
      const measurements = {
        mcp: () => callMs(() => mcp.callTool("session_show", { id })),
        http: () => callMs(() => daemon.api.call("GET", `/sessions/${id}`)),
      };
      await interleave(3, measurements);
      const samples = await interleave(quick ? ROUNDS / 4 : ROUNDS, measurements);
      return [
        {
          name: "mcp.session-show",
          what: "tools/call session_show over /mcp with a session, one call after the other",
          unit: "ms",
          value: median(samples.mcp),
          baseline: { what: "GET /sessions/:id", value: median(samples.http) },
          aim: { ratioAtMost: 2.5 },
          details: { p99: percentile(samples.mcp, 99), calls: samples.mcp.length * CALLS_PER_ROUND },
        },
      ];
    } finally {
      mcp.close();
    }
  },
};

async function callMs(call: () => Promise<unknown>): Promise<number> {
  const takenMs = await timedMs(async () => {
    for (let calls = 0; calls < CALLS_PER_ROUND; calls += 1) await call();
  });
  return takenMs / CALLS_PER_ROUND;
}
