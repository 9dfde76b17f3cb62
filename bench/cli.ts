import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { environment, startDaemon } from "./daemon.ts";
import { type Benchmark, type Figure, interleave, median } from "./harness.ts";

/** The time of a command of the published command line, against a Node that does nothing. */
export const cliBenchmark: Benchmark = {
  name: "cli",
  run: async ({ product, quick, scratch }) => {
    const made = await product();
    const { cli } = made;
    if (cli === null) return { skipped: "there is no command line to bundle yet (src/cli/main.ts)" };
    const home = join(scratch, "cli");
    mkdirSync(home);
    await using _daemon = await startDaemon(made, home);
    const run =
      (...args: readonly string[]) =>
      async (): Promise<number> => {
        const startMs = performance.now();
        const { status, stderr } = spawnSync(process.execPath, args, { env: environment(home), encoding: "utf8" });
        if (status !== 0) throw new Error(`${args.join(" ")} ended with ${String(status)}: ${stderr}`);
        return performance.now() - startMs;
      };
    const measurements = { version: run(cli, "version"), status: run(cli, "status"), node: run("-e", "0") };
    await interleave(2, measurements);
    const samples = await interleave(quick ? 7 : 25, measurements);
    const figure = (name: "version" | "status", ratioAtMost: number): Figure => ({
      name: `cli.${name}`,
      what: `\`nomos ${name}\` from start to end`,
      unit: "ms",
      value: median(samples[name]),
      baseline: { what: "node -e 0", value: median(samples.node) },
      aim: { ratioAtMost },
      details: { slowest: Math.max(...samples[name]), runs: samples[name].length },
    });
    return [figure("version", 1.5), figure("status", 3)];
  },
};
