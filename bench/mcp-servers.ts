import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { SessionSpec } from "../src/kernel/index.ts";
import { EVERYDAY, everyday, type McpServersHere, mcpServersHere } from "../test/support/mcp-servers-here.ts";
import { type Benchmark, type Figure, interleave, median, percentile, timedMs } from "./harness.ts";

const ROUNDS = 40;
const CALLS_PER_ROUND = 100;
const SESSIONS = 20;
const SERVERS = 5;
const KB_PER_MB = 1024;
const LOOK_EVERY_MS = 50;

/** Calls of an MCP server through the pool against a bare client, and the memory of shared against private servers. */
export const mcpServersBenchmark: Benchmark = {
  name: "mcp-servers",
  run: async ({ quick }) => [await callFigure(quick), await memoryFigure(quick ? SESSIONS / 4 : SESSIONS)],
};

/** The same tool of the same program: as a session calls it, and as the official client does over pipes of its own. */
async function callFigure(quick: boolean): Promise<Figure> {
  await using here = await mcpServersHere({ every: everyday() });
  const bare = new Client({ name: "bare", version: "1" });
  await bare.connect(new StdioClientTransport({ command: process.execPath, args: [EVERYDAY], stderr: "ignore" }));
  try {
    const { tools } = await here.tools();
    const echo = tools.find(({ name }) => name === "mcp__every__echo");
    if (echo === undefined) throw new Error("the server has no tool echo");
    const call = { sessionId: "s", turnId: "t", key: "k", spec: SPEC, signal: new AbortController().signal };
    const measurements = {
      pool: () => callMs(() => echo.run({ text: "hello" }, call)),
      bare: () => callMs(() => bare.callTool({ name: "echo", arguments: { text: "hello" } })),
    };
    await interleave(3, measurements);
    const samples = await interleave(quick ? ROUNDS / 4 : ROUNDS, measurements);
    return {
      name: "mcp-servers.call",
      what: "a tool of a program, called through the pool, one call after the other",
      unit: "ms",
      value: median(samples.pool),
      baseline: { what: "the official client over pipes of its own", value: median(samples.bare) },
      aim: { ratioAtMost: 1.5 },
      details: { p99: percentile(samples.pool, 99), calls: samples.pool.length * CALLS_PER_ROUND },
    };
  } finally {
    await bare.close();
  }
}

/** Memory by proportional set size, so that pages of the runtime that all share count once. */
async function memoryFigure(sessions: number): Promise<Figure> {
  const settings = (shared: boolean) =>
    Object.fromEntries(Array.from({ length: SERVERS }, (_, at) => [`s${at}`, { ...everyday(), shared }]));
  // Once unmeasured: the library that is loaded then stays.
  await measured(settings(true), 1);
  const shared = await measured(settings(true), sessions);
  const apart = await measured(settings(false), sessions);
  return {
    name: `mcp-servers.memory-${sessions}`,
    what: `memory of ${SERVERS} servers that ${sessions} sessions share, with the daemon's side`,
    unit: "MB",
    value: shared.mb,
    baseline: { what: `${sessions} private copies of each`, value: apart.mb },
    aim: { ratioAtMost: 0.5 },
    details: { processes: shared.processes, processesApart: apart.processes },
  };
}

async function measured(
  settings: object,
  sessions: number,
): Promise<{ readonly mb: number; readonly processes: number }> {
  const beforeMb = memoryMb(process.pid);
  await using here: McpServersHere = await mcpServersHere(settings);
  for (let at = 0; at < sessions; at += 1) await here.tools(`session-${at}`);
  // With a list from before, a turn does not wait for a new process; this does.
  while (!(await isSettled(here))) await sleep(LOOK_EVERY_MS);
  const pids = (await here.notes()).map((line) => Number(line.slice("pid ".length)));
  const serversMb = pids.reduce((sum, pid) => sum + memoryMb(pid), 0);
  return { mb: serversMb + Math.max(0, memoryMb(process.pid) - beforeMb), processes: pids.length };
}

async function isSettled({ servers }: McpServersHere): Promise<boolean> {
  const all = await servers.list();
  return all.every(({ processes, sessions, shared }) => processes === (shared ? 1 : sessions));
}

function memoryMb(pid: number): number {
  const [, kb = "0"] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
  return Number(kb) / KB_PER_MB;
}

async function callMs(call: () => Promise<unknown>): Promise<number> {
  const takenMs = await timedMs(async () => {
    for (let calls = 0; calls < CALLS_PER_ROUND; calls += 1) await call();
  });
  return takenMs / CALLS_PER_ROUND;
}

/** The pool reads only the directory of it, and only for private servers. */
const SPEC = { agent: "nomos", cwd: tmpdir(), sandbox: "off" } as SessionSpec;
