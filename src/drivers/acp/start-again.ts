import type { Clock } from "../../host/index.ts";
import { DriverError } from "../../turns/index.ts";
import type { AgentProcess } from "./agent-process.ts";

const STARTS_MAX = 3;
const PAUSE_MS = 250;

/**
 * An agent that ended before it introduced itself has done nothing yet, so it may be started again. Some agents do that
 * when several of them start at the same moment and share a database or a cache.
 */
export async function startAgain(
  start: () => Promise<AgentProcess>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<AgentProcess> {
  for (let started = 1; ; started += 1) {
    try {
      return await start();
    } catch (thrown) {
      if (started >= STARTS_MAX || signal.aborted || !endedAtOnce(thrown)) throw thrown;
      await clock.sleep(PAUSE_MS * started * (1 + Math.random()), signal);
    }
  }
}

function endedAtOnce(thrown: unknown): boolean {
  return thrown instanceof DriverError && thrown.code === "agent_crashed" && thrown.details["step"] === "initialize";
}
