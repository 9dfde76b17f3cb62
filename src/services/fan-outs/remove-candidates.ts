import { toNomosError } from "../../contract/index.ts";
import { FanoutStream, type KnownFanout, removeCandidate, type Tried } from "../../domains/index.ts";
import { Session } from "../../kernel/index.ts";
import { DAEMON, type FanOutDeps } from "./fan-out-deps.ts";
import type { Judges } from "./judge-candidates.ts";

const FILES_LISTED_MAX = 100;

/**
 * Ends the sessions that a person dropped and removes their worktrees, work and all. Returns what could not be removed,
 * by session: it is tried again.
 */
export async function removeCandidates(
  deps: FanOutDeps,
  judges: Pick<Judges, "cancel">,
  id: string,
  state: KnownFanout,
): Promise<ReadonlyMap<string, Error>> {
  const stuck = new Map<string, Error>();
  for (const one of state.tried.filter(({ drop }) => drop === "asked")) {
    try {
      const gone = await removeOne(deps, judges, state, one);
      await deps.committer.change(FanoutStream, id, (now) => removeCandidate(now, one.sessionId, gone), DAEMON);
    } catch (thrown) {
      stuck.set(one.sessionId, toNomosError(thrown));
    }
  }
  return stuck;
}

async function removeOne(
  { supervisor, trees, store }: FanOutDeps,
  judges: Pick<Judges, "cancel">,
  { order }: KnownFanout,
  { sessionId }: Tried,
): Promise<NonNullable<Tried["removed"]>> {
  await judges.cancel(sessionId);
  const nothing = { files: [], more: 0, snapshot: null };
  const session = await store.fold(Session, sessionId);
  if (session.spec === null) return nothing;
  if (!session.forgotten) await supervisor.kill(sessionId, `dropped from the fan-out ${order.name}`, DAEMON);
  // A worktree without work goes by itself.
  await supervisor.gone(sessionId);
  if ((await store.fold(Session, sessionId)).worktree == null) return nothing;
  const paths = await pathsIn(trees, sessionId);
  await trees.discard(sessionId, DAEMON);
  const snapshot = session.forgotten ? null : ((await supervisor.lastSnapshot(sessionId))?.snapshot ?? null);
  const files = paths.slice(0, FILES_LISTED_MAX);
  return { files, more: paths.length - files.length, snapshot };
}

/** What goes with a worktree. One that cannot be read any more is removed as well. */
export async function pathsIn(trees: FanOutDeps["trees"], sessionId: string): Promise<readonly string[]> {
  const changes = await trees.changes(sessionId, { patchBytesMax: 0 }).catch(() => null);
  return changes === null ? [] : changes.files.map(({ path }) => path);
}
