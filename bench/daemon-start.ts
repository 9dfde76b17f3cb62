import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startDaemon } from "./daemon.ts";
import { type Benchmark, interleave, median } from "./harness.ts";

const SESSIONS = 100_000;

/** From the start of the process until /health is ok, which is after recovery. */
export const daemonStartBenchmark: Benchmark = {
  name: "daemon-start",
  run: async ({ homes, product, quick, scratch }) => {
    const count = quick ? SESSIONS / 10 : SESSIONS;
    const { home } = await homes.sessions(count);
    const empty = join(scratch, "daemon-start-empty");
    mkdirSync(empty);
    const start = (from: string) => async (): Promise<number> => {
      await using daemon = await startDaemon(await product(), from);
      return daemon.startMs;
    };
    const bareNode = async (): Promise<number> => {
      const startMs = performance.now();
      spawnSync(process.execPath, ["-e", "0"]);
      return performance.now() - startMs;
    };
    await interleave(1, { warmFull: start(home), warmEmpty: start(empty) });
    const samples = await interleave(quick ? 3 : 7, { full: start(home), empty: start(empty), bareNode });
    return [
      {
        name: `daemon-start.${count}`,
        what: `from the start of the process to /health, with ${count} sessions`,
        unit: "ms",
        value: median(samples.full),
        baseline: { what: "with no session", value: median(samples.empty) },
        aim: { valueAtMost: 500 },
        details: {
          slowest: Math.max(...samples.full),
          bareNode: median(samples.bareNode),
          starts: samples.full.length,
        },
      },
    ];
  },
};
