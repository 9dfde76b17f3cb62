import { readdir, readFile } from "node:fs/promises";
import { eventually } from "./talk.ts";

/** The running processes whose command line or environment contains the text. */
export async function processesWith(text: string): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const files = await Promise.all(["cmdline", "environ"].map((name) => readProc(pid, name)));
      return files.some((content) => content.includes(text)) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

export async function running(text: string): Promise<void> {
  await eventually(`a process with ${text}`, async () => (await processesWith(text)).length > 0);
}

export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

/** A process that has ended meanwhile has nothing to read. */
async function readProc(pid: string, name: string): Promise<string> {
  return readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
}
