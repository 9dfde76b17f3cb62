import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { BIN } from "./daemon.ts";

export interface Confinement {
  readonly home: string;
  /** Extra bubblewrap arguments, after the whole file system has been bound. */
  readonly args: readonly string[];
}

/** Runs `nomos ...` with a part of the file system read-only or too small. */
export async function runConfined(args: readonly string[], { home, args: walls }: Confinement) {
  const argv = ["--dev-bind", "/", "/", "--die-with-parent", ...walls, process.execPath, BIN, ...args];
  const child = spawn("bwrap", argv, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], NOMOS_HOME: home, NOMOS_PORT: "0" },
  });
  const [[exitCode], stdout, stderr] = await Promise.all([once(child, "exit"), text(child.stdout), text(child.stderr)]);
  return { exitCode: Number(exitCode), stdout, stderr };
}
