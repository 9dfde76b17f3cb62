import { setImmediate } from "node:timers/promises";
import type { Fact, SessionState } from "../../kernel/index.ts";
import { shownSnapshot } from "./turn-files.ts";
import type { TurnRunnerDeps } from "./turn-runner-deps.ts";

/** Reads what a turn needs before its prompt while its admission is being flushed. Changes nothing. */
export type LookAhead = (state: SessionState, turnId: string) => Promise<readonly Fact[]> | null;

export function createLookAhead(
  deps: Pick<TurnRunnerDeps, "sessionFiles" | "driver" | "clock" | "frames" | "log">,
): LookAhead {
  const look = async (state: SessionState, turnId: string): Promise<readonly Fact[]> => {
    // Not before the admission is on its way to the disk.
    await setImmediate();
    const looking = deps.sessionFiles.look(state, "turn_start", turnId, shownSnapshot(deps, state.id, turnId));
    try {
      deps.driver(state.spec?.adapter ?? "").keeps?.expect?.(state.id, turnId);
    } catch (thrown) {
      deps.log("an agent could not be looked at before its turn", { id: state.id, reason: String(thrown) });
    }
    return looking;
  };
  // In a strict session a look may take set-id bits away, which is only done once the turn is recorded.
  return (state, turnId) => (state.spec?.sandbox === "strict" ? null : look(state, turnId));
}
