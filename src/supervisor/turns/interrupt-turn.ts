import type { Committer } from "../../commit/index.ts";
import type { Clock } from "../../host/index.ts";
import { dataIn, isParked, SESSION_EVENTS, type SessionState } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import type { TurnRunner } from "./turn-runner.ts";

export function interruptedIn(events: readonly RecordedEvent[]): string | null {
  return dataIn(SESSION_EVENTS, events, "turn.interrupt_requested@1")?.turnId ?? null;
}

const SETTLE_MAX_MS = 4000;
const LOOK_EVERY_MS = 5;

/** Ends a turn that is still open, even if it has not run yet. */
export async function settleTurn(
  parts: { readonly committer: Committer; readonly runner: TurnRunner; readonly clock: Clock },
  id: string,
  turnId: string,
): Promise<void> {
  const { committer, runner, clock } = parts;
  // A turn that runs elsewhere can only be asked to end; do not wait for it.
  const isOurs = ({ phase, queue }: SessionState) =>
    phase.at === "busy" && phase.turnId === turnId
      ? runner.isRunning(id)
      : queue.some((turn) => turn.turnId === turnId);
  if (isParked(await committer.sessionState(id))) await runner.endParked(id);
  const untilMs = clock.steadyMs() + SETTLE_MAX_MS;
  while (isOurs(await committer.sessionState(id)) && clock.steadyMs() < untilMs) {
    await runner.interrupt(id, "interrupted");
    await clock.sleep(LOOK_EVERY_MS);
  }
}
