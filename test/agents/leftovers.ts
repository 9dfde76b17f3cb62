import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Processes, files and open files that one stage left behind. */
export interface Traces {
  /** Command lines of processes with the stage's path, except the daemon. */
  readonly processes: readonly string[];
  readonly tempEntries: readonly string[];
  readonly daemonFds: number;
}

const SETTLE_MAX_MS = 5000;
const POLL_MS = 50;

async function tracesOf(stage: { readonly root: string; readonly daemonPid: () => number }): Promise<Traces> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const own = new Set([String(process.pid), String(stage.daemonPid())]);
  const found = await Promise.all(
    pids
      .filter((pid) => !own.has(pid))
      .map(async (pid) => {
        const [environ, cmdline] = await Promise.all(
          ["environ", "cmdline"].map((name) => read(join("/proc", pid, name))),
        );
        const isOurs = `${environ}${cmdline}`.includes(stage.root);
        return isOurs ? [`${pid} ${(cmdline ?? "").replaceAll("\0", " ").slice(0, 200)}`] : [];
      }),
  );
  return {
    processes: found.flat(),
    tempEntries: (await Promise.all(["tmp", "home/tmp"].map((name) => namesIn(join(stage.root, name))))).flat(),
    daemonFds: (await fdsOf(stage.daemonPid())).length,
  };
}

/** The first traces that match, or the last ones seen: the caller compares them. */
export async function tracesWhen(
  stage: { readonly root: string; readonly daemonPid: () => number },
  fits: (traces: Traces) => boolean,
): Promise<Traces> {
  const untilMs = Date.now() + SETTLE_MAX_MS;
  while (true) {
    const traces = await tracesOf(stage);
    if (fits(traces) || Date.now() > untilMs) return traces;
    await sleep(POLL_MS);
  }
}

/** Targets of its open files. A file closed during the look is skipped. */
async function fdsOf(pid: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => null)));
  return targets.flatMap((target) => target ?? []);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

async function read(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
