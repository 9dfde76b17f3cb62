import { join } from "node:path";
import { readSmall } from "./home-files.ts";
import { nodeFetch } from "./transport.ts";

/** A daemon that answers. */
export interface FoundDaemon {
  readonly pid: number;
  /** 0: a program has the home open and listens on the home's socket alone. */
  readonly port: number;
  readonly socket: string | null;
  readonly version: string;
  readonly url: string;
}

/** Where a daemon listens, for people. */
export function spellAddress(port: number): string {
  return port === 0 ? "inside of another program, without a port" : `http://127.0.0.1:${port}`;
}

const HEALTH_MAX_MS = 3_000;

/** The daemon of this home, or null when none answers. `daemon.json` survives a crash, so the file alone proves nothing. */
export async function findDaemon(home: string): Promise<FoundDaemon | null> {
  const note = await readNote(home);
  return note !== null && isRunning(note.pid) && (await isHealthy(note)) ? note : null;
}

/** What the daemon wrote to `daemon.json`; null when it ended cleanly or never ran. */
export async function readNote(home: string): Promise<FoundDaemon | null> {
  const text = await readSmall(join(home, "daemon.json")).catch(() => null);
  return text === null ? null : parseNote(text);
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}

function parseNote(text: string): FoundDaemon | null {
  const note = parsed(text);
  if (typeof note !== "object" || note === null) return null;
  const { pid, port, socket, version }: { pid?: unknown; port?: unknown; socket?: unknown; version?: unknown } = note;
  if (typeof pid !== "number" || typeof port !== "number") return null;
  return {
    pid,
    port,
    socket: typeof socket === "string" ? socket : null,
    version: String(version),
    url: `http://127.0.0.1:${port}`,
  };
}

async function isHealthy({ url, socket }: FoundDaemon): Promise<boolean> {
  const fetch = nodeFetch(socket);
  const signal = AbortSignal.timeout(HEALTH_MAX_MS);
  try {
    const answer = await fetch(`${url}/health`, { method: "GET", headers: {}, signal });
    const health = parsed(await answer.text());
    return typeof health === "object" && health !== null && "status" in health && health.status === "ok";
  } catch (thrown) {
    if (thrown instanceof Error) return false;
    throw thrown;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
