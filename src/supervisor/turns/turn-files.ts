import type { Committer } from "../../commit/index.ts";
import type { Clock, OnBytes, Taken } from "../../host/index.ts";
import { type Fact, recordFiles, type SessionState } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import type { Driver } from "../../turns/index.ts";
import type { SessionFiles } from "../files/session-files.ts";
import { withOthers, workingTimes } from "../files/working-times.ts";
import type { Frames } from "./frames.ts";
import type { StopReason } from "./turn-stop.ts";

/** Time to take the snapshot of an interrupted turn; after that the turn ends without one. */
const INTERRUPTED_GRACE_MS = 2000;
const STOPPING_GRACE_MS = 300;
const SAID_EVERY_MS = 1000;
const BYTES_PER_MB = 1_000_000;

export interface WatchedTurn {
  readonly state: SessionState;
  readonly turnId: string;
  readonly isResumed: boolean;
  readonly driver: Pick<Driver, "actsByEffects">;
  readonly controller: AbortController;
  readonly looked: Promise<readonly Fact[]> | null;
}

/** Snapshots at the start and end of a turn. */
export interface TurnFiles {
  /** Recorded before the agent gets its prompt, so that earlier changes do not count as its own. */
  readonly atStart: (turn: WatchedTurn) => Promise<void>;
  /** Facts to record with the turn's end, after its processes have ended. `before`: as in `filesAtEnd`. */
  readonly atEnd: (turn: WatchedTurn, before: Taken | null) => Promise<readonly Fact[]>;
}

/** Shows whoever watches that a long snapshot moves. A short one says nothing. */
export function shownSnapshot(
  { clock, frames }: { readonly clock: Pick<Clock, "nowMs">; readonly frames: Pick<Frames, "send"> },
  sessionId: string,
  turnId: string,
): OnBytes {
  let saidMs = clock.nowMs();
  return (done) => {
    if (clock.nowMs() < saidMs + SAID_EVERY_MS) return;
    saidMs = clock.nowMs();
    const text = `snapshot of the files: ${Math.round(done / BYTES_PER_MB)} MB read\n`;
    frames.send({ sessionId, turnId, source: "stderr", text });
  };
}

export function createTurnFiles(deps: {
  readonly store: Store;
  readonly sessionFiles: Pick<SessionFiles, "look" | "takenFact" | "changedOutside">;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly frames: Pick<Frames, "send">;
  readonly log: (message: string, details: object) => void;
}): TurnFiles {
  const { store, sessionFiles, committer, clock, log } = deps;

  /** Adds the names that others changed while no effect ran. Only for drivers that act through the effect ledger alone. */
  const named = async (facts: readonly Fact[], now: SessionState, { turnId, driver }: WatchedTurn) => {
    const from = now.view.world?.snapshot ?? null;
    if (driver.actsByEffects !== true || from === null) return facts;
    const spans = await workingTimes(store, now.stream, turnId, clock.nowMs());
    return Promise.all(facts.map((one) => withOthers(sessionFiles, now, from, spans, one)));
  };

  /** Stopping a turn does not wait for the snapshot of a large file tree. */
  const unlessStopped = async (looking: Promise<readonly Fact[]>, signal: AbortSignal, graceMs: number) => {
    const late = Promise.withResolvers<readonly Fact[]>();
    let cancel = (): void => undefined;
    const stop = (): void => {
      cancel = clock.after(graceMs, () => late.resolve([]));
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    try {
      return await Promise.race([looking, late.promise]);
    } finally {
      signal.removeEventListener("abort", stop);
      cancel();
    }
  };

  return {
    atStart: async ({ state, turnId, isResumed, looked, controller: { signal } }) => {
      // A resumed turn has its start snapshot already.
      if (isResumed) return;
      const looking = looked ?? sessionFiles.look(state, "turn_start", turnId, shownSnapshot(deps, state.id, turnId));
      const facts = await unlessStopped(looking, signal, 0);
      if (facts.length === 0) return;
      await committer
        .session(state.id, (now) => recordFiles(now, facts), { actor: "daemon" })
        .catch((thrown: unknown) => log("a snapshot was not recorded", { id: state.id, reason: String(thrown) }));
    },
    atEnd: async (turn, before) => {
      const { state, turnId, controller } = turn;
      const { signal } = controller;
      const now = await committer.sessionState(state.id).catch(() => null);
      if (now === null) return [];
      const isStopping = signal.reason === ("stopping" satisfies StopReason);
      const graceMs = isStopping ? STOPPING_GRACE_MS : INTERRUPTED_GRACE_MS;
      const looked = filesAtEnd(sessionFiles, now, turnId, before).then((facts) => named(facts, now, turn));
      return unlessStopped(looked, signal, graceMs);
    },
  };
}

/** `before`: the files before the revert of changes outside the scope. They are stored too, so that no work is lost. */
export async function filesAtEnd(
  sessionFiles: Pick<SessionFiles, "look" | "takenFact">,
  state: SessionState,
  turnId: string | null,
  before: Taken | null,
): Promise<readonly Fact[]> {
  if (before === null) return sessionFiles.look(state, "turn_end", turnId);
  const last = state.view.world?.snapshot ?? null;
  const seen = { ...state, view: { ...state.view, world: { snapshot: before.id, skipped: null } } };
  const kept = await sessionFiles.takenFact(before, "asked", turnId, last).catch(() => null);
  return kept === null
    ? sessionFiles.look(state, "turn_end", turnId)
    : [kept, ...(await sessionFiles.look(seen, "turn_end", turnId))];
}
