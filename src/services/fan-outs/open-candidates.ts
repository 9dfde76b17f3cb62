import { toNomosError } from "../../contract/index.ts";
import {
  beginFanout,
  CANDIDATES_MIN,
  type Candidate,
  type FanoutOrder,
  FanoutStream,
  failCandidate,
  type KnownFanout,
  narrowDelegates,
  standing,
  type Tried,
} from "../../domains/index.ts";
import { isEnded, Session, type SessionState } from "../../kernel/index.ts";
import type { Supervisor } from "../../supervisor/index.ts";
import { loadText } from "../../turns/index.ts";
import { DAEMON, type FanOutDeps } from "./fan-out-deps.ts";

type Opening = Parameters<Supervisor["open"]>[0];

/** Worktrees that are made at the same time. */
const AT_ONCE = 2;

/**
 * Opens the sessions that are still missing. Their ids are in the log, so a daemon that goes on after a kill opens each
 * exactly once. Nobody gets the prompt before all are there.
 */
export async function openCandidates(deps: FanOutDeps, id: string, state: KnownFanout): Promise<void> {
  const open = async (one: Tried): Promise<void> => {
    if ((await deps.store.fold(Session, one.sessionId)).spec !== null) return;
    const by = { actor: state.order.actor };
    await orFail(deps, id, one, async () => {
      await deps.supervisor.open(await openingOf(deps, state, one), by, one.sessionId);
    });
  };
  const missing = standing(state);
  for (let at = 0; at < missing.length; at += AT_ONCE) await Promise.all(missing.slice(at, at + AT_ONCE).map(open));
  const left = standing(await deps.store.fold(FanoutStream, id));
  if (left.length < CANDIDATES_MIN) for (const one of left) await takeBack(deps, one);
  await deps.committer.change(FanoutStream, id, beginFanout, DAEMON);
}

/** Gives the prompt to every session that has none yet. */
export async function promptCandidates(deps: FanOutDeps, id: string, state: KnownFanout): Promise<void> {
  for (const one of standing(state)) {
    const session = await deps.store.fold(Session, one.sessionId);
    if (session.turnsEnded > 0 || session.queue.length > 0 || session.phase.at === "busy") continue;
    await orFail(deps, id, one, () => promptOne(deps, state, session));
  }
}

async function promptOne(deps: FanOutDeps, { prompt, order }: KnownFanout, session: SessionState): Promise<void> {
  if (prompt === null) throw new Error("the prompt was erased");
  const text = await loadText(deps.store, prompt);
  if (isEnded(session) || session.forgotten) throw new Error("the session ended before it got the prompt");
  await deps.supervisor.prompt(session.id, { prompt: text, queue: false, interrupt: false }, { actor: order.actor });
}

async function openingOf({ agents }: FanOutDeps, { order }: KnownFanout, one: Tried): Promise<Opening> {
  const agent = await agents.find(one.agent);
  return { ...candidateOpening(order, one), delegates: narrowDelegates(agent?.delegatesTo ?? [], null) };
}

/** What a candidate's session is opened with. */
export function candidateOpening(
  { start, base }: Pick<FanoutOrder, "start" | "base">,
  { driver, agent, model }: Pick<Candidate, "driver" | "agent" | "model">,
): Opening {
  const { cwd, ground, sandbox, scope, network, secrets, mode, label, title, floor, onlyRegistered } = start;
  return {
    ...(ground === null ? { cwd } : { ground }),
    ...{ adapter: driver, agent, label, secrets, onlyRegistered, worktree: true, title: title ?? undefined },
    base: base ?? undefined,
    sandbox: sandbox ?? undefined,
    scope: scope ?? undefined,
    network: network ?? undefined,
    floor: floor ?? undefined,
    settings: { ...(mode === null ? {} : { mode }), ...(model === null ? {} : { model }) },
  };
}

/** A session of a fan-out that did not come about. It had no prompt, so there is nothing to lose. */
async function takeBack({ supervisor, store }: FanOutDeps, { sessionId }: Tried): Promise<void> {
  const session = await store.fold(Session, sessionId);
  if (session.spec === null || session.forgotten) return;
  await supervisor.forget(sessionId, DAEMON);
  await supervisor.gone(sessionId);
}

async function orFail(
  { committer }: FanOutDeps,
  id: string,
  { sessionId }: Tried,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (thrown) {
    const { code, message, details } = toNomosError(thrown);
    const fault = { code, message: code === "internal" ? String(details["reason"] ?? message) : message };
    await committer.change(FanoutStream, id, (state) => failCandidate(state, sessionId, fault), DAEMON);
  }
}
