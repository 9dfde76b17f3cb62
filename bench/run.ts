/**
 * `npm run bench -- [--only name,...] [--quick]`, or `npm run bench -- peers`: measures the figures of
 * docs/reference/performance.md, each against a baseline of the same run, and rewrites that page. A missed aim is shown
 * and does not fail the run. Peers run only when named, because they are installed first.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ackBenchmark } from "./ack.ts";
import { agentMemoryBenchmark } from "./agent-memory.ts";
import { agentTurnBenchmark } from "./agent-turn.ts";
import { appendBenchmark } from "./append.ts";
import { auditBenchmark } from "./audit.ts";
import { backupBenchmark } from "./backup.ts";
import { blameBenchmark } from "./blame.ts";
import { boardBenchmark } from "./board.ts";
import { chatBenchmark } from "./chat.ts";
import { cliBenchmark } from "./cli.ts";
import { daemonStartBenchmark } from "./daemon-start.ts";
import { dashboardBenchmark } from "./dashboard.ts";
import { driftBenchmark } from "./drift.ts";
import { engineBenchmark } from "./engine/engine.ts";
import { fanOutBenchmark } from "./fan-out.ts";
import { forkBenchmark } from "./fork.ts";
import { gateBenchmark } from "./gate.ts";
import type { Bench, Benchmark } from "./harness.ts";
import { hibernatedBenchmark } from "./hibernated.ts";
import { createHomes } from "./homes.ts";
import { landingBenchmark } from "./landing.ts";
import { lawBenchmark } from "./law.ts";
import { leasesBenchmark } from "./leases.ts";
import { listSearchBenchmark } from "./list-search.ts";
import { mcpBenchmark } from "./mcp.ts";
import { mcpServersBenchmark } from "./mcp-servers.ts";
import { createPackager } from "./package.ts";
import { peersBenchmark } from "./peers/peers.ts";
import { postgresBenchmark } from "./postgres.ts";
import { radarBenchmark } from "./radar.ts";
import { redactionBenchmark } from "./redaction.ts";
import { replayBenchmark } from "./replay.ts";
import { writeReport } from "./report.ts";
import { describeMachine, type Result, resultOf, writeResult } from "./results.ts";
import { resumeBenchmark } from "./resume.ts";
import { showSessionBenchmark } from "./show-session.ts";
import { snapshotsBenchmark } from "./snapshots.ts";
import { summaryTable } from "./table.ts";
import { ticketsBenchmark } from "./tickets.ts";
import { wallsBenchmark } from "./walls.ts";
import { worktreeBenchmark } from "./worktree.ts";

const BENCHMARKS: readonly Benchmark[] = [
  gateBenchmark,
  redactionBenchmark,
  appendBenchmark,
  ackBenchmark,
  showSessionBenchmark,
  mcpBenchmark,
  mcpServersBenchmark,
  fanOutBenchmark,
  resumeBenchmark,
  forkBenchmark,
  snapshotsBenchmark,
  listSearchBenchmark,
  daemonStartBenchmark,
  hibernatedBenchmark,
  auditBenchmark,
  agentTurnBenchmark,
  agentMemoryBenchmark,
  backupBenchmark,
  cliBenchmark,
  boardBenchmark,
  chatBenchmark,
  dashboardBenchmark,
  replayBenchmark,
  postgresBenchmark,
  wallsBenchmark,
  worktreeBenchmark,
  radarBenchmark,
  driftBenchmark,
  lawBenchmark,
  landingBenchmark,
  blameBenchmark,
  leasesBenchmark,
  ticketsBenchmark,
];

/** Not part of a run that names nothing. */
const ON_DEMAND: readonly Benchmark[] = [peersBenchmark, engineBenchmark];

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

process.exitCode = await main();

async function main(): Promise<number> {
  const { only, quick } = readArguments();
  const known = [...BENCHMARKS, ...ON_DEMAND];
  const unknown = only.filter((name) => known.every((benchmark) => benchmark.name !== name));
  if (unknown.length > 0) {
    console.error(`no such benchmark: ${unknown.join(", ")}; there are ${known.map(({ name }) => name).join(", ")}`);
    return EXIT_USAGE;
  }
  const chosen = only.length === 0 ? BENCHMARKS : known.filter(({ name }) => only.includes(name));
  const scratch = mkdtempSync(join(process.env["NOMOS_BENCH_DIR"] ?? tmpdir(), "nomos-bench-"));
  const leave = () => rmSync(scratch, { recursive: true, force: true });
  process.once("exit", leave);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(EXIT_INTERRUPTED));
  return runAll(chosen, { quick, scratch, homes: createHomes(scratch), product: createPackager(scratch), say });
}

async function runAll(chosen: readonly Benchmark[], bench: Bench): Promise<number> {
  const startMs = performance.now();
  const machine = describeMachine(bench.scratch);
  const results: Result[] = [];
  const failed: string[] = [];
  for (const benchmark of chosen) {
    const benchmarkStartMs = performance.now();
    const scene = { machine, loadAverage: loadavg()[0] ?? 0 };
    try {
      const result = resultOf(benchmark.name, await benchmark.run(bench), scene);
      writeResult(result, bench.quick);
      results.push(result);
    } catch (cause) {
      failed.push(benchmark.name);
      console.error(`${benchmark.name} failed:`, cause);
    }
    say(`${benchmark.name} took ${seconds(performance.now() - benchmarkStartMs)}`);
  }
  if (!bench.quick) writeReport();
  console.log(`\n${summaryTable(results)}\n`);
  if (bench.quick) console.log("Quick figures: smaller sizes, fewer rounds; not to be quoted.");
  console.log(`${chosen.length} benchmarks in ${seconds(performance.now() - startMs)}`);
  if (failed.length > 0) console.error(`not measured because they failed: ${failed.join(", ")}`);
  return failed.length > 0 ? EXIT_FAILED : 0;
}

function readArguments(): {
  readonly only: readonly string[];
  readonly quick: boolean;
} {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: "string", default: "" },
      quick: { type: "boolean", default: false },
    },
  });
  const only = values.only.split(",").filter((name) => name !== "");
  return { only: [...only, ...positionals], quick: values.quick };
}

function say(line: string): void {
  console.log(`- ${line}`);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
