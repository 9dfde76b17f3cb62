import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ApiClient, createApiClient } from "./api-client.ts";
import type { Package } from "./package.ts";
import { ended, spawnNode, stopped } from "./processes.ts";

/** A real daemon of the bundled product, in its own process, on its own port. */
export interface RunningDaemon extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
  readonly api: ApiClient;
  /** From the start of the process until /health is ok. */
  readonly startMs: number;
}

const POLL_MS = 2;
const START_MAX_MS = 60_000;

/** A program that can be started as a daemon. */
export type Startable = Pick<Package, "daemonArguments">;

export async function startDaemon(product: Startable, home: string): Promise<RunningDaemon> {
  const port = await freePort();
  const startedMs = performance.now();
  const child = spawnNode(product.daemonArguments(home, port), { env: environment(home) });
  child.stdout?.resume();
  const failed = ended(child);
  try {
    await Promise.race([healthy(port), failed]);
  } catch (cause) {
    await stopped(child);
    throw cause;
  }
  const startMs = performance.now() - startedMs;
  failed.catch(() => undefined);
  const token = readFileSync(join(home, "token"), "utf8").trim();
  const api = createApiClient(port, token);
  const end = async (): Promise<void> => {
    api.close();
    await stopped(child);
  };
  return { pid: child.pid ?? 0, port, token, api, startMs, [Symbol.asyncDispose]: end };
}

/** Its resident memory now, as the kernel reports it. */
export function residentMb(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(found) / 1024;
}

export function environment(home: string): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: home, NOMOS_HOME: home };
}

async function healthy(port: number): Promise<void> {
  const endMs = performance.now() + START_MAX_MS;
  while (performance.now() < endMs) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    await sleep(POLL_MS);
  }
  throw new Error(`no daemon on its port after ${START_MAX_MS} ms`);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("the system gave no port");
  return address.port;
}
