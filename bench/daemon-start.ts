import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { residentMb, type Startable, startDaemon } from "./daemon.ts";
import { type Benchmark, type Figure, interleave, median } from "./harness.ts";
import { spawnNode } from "./processes.ts";

const SESSIONS = 100_000;
const START_MAX_MS = 250;
const CHECKOUT_START_MAX_MS = 600;
const IDLE_MEMORY_MAX_MB = 105;
/** Time for the daemon to give back the memory of its start. */
const SETTLE_MS = 3000;

const ROOT = join(import.meta.dirname, "..");

/** From the start of the process until /health is ok, which is after recovery; and its memory when nothing happens then. */
export const daemonStartBenchmark: Benchmark = {
  name: "daemon-start",
  run: async ({ homes, product, quick, scratch }) => {
    const count = quick ? SESSIONS / 10 : SESSIONS;
    const { home } = await homes.sessions(count);
    const newHome = (name: string): string => madeFolder(join(scratch, `daemon-start-${name}`));
    const empty = newHome("empty");
    const start = (made: Startable, from: string) => async () => {
      await using daemon = await startDaemon(made, from);
      return daemon.startMs;
    };
    const made = await product();
    buildCheckout();
    const measured = {
      full: start(made, home),
      empty: start(made, empty),
      checkout: start(programIn(ROOT), newHome("checkout")),
      changed: start(programIn(unbuiltCheckout(join(scratch, "unbuilt"))), newHome("changed")),
      bareNode,
    };
    await interleave(1, measured);
    const samples = await interleave(quick ? 3 : 7, measured);
    const bare = { what: "node -e 0", value: median(samples.bareNode) };
    const details = { starts: samples.full.length };
    return [
      {
        name: `daemon-start.${count}`,
        what: `from the start of the process to /health, with ${count} sessions`,
        unit: "ms",
        value: median(samples.full),
        baseline: { what: "with no session", value: median(samples.empty) },
        aim: { valueAtMost: START_MAX_MS },
        details: { ...details, slowest: Math.max(...samples.full), bareNode: bare.value },
      },
      {
        name: "daemon-start.checkout",
        what: "from the start of the process to /health, from a checkout as `npm ci` leaves it",
        unit: "ms",
        value: median(samples.checkout),
        baseline: bare,
        aim: { valueAtMost: CHECKOUT_START_MAX_MS },
        details: { ...details, afterAChangeOfTheSources: median(samples.changed) },
      },
      await idleMemory(made, empty),
    ];
  },
};

async function idleMemory(made: Startable, home: string): Promise<Figure> {
  await using daemon = await startDaemon(made, home);
  const atOnceMb = residentMb(daemon.pid);
  await sleep(SETTLE_MS);
  const value = residentMb(daemon.pid);
  const bare = spawnNode(["-e", "setInterval(() => {}, 1000)"], {});
  await sleep(1000);
  const bareMb = residentMb(bare.pid ?? 0);
  bare.kill();
  return {
    name: "daemon-start.memory",
    what: "resident memory of a daemon with no session, seconds after its start",
    unit: "MB",
    value,
    baseline: { what: "a Node that does nothing", value: bareMb },
    aim: { valueAtMost: IDLE_MEMORY_MAX_MB },
    details: { atOnce: atOnceMb },
  };
}

async function bareNode(): Promise<number> {
  const startMs = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  return performance.now() - startMs;
}

function programIn(root: string): Startable {
  return { daemonArguments: (_home, port) => [join(root, "bin", "nomos.js"), "up", "--port", String(port)] };
}

/** What `npm ci` does. */
function buildCheckout(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "tools", "build.ts")], { encoding: "utf8" });
  if (status !== 0) throw new Error(`no build: ${stderr}`);
}

/** The same sources without dist/, as after a change of one of them. */
function unbuiltCheckout(root: string): string {
  mkdirSync(root);
  cpSync(join(ROOT, "bin"), join(root, "bin"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(root, "package.json"));
  for (const name of ["src", "packages", "node_modules"]) symlinkSync(join(ROOT, name), join(root, name));
  return root;
}

function madeFolder(path: string): string {
  mkdirSync(path);
  return path;
}
