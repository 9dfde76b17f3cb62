import { spawn } from "@lydell/node-pty";
import { environment } from "./daemon.ts";

const COLUMNS = 120;
const ROWS = 40;
const WAIT_MAX_MS = 20_000;

/** A program in a real terminal. */
export function inTerminal(home: string, args: readonly string[]) {
  return spawn(process.execPath, [...args], {
    name: "xterm-256color",
    cols: COLUMNS,
    rows: ROWS,
    env: { ...environment(home), TERM: "xterm-256color" },
  });
}

/** From the start of a program to what it prints, in milliseconds. */
export async function untilPrinted(home: string, args: readonly string[], what: RegExp): Promise<number> {
  const startMs = performance.now();
  const program = inTerminal(home, args);
  const ended = new Promise<void>((resolve) => program.onExit(() => resolve()));
  const tookMs = await shown(program, what, startMs);
  await ended;
  return tookMs;
}

/** When a text has been printed since the call, in milliseconds since `sinceMs`. */
export function shown(program: ReturnType<typeof inTerminal>, what: RegExp, sinceMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = "";
    const timer = setTimeout(() => reject(new Error(`${what} did not come within ${WAIT_MAX_MS} ms`)), WAIT_MAX_MS);
    const heard = program.onData((data) => {
      said += data;
      if (!what.test(said)) return;
      clearTimeout(timer);
      heard.dispose();
      resolve(performance.now() - sinceMs);
    });
  });
}
