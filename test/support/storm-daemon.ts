import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { storeEnvironment } from "./chosen-store.ts";
import { BIN } from "./product.ts";

const START_MAX_MS = 90_000;
const POLL_MS = 10;
const GONE_MAX_MS = 5000;

export interface StormAnswer<T> {
  readonly status: number;
  readonly body: T;
}

/** The real daemon, to be killed. Not bound to a test, because `npm run soak` uses it too. */
export interface StormDaemon {
  readonly home: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** From the start of the process to the first `ok` of health. */
  readonly upMs: number;
  /** Rejects when the daemon is gone. */
  readonly call: <T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ) => Promise<StormAnswer<T>>;
  readonly kill9: () => Promise<void>;
  /** SIGTERM; resolves with the exit code and the time it took. */
  readonly term: () => Promise<{ readonly exitCode: number | null; readonly ms: number }>;
  readonly exited: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
  readonly printed: () => string;
}

export function launchStormDaemon(home: string): { readonly child: ChildProcess; readonly printed: () => string } {
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith("NOMOS_") && name !== "NODE_OPTIONS");
  const child = spawn(process.execPath, [BIN, "up", "--port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...Object.fromEntries(clean), NOMOS_HOME: home, ...storeEnvironment(home) },
  });
  const parts: string[] = [];
  child.stdout.on("data", (part) => parts.push(String(part)));
  child.stderr.on("data", (part) => parts.push(String(part)));
  return { child, printed: () => parts.join("") };
}

export async function startStormDaemon(home: string): Promise<StormDaemon> {
  const sinceMs = performance.now();
  const { child, printed } = launchStormDaemon(home);
  const exited = once(child, "exit").then(([exitCode, signal]) => ({ exitCode, signal }));
  const port = await portOf(home, child, printed);
  const upMs = performance.now() - sinceMs;
  const token = (await readFile(join(home, "token"), "utf8")).trim();
  const call = async <T>(method: string, path: string, body?: unknown, key?: string): Promise<StormAnswer<T>> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json",
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text) };
  };
  return {
    home,
    pid: child.pid ?? 0,
    child,
    upMs,
    call,
    exited,
    printed,
    kill9: async () => {
      child.kill("SIGKILL");
      await exited;
    },
    term: async () => {
      const fromMs = performance.now();
      child.kill("SIGTERM");
      const { exitCode } = await exited;
      return { exitCode, ms: performance.now() - fromMs };
    },
  };
}

async function portOf(home: string, child: ChildProcess, printed: () => string): Promise<number> {
  const untilMs = Date.now() + START_MAX_MS;
  while (Date.now() < untilMs) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the daemon ended (${child.exitCode ?? child.signalCode}) and said:\n${printed()}`);
    const note = await readFile(join(home, "daemon.json"), "utf8").catch(() => "");
    const port = note === "" ? 0 : Number(JSON.parse(note).port);
    const isOurs = note !== "" && JSON.parse(note).pid === child.pid;
    if (isOurs && (await isHealthy(port))) return port;
    await sleep(POLL_MS);
  }
  throw new Error(`the daemon was not up after ${START_MAX_MS} ms and said:\n${printed()}`);
}

async function isHealthy(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Called when no daemon runs: everything it had started must have ended too. */
export async function expectNothingLeft(home: string): Promise<void> {
  const untilMs = Date.now() + GONE_MAX_MS;
  for (let left = await leftProcesses(home); left.length > 0; left = await leftProcesses(home)) {
    if (Date.now() > untilMs) throw new Error(`processes are left: ${left.join(", ")}`);
    await sleep(POLL_MS);
  }
}

/** The processes with this home's marker: everything that a daemon on it started and that still runs. */
export async function leftProcesses(home: string): Promise<readonly number[]> {
  const mark = `NOMOS_PROCESS=nomos-${createHash("sha256").update(home).digest("hex").slice(0, 12)}`;
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      return environment.includes(mark) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}
