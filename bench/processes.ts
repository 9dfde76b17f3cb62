import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface RunOptions {
  /** Put before Node itself: `strace ...`. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs one of our programs to its end; resolves with its output, rejects when it fails. */
export async function runChild(program: URL, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const child = spawnNode([fileURLToPath(program), ...args], options);
  const printed: string[] = [];
  child.stdout?.on("data", (chunk) => printed.push(String(chunk)));
  await ended(child);
  return printed.join("");
}

/** One of our programs that runs until it is told to end; before `ready` it prints one line, its port. */
export interface RunningChild extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
}

export async function startServer(program: URL, args: readonly string[]): Promise<RunningChild> {
  const child = spawnNode([fileURLToPath(program), ...args], {});
  const line = await Promise.race([firstLine(child), ended(child).then(() => "")]);
  const port = Number(line);
  if (!Number.isInteger(port) || port <= 0) throw new Error(`${program.pathname} said no port: ${line}`);
  return { pid: child.pid ?? 0, port, [Symbol.asyncDispose]: () => stopped(child) };
}

export const NODE = [process.execPath, "--disable-warning=ExperimentalWarning"] as const;

export function spawnNode(args: readonly string[], options: RunOptions): ChildProcess {
  return spawnOwned([...(options.under ?? []), ...NODE, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    ...(options.env === undefined ? {} : { env: options.env }),
  });
}

/** It is ended when this process ends. */
export function spawnOwned([command = "", ...args]: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  const end = () => child.kill("SIGKILL");
  process.prependOnceListener("exit", end);
  child.once("exit", () => process.off("exit", end));
  return child;
}

/** Rejects when it fails by itself. */
export async function ended(child: ChildProcess): Promise<void> {
  const [code, signal] = await once(child, "exit");
  if (code !== 0) throw new Error(`${child.spawnargs.join(" ")} ended with ${String(code ?? signal)}`);
}

const STOP_MAX_MS = 10_000;

/** SIGTERM to that process, SIGKILL when it takes too long; resolves when it is gone. */
export async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MAX_MS);
  await gone;
  clearTimeout(timer);
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}
