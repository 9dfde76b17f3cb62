import { join } from "node:path";
import { ClientError } from "../../client/index.ts";
import { shellQuoted } from "../screen/shell-quoted.ts";
import { EXIT, type Terminal } from "../terminal.ts";
import { dashboardLines } from "./dashboard-lines.ts";
import { readNote } from "./find-daemon.ts";
import { startupError } from "./startup-error.ts";

export interface ServeOptions {
  readonly port: number | null;
  readonly tour: boolean;
  readonly json: boolean;
  readonly verbose: boolean;
}

/** SIGTERM allows 5 s. The next start recovers what was not drained by then, as after a crash. */
const DRAIN_MAX_MS = 4_800;

/** Runs the daemon in this process until it is told to stop. */
export async function serve(terminal: Terminal, options: ServeOptions): Promise<number> {
  // `nomos up | head -1` closes the pipe after one line; the daemon goes on.
  terminal.outliveReader();
  const told = stopSignals();
  const { startDaemon } = await import("../../app/index.ts");
  const daemon = await startDaemon({
    home: terminal.home,
    port: options.port,
    version: terminal.version,
    environment: terminal.environment,
    cwd: terminal.cwd,
    tour: options.tour,
    ownsProcess: true,
    echo: options.verbose ? terminal.complain : complaintsOnly(terminal),
    die: (exitCode) => process.exit(exitCode),
  }).catch(async (thrown: unknown) => {
    const { reportError } = await import("../print/report-error.ts");
    const refusal = await withHolder(startupError(thrown, terminal.home), terminal.home);
    // Threads of a half-started daemon may still run, so the process exits here.
    process.exit(reportError(terminal, refusal, options.json));
  });
  await sayUp(terminal, options, daemon);
  await Promise.race([told, daemon.stopAsked]);
  const late = setTimeout(() => {
    terminal.complain("some work did not finish in time; the next start recovers it");
    process.exit(EXIT.ok);
  }, DRAIN_MAX_MS);
  await daemon.stop();
  clearTimeout(late);
  return EXIT.ok;
}

/** The first signal asks for a clean stop, at any time; a second one from the keyboard stops at once. */
function stopSignals(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = (signal: NodeJS.Signals) => {
      if (asked && signal === "SIGINT") process.exit(EXIT.interrupted);
      asked = true;
      resolve();
    };
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, ask);
  });
}

/** The full log is in its file; this prints only what went wrong. */
function complaintsOnly(terminal: Terminal): (line: string) => void {
  return (line) => {
    if (line.includes('"code":')) terminal.complain(line);
  };
}

async function withHolder(refusal: unknown, home: string): Promise<unknown> {
  if (!(refusal instanceof ClientError) || refusal.code !== "home_in_use") return refusal;
  // Another daemon, with another home, uses the same database: do not report its file as ours.
  if ("heldBy" in refusal.details) return refusal;
  const holder = await readNote(home);
  if (holder === null) return refusal;
  return new ClientError(refusal.code, { details: { home, pid: holder.pid, url: holder.url }, cause: refusal });
}

interface Up {
  readonly port: number;
  readonly home: string;
  readonly tourSession: { readonly id: string; readonly name: string } | null;
}

async function sayUp(terminal: Terminal, { json, tour }: ServeOptions, up: Up): Promise<void> {
  const { port, home, tourSession } = up;
  const url = `http://127.0.0.1:${port}`;
  if (json) {
    const tour = tourSession === null ? null : { id: tourSession.id, name: tourSession.name };
    terminal.printJson({ pid: process.pid, port, url, version: terminal.version, home, tour });
    return;
  }
  terminal.print(`nomos ${terminal.version} is up: ${url} (pid ${process.pid})`);
  terminal.print(`home   ${home}`);
  terminal.print(`token  curl -H "Authorization: Bearer $(cat ${shellQuoted(join(home, "token"))})" ${url}/api/status`);
  for (const line of await dashboardLines(terminal, tour)) terminal.print(line);
  terminal.print("stop   Ctrl-C, or `nomos down`");
  if (tourSession === null) return;
  const { tourLines } = await import("../print/tour-lines.ts");
  for (const line of tourLines(terminal, tourSession.name)) terminal.print(line);
}
