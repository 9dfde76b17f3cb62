import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync, existsSync, fstatSync, ftruncateSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ClientError } from "../../client/index.ts";
import { pause } from "../pause.ts";
import type { Terminal } from "../terminal.ts";
import { type FoundDaemon, findDaemon } from "./find-daemon.ts";
import { openToAppend } from "./home-files.ts";
import { inheritedFiles } from "./inherited-files.ts";
import { lastLines, refusalSaid } from "./refusal-said.ts";
import { startupError } from "./startup-error.ts";

export interface StartOptions {
  /** Null when the environment or the configuration decides. */
  readonly port: number | null;
  readonly tour: boolean;
}

const UP_MAX_MS = 15_000;
const POLL_MS = 20;
const OUTPUT_BYTES_MAX = 1_048_576;
/** Far above the size at which the daemon rotates its log. */
const LOG_BYTES_MAX = 67_108_864;

/** Starts this program as a detached daemon and waits until it answers, or reports why it did not start. */
export async function startDetached(terminal: Terminal, options: StartOptions): Promise<FoundDaemon> {
  const output = openOutput(terminal.home);
  const child = spawnDaemon(terminal, options, output.file);
  closeSync(output.file);
  child.unref();
  const untilMs = Date.now() + UP_MAX_MS;
  while (Date.now() < untilMs) {
    // Before the look: a daemon that comes up in between is found, whatever it printed.
    const refusal = refusalIn(child, output.since);
    const found = await findDaemon(terminal.home);
    if (found !== null) return found;
    if (refusal !== null) throw refusal;
    await pause(POLL_MS);
  }
  throw new ClientError("daemon_unreachable", {
    status: 0,
    message: `The daemon was not up after ${UP_MAX_MS / 1000} s.`,
    details: { said: lastLines(output.since() || daemonLog(terminal.home)) },
  });
}

/** `since`: only what was written after this position. */
function openOutput(home: string): { readonly file: number; readonly since: () => string } {
  const path = join(home, "logs", "daemon.out");
  try {
    const file = openToAppend(home, "logs", "daemon.out");
    if (fstatSync(file).size > OUTPUT_BYTES_MAX) ftruncateSync(file);
    const before = fstatSync(file).size;
    return { file, since: () => readFileSync(path).subarray(before).toString("utf8") };
  } catch (cause) {
    throw startupError(cause, home);
  }
}

function spawnDaemon(terminal: Terminal, { port, tour }: StartOptions, output: number): ChildProcess {
  const program = fileURLToPath(new URL("../../../bin/nomos.js", import.meta.url));
  const args = ["up", "--json", ...(port === null ? [] : ["--port", String(port)]), ...(tour ? ["--tour"] : [])];
  return spawn(process.execPath, [program, ...args], {
    detached: true,
    // Not the current directory: the daemon would keep it from being unmounted or removed.
    cwd: existsSync(homedir()) ? homedir() : "/",
    env: { ...terminal.environment, NOMOS_HOME: terminal.home },
    stdio: standardFiles(output),
  });
}

/** Descriptors inherited from our parent are replaced by the output file. */
function standardFiles(output: number): StdioOptions {
  const inherited = inheritedFiles();
  const files: ("ignore" | number)[] = ["ignore", output, output];
  for (let file = files.length; file <= Math.max(...inherited, 0); file += 1)
    files.push(inherited.includes(file) ? output : "ignore");
  return files;
}

/** Null while the daemon may still start, or while one that another process started at the same time may. */
function refusalIn(child: ChildProcess, said: () => string): ClientError | null {
  const { exitCode, signalCode } = child;
  return exitCode === null && signalCode === null ? null : refusalSaid(said(), exitCode ?? signalCode);
}

function daemonLog(home: string): string {
  const path = join(home, "logs", "daemon.log");
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= LOG_BYTES_MAX ? readFileSync(path, "utf8") : "";
}
