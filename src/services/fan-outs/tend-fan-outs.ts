import { FANOUTS, FanoutStream, type KnownFanout } from "../../domains/index.ts";
import type { FanOutDeps } from "./fan-out-deps.ts";
import { createJudges } from "./judge-candidates.ts";
import { askJudges, noteLandings } from "./next-steps.ts";
import { openCandidates, promptCandidates } from "./open-candidates.ts";
import { removeCandidates } from "./remove-candidates.ts";
import { createWatched } from "./watched-sessions.ts";

/** Takes each fan-out to where its log says it should be: now, after each turn, and after a restart. */
export interface Tending {
  /** Resolves when everything that can be done now is done; judging goes on. */
  readonly tend: (id: string) => Promise<void>;
  /** Takes up every fan-out that is not settled. */
  readonly begin: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Why a dropped session could not be removed yet. */
  readonly stuck: (sessionId: string) => Error | null;
}

interface Line {
  running: Promise<void>;
  next: Promise<void> | null;
}

const PAGE = 500;
const AGAIN_MS = 5000;

export function createTending(deps: FanOutDeps): Tending {
  const { store, clock, log } = deps;
  const lines = new Map<string, Line>();
  const watched = createWatched();
  const troubles = new Map<string, Error>();
  const pauses = new Map<string, () => void>();
  let isStopped = false;
  const judges = createJudges(deps, (id) => void tend(id));

  const tryAgain = (id: string): void => {
    if (isStopped || pauses.has(id)) return;
    const cancel = clock.after(AGAIN_MS, () => {
      pauses.delete(id);
      void tend(id);
    });
    pauses.set(id, cancel);
  };

  const once = async (id: string): Promise<void> => {
    const known = async (): Promise<KnownFanout | null> => {
      const state = await store.fold(FanoutStream, id);
      return state.at === "absent" ? null : state;
    };
    let state = await known();
    if (state === null || isStopped) return;
    watched.add(
      id,
      state.tried.map(({ sessionId }) => sessionId),
    );
    if (state.at === "starting") await openCandidates(deps, id, state);
    state = (await known()) ?? state;
    if (state.at === "running") {
      await promptCandidates(deps, id, state);
      const stuck = await removeCandidates(deps, judges, id, state);
      for (const { sessionId } of state.tried) troubles.delete(sessionId);
      for (const [sessionId, error] of stuck) troubles.set(sessionId, error);
      if (stuck.size > 0) tryAgain(id);
      await noteLandings(deps, watched, id, state);
      await askJudges(deps, judges, id, (await known()) ?? state);
    }
    state = (await known()) ?? state;
    if (state.at === "settled") watched.remove(id);
  };

  const safely = (id: string): Promise<void> =>
    once(id).catch((thrown: unknown) => {
      if (isStopped) return;
      log("a fan-out could not be tended; it is tried again", { id, reason: String(thrown) });
      tryAgain(id);
    });
  /** One at a time for each fan-out; calls that come meanwhile share the next round. */
  const tend = (id: string): Promise<void> => {
    const line = lines.get(id) ?? { running: Promise.resolve(), next: null };
    lines.set(id, line);
    line.next ??= line.running.then(() => {
      line.running = safely(id);
      line.next = null;
      return line.running.finally(() => {
        if (line.next === null) lines.delete(id);
      });
    });
    return line.next;
  };

  const stopHearing = store.onAppend((events) => {
    for (const id of watched.concerned(events)) void tend(id);
  });

  return {
    tend,
    stuck: (sessionId) => troubles.get(sessionId) ?? null,
    begin: async () => {
      let after: { readonly id: string } | undefined;
      do {
        const place = after === undefined ? {} : { after };
        const rows = await store.rows(FANOUTS, { limit: PAGE, where: { open: true }, ...place });
        for (const { id, sessions } of rows) {
          watched.add(id, sessions);
          void tend(id);
        }
        after = rows.length < PAGE ? undefined : rows.at(-1);
      } while (after !== undefined);
    },
    stop: async () => {
      isStopped = true;
      stopHearing();
      for (const cancel of pauses.values()) cancel();
      await judges.stop();
      await Promise.all([...lines.values()].map(({ running, next }) => next ?? running));
    },
  };
}
