import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { copyFile, mkdtemp, readFile, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { storeEnvironment } from "./chosen-store.ts";
import { BIN } from "./product.ts";
import { isInTest, whenTestEnds } from "./test-end.ts";

export { BIN };

const START_MAX_MS = 60_000;
const STOP_MAX_MS = 8_000;
const POLL_MS = 20;

export interface DaemonStart {
  /** Default: a new home, removed when the test ends (or the daemon is disposed of). */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** After `up --port 0`; a later `--port` wins. */
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** The caller disposes of it, also inside a test. */
  readonly outlivesTest?: true;
  /** A program that becomes the daemon, such as `unshare`; the daemon's command line follows it. */
  readonly through?: readonly string[];
}

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON; undefined when it is not JSON. */
  readonly body: T;
}

export interface CliAnswer {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Stdout as JSON: for calls with `--json`. */
  readonly json: <T = unknown>() => T;
}

/** The real daemon: `node bin/nomos.js up` in its own process, on its own home, on any port. */
export interface TestDaemon extends AsyncDisposable {
  readonly home: string;
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** With the operator's token unless the headers have another `authorization`; `""` there sends none. */
  readonly call: <T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer<T>>;
  readonly cli: (...args: readonly string[]) => Promise<CliAnswer>;
  /** Kills it like a power cut. Resolves when it is gone. */
  readonly kill9: () => Promise<void>;
  /** SIGTERM. Resolves with the exit code. */
  readonly stop: () => Promise<number | null>;
  /** Its output so far. */
  readonly printed: () => string;
}

/**
 * Resolves when /health says ok; rejects with its output when it ends before that. Inside a test it is ended with the
 * test; in `beforeAll` dispose of it in `afterAll`: `daemon[Symbol.asyncDispose]()`.
 */
export async function startDaemon(options: DaemonStart = {}): Promise<TestDaemon> {
  const home = options.home ?? (await newTriedHome());
  const own = [process.execPath, BIN, "up", "--port", "0", ...(options.args ?? [])];
  const [program = "", ...args] = [...(options.through ?? []), ...own];
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: environment(home, options.env),
    cwd: options.cwd ?? groundBeside(home),
  });
  const printed: string[] = [];
  child.stdout.on("data", (chunk) => printed.push(String(chunk)));
  child.stderr.on("data", (chunk) => printed.push(String(chunk)));
  const exited = once(child, "exit");
  const dispose = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
    if (options.home === undefined) await removeHome(home);
  };
  if (options.outlivesTest === undefined) whenTestIsOver(dispose);
  const { port, pid } = await found(home, child, printed);
  const token = (await readFile(join(home, "token"), "utf8")).trim();
  const url = `http://127.0.0.1:${port}`;
  return {
    home,
    url,
    token,
    pid,
    child,
    call: (method, path, body, headers) => call(url, token, method, path, body, headers),
    cli: (...args) => runCli(args, { home, ...(options.env === undefined ? {} : { env: options.env }) }),
    kill9: async () => {
      child.kill("SIGKILL");
      await exited;
    },
    stop: async () => {
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), STOP_MAX_MS);
      await exited;
      clearTimeout(late);
      return child.exitCode;
    },
    printed: () => printed.join(""),
    [Symbol.asyncDispose]: dispose,
  };
}

/** A new home in which a daemon finds that bubblewrap works, as at its second start. */
async function newTriedHome(): Promise<string> {
  const home = await newHome();
  const tried = process.env["NOMOS_TEST_BUBBLEWRAP"];
  if (tried === undefined) return home;
  mkdirSync(join(home, "cache"), { recursive: true, mode: 0o700 });
  await copyFile(tried, join(home, "cache", "bubblewrap-works"));
  return home;
}

/** A home that does not exist yet. Its folder, and any daemon on it, are removed when the test ends. */
export async function newHome(): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "nomos-home-")));
  const home = join(root, "home");
  whenTestIsOver(() => removeHome(home));
  return home;
}

export interface CliOptions {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
}

/** `node bin/nomos.js ...args` on a home; a daemon that it starts uses any port. */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliAnswer> {
  const child = startCli(args, options);
  child.stdin.end(options.input ?? "");
  const [[exitCode, signal], stdout, stderr] = await Promise.all([
    once(child, "exit"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { exitCode, signal, stdout, stderr, json: <T>(): T => JSON.parse(stdout) };
}

/** Like `cli`, for a test that talks to it while it runs. */
export function startCli(args: readonly string[], options: CliOptions) {
  return spawn(process.execPath, [BIN, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: environment(options.home, { NOMOS_PORT: "0", ...options.env }),
    cwd: options.cwd ?? groundBeside(options.home),
  });
}

/** A small directory: sessions without a cwd work where their daemon was started. */
function groundBeside(home: string): string {
  const ground = join(dirname(home), "ground");
  mkdirSync(ground, { recursive: true });
  return ground;
}

function whenTestIsOver(run: () => Promise<void>): void {
  if (isInTest()) whenTestEnds(run);
}

async function call<T>(
  url: string,
  token: string,
  method: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer<T>> {
  const sent = new Headers({ authorization: `Bearer ${token}`, ...headers });
  if (sent.get("authorization") === "") sent.delete("authorization");
  if (body !== undefined && !sent.has("content-type")) sent.set("content-type", "application/json");
  const response = await fetch(`${url}${path}`, {
    method,
    headers: sent,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const answered = await response.text();
  return { status: response.status, headers: response.headers, text: answered, body: parsed(answered) };
}

function parsed<T>(answered: string): T {
  try {
    return JSON.parse(answered);
  } catch {
    return undefined as T;
  }
}

/** Removes variables of a Nomos that may run this test. */
function environment(home: string, extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith("NOMOS_") && name !== "NODE_OPTIONS");
  return {
    ...Object.fromEntries(clean),
    PATH: PATH_WITHOUT_AGENTS,
    NOMOS_HOME: home,
    ...storeEnvironment(home),
    ...extra,
  };
}

/** Tests that name no agent mean `demo`, also on the machine of somebody who has a real one. */
const AGENTS = ["claude", "codex", "opencode", "gemini", "copilot", "qwen", "pi"];
const PATH_WITHOUT_AGENTS = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !AGENTS.some((agent) => existsSync(join(folder, agent))))
  .join(delimiter);

async function found(
  home: string,
  child: ChildProcess,
  printed: readonly string[],
): Promise<{ readonly port: number; readonly pid: number }> {
  const untilMs = Date.now() + START_MAX_MS;
  while (Date.now() < untilMs) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the daemon ended (${child.exitCode ?? child.signalCode}) and said:\n${printed.join("")}`);
    const note = await daemonNote(home);
    if (note !== null && note.pid === child.pid && (await isHealthy(note.port))) return note;
    await sleep(POLL_MS);
  }
  throw new Error(`the daemon was not up after ${START_MAX_MS} ms and said:\n${printed.join("")}`);
}

/** The note by which others find a running daemon; null when there is none. */
export async function daemonNote(home: string): Promise<{ readonly port: number; readonly pid: number } | null> {
  const path = join(home, "daemon.json");
  // A test may have put anything there: a pipe, half a file.
  if ((await stat(path).catch(() => null))?.isFile() !== true) return null;
  const note = await readFile(path, "utf8").catch(() => "");
  return note.startsWith("{") && note.endsWith("}\n") ? JSON.parse(note) : null;
}

async function isHealthy(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

async function removeHome(home: string): Promise<void> {
  const note = await daemonNote(home);
  if (note !== null && (await commandLine(note.pid)).includes("nomos")) process.kill(note.pid, "SIGKILL");
  await rm(join(home, ".."), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** A note may outlive its daemon, and its pid may belong to another process by now. */
async function commandLine(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
}
