import { type By, type Committer, subjectOf } from "../../commit/index.ts";
import type { Clock } from "../../host/index.ts";
import { forgetSession, isEnded, Session, type SessionRow, type SessionState } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import type { SessionTrees } from "../files/session-worktrees.ts";
import { sessionRows } from "../life/neighbours.ts";

/** Which ended sessions are meant. */
export interface EndedFilter {
  /** Only those that ended at least this long ago. */
  readonly olderThanMs?: number | undefined;
  readonly label?: string | undefined;
}

export interface Forgetting {
  /** Forgets ended sessions, all in one append; those whose worktree is still there stay. */
  readonly forgetEnded: (filter: EndedFilter, by: By) => Promise<readonly RecordedEvent[]>;
  /** The ended sessions that are still listed, and why. */
  readonly stillListed: (filter: EndedFilter) => Promise<readonly KeptSession[]>;
}

export interface KeptSession {
  readonly id: string;
  readonly name: string;
  readonly reason: string;
}

/** Sessions that one call forgets. */
const FORGOTTEN_MAX = 500;
const KEPT_SHOWN_MAX = 1000;
const HOLDS_WORK = "its worktree holds work";
const NEXT_TIME = "one call forgets only some hundred: call again";

export function createForgetting(deps: {
  readonly store: Store;
  readonly committer: Pick<Committer, "commit">;
  readonly clock: Clock;
  readonly trees: Pick<SessionTrees, "list">;
}): Forgetting {
  const { store, committer, clock, trees } = deps;

  const ended = async function* ({ olderThanMs = 0, label }: EndedFilter): AsyncGenerator<SessionRow> {
    const before = clock.iso(clock.nowMs() - olderThanMs);
    for await (const row of sessionRows(store, { alive: false, shown: true }))
      if (row.endedAt !== null && row.endedAt <= before && (label === undefined || row.label === label)) yield row;
  };
  /** A worktree without work goes with the end of its session. */
  const holdsWork = async (): Promise<(id: string) => Promise<boolean>> => {
    const there = new Set((await trees.list()).map(({ id }) => id));
    return async (id) => there.size > 0 && there.has((await store.fold(Session, id)).worktree ?? "");
  };

  return {
    forgetEnded: async (filter, by) => {
      const isKept = await holdsWork();
      const ids: string[] = [];
      for await (const { id } of ended(filter)) {
        if (ids.length >= FORGOTTEN_MAX) break;
        if (!(await isKept(id))) ids.push(id);
      }
      if (ids.length === 0) return [];
      // Ended for good: only that it was forgotten meanwhile can have changed.
      const decide = (state: SessionState) => (isEnded(state) ? forgetSession(state) : []);
      return (
        await committer.commit(
          ids.map((id) => ({ of: subjectOf(Session, id), decide })),
          { by },
        )
      ).events;
    },
    stillListed: async (filter) => {
      const isKept = await holdsWork();
      const kept: KeptSession[] = [];
      for await (const { id, name } of ended(filter)) {
        if (kept.length >= KEPT_SHOWN_MAX) break;
        kept.push({ id, name, reason: (await isKept(id)) ? HOLDS_WORK : NEXT_TIME });
      }
      return kept;
    },
  };
}
