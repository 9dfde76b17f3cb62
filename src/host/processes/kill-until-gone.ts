import { errno } from "../errno.ts";
import { systemClock } from "../machine/clock.ts";

/**
 * Sends SIGKILL to everything `find` returns, until it returns nothing: a process may fork between being found and
 * being killed. Returns the pids that remain, which only a process stuck in the kernel can do.
 */
export async function killUntilGone(find: () => readonly number[]): Promise<number[]> {
  const clock = systemClock();
  const endMs = clock.steadyMs() + KILL_MAX_MS;
  for (let waitMs = KILL_POLL_MIN_MS; ; waitMs = Math.min(waitMs * 2, KILL_POLL_MAX_MS)) {
    const pids = find();
    if (pids.length === 0) return [];
    for (const pid of pids) sendSignal(pid, "SIGKILL");
    if (clock.steadyMs() > endMs) return [...pids];
    await clock.sleep(waitMs);
  }
}

const KILL_MAX_MS = 10_000;
const KILL_POLL_MIN_MS = 1;
const KILL_POLL_MAX_MS = 20;

/** Whether a process received it. A negative pid means a process group. */
export function sendSignal(pid: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    const code = errno(error);
    // EPERM: the process exists but now belongs to another user (a set-uid program).
    if (code === "ESRCH") return false;
    if (code === "EPERM") return true;
    throw error;
  }
}
