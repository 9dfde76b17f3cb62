import type { By, Committer } from "../../commit/index.ts";
import { endSession, forgetSession, isEnded, SESSIONS } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import type { Kept } from "../../turns/index.ts";
import type { SessionTrees } from "../files/session-worktrees.ts";
import type { SessionProcesses } from "../processes/session-processes.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import type { ExternalWatch } from "./external-watch.ts";

type Events = Promise<readonly RecordedEvent[]>;

export interface Endings {
  readonly kill: (id: string, reason: string, by: By) => Events;
  readonly forget: (id: string, by: By) => Events;
  /** Resolves when an ended session has no process and no agent left, and its worktree is kept or removed. */
  readonly gone: (id: string) => Promise<void>;
}

export interface EndingDeps {
  readonly store: Pick<Store, "row">;
  readonly committer: Pick<Committer, "session">;
  readonly runner: Pick<TurnRunner, "interrupt">;
  readonly processes: Pick<SessionProcesses, "stopAll">;
  readonly trees: Pick<SessionTrees, "settle">;
  readonly keeper: (adapter: string) => Kept | null;
}

export function createEndings(
  deps: EndingDeps,
  externals: Pick<ExternalWatch, "remove">,
  release: (id: string) => Promise<void>,
): Endings {
  const { committer, runner, processes } = deps;

  /** Records the end first: running code then finds the session ended, even if the daemon dies here. */
  const end = async (id: string, decide: Parameters<Committer["session"]>[1], by: By): Events => {
    const { events } = await committer.session(id, decide, by);
    externals.remove(id);
    return events;
  };

  return {
    kill: (id, reason, by) =>
      end(id, (state) => (isEnded(state) ? [] : endSession(state, { kind: "killed", reason })), by),
    forget: (id, by) => end(id, forgetSession, by),
    gone: async (id) => {
      const stopping = runner.interrupt(id, "ended");
      await processes.stopAll(id);
      await stopping;
      await processes.stopAll(id);
      await release(id);
      await deps.trees.settle(id);
    },
  };
}

/** Ends what the driver keeps for a session between turns. The next turn restores it from the log. */
export function createRelease({ store, keeper }: Pick<EndingDeps, "store" | "keeper">): (id: string) => Promise<void> {
  return async (id) => {
    const row = await store.row(SESSIONS, id);
    if (row !== null) await keeper(row.adapter)?.release(id);
  };
}
