import type { LandingOrder } from "../../domains/index.ts";
import { SESSIONS, Session, type SessionRow, sessionStream } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { type Interval, readIntervals } from "../../supervisor/index.ts";

/** The files of a worktree at one moment, and who changed them since the moment before. */
export interface Step {
  readonly snapshot: string;
  readonly seq: number;
  /** Null: a person. */
  readonly turn: { readonly sessionId: string; readonly turnId: string } | null;
  /** Names that others changed while the turn ran. */
  readonly others: ReadonlySet<string>;
}

const SESSIONS_READ = 20_000;
const PAGE = 1000;
const FORKS_DEEP_MAX = 16;
const STEPS_MAX = 5000;
const NOBODY: ReadonlySet<string> = new Set();

/**
 * Every known moment of a worktree's files, oldest first: the turns of all sessions that worked in it, and those of the
 * session that it was forked from.
 */
export async function worktreeSteps(
  store: Store,
  { sessionId, worktreeId }: Pick<LandingOrder, "sessionId" | "worktreeId">,
): Promise<readonly Step[]> {
  const seen = new Set<string>();
  const steps: Step[] = [];
  const add = async (id: string, until: number, deep: number): Promise<void> => {
    if (seen.has(id) || deep > FORKS_DEEP_MAX) return;
    seen.add(id);
    const intervals = await readIntervals(store, sessionStream(id), { after: 0, files: null });
    steps.push(...stepsOf(id, intervals).filter(({ seq }) => seq <= until));
    const { forkedFrom } = await store.fold(Session, id);
    if (forkedFrom === null) return;
    const forkedAt = await store.seqAt(forkedFrom.stream, forkedFrom.version);
    await add(forkedFrom.sessionId, Math.min(until, forkedAt + AFTER_TURN), deep + 1);
  };
  for (const id of [sessionId, ...(await sessionsIn(store, worktreeId))]) await add(id, Number.MAX_SAFE_INTEGER, 0);
  return steps.toSorted((a, b) => a.seq - b.seq).slice(-STEPS_MAX);
}

/** A turn's end and its snapshot are in one append: a fork from the end has the files of the snapshot. */
const AFTER_TURN = 2;

function stepsOf(sessionId: string, intervals: readonly Interval[]): readonly Step[] {
  const [first] = intervals;
  if (first === undefined) return [];
  const born = { snapshot: first.from, seq: first.startSeq, turn: null, others: NOBODY };
  return [
    born,
    ...intervals.map(({ to, by, turnId, endSeq, others }) => ({
      snapshot: to,
      seq: endSeq,
      turn: turnId === null || by === "others" || by === "restore" ? null : { sessionId, turnId },
      others: others?.names ?? NOBODY,
    })),
  ];
}

/** Other sessions that work or worked in the worktree: they are younger than the one that it was made for. */
async function sessionsIn(store: Pick<Store, "rows">, worktreeId: string): Promise<readonly string[]> {
  const found: string[] = [];
  const folder = `/worktrees/${worktreeId}/tree`;
  let after: { readonly id: string } | undefined;
  for (let read = 0; read < SESSIONS_READ; read += PAGE) {
    const rows: readonly SessionRow[] = await store.rows(SESSIONS, {
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    for (const { id, cwd } of rows) {
      if (id < worktreeId) return found;
      if (cwd.endsWith(folder) || cwd.includes(`${folder}/`)) found.push(id);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) break;
    after = { id: last.id };
  }
  return found;
}
