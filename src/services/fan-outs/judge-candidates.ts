import { FAN_OUT_DEFAULTS, NomosError, toNomosError } from "../../contract/index.ts";
import { FANOUT_LIMITS, FanoutStream, type Judgement, judgeCandidate, type KnownFanout } from "../../domains/index.ts";
import { Session, type SessionState } from "../../kernel/index.ts";
import { readTurns } from "../../supervisor/index.ts";
import { DAEMON, type FanOutDeps } from "./fan-out-deps.ts";

/** Judges the work of candidates behind their turns, a few at once. */
export interface Judges {
  /** Judges the session's work unless that is under way. */
  readonly ask: (fanoutId: string, sessionId: string) => void;
  /** Stops judging it: it goes. */
  readonly cancel: (sessionId: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface Asked {
  readonly fanoutId: string;
  readonly sessionId: string;
  readonly stop: AbortController;
  work: Promise<void> | null;
}

const TURNS_MAX = 1000;
const TRIES_MAX = 3;
const PAUSE_MS = 2000;
/** These may be over in a moment. */
const PASSING: readonly string[] = ["session_busy", "overloaded", "disk_low", "disk_full", "stale_version"];

/** The turn whose work can be judged now; null while the session works, waits, or has done nothing. */
export function judgeable(session: SessionState): string | null {
  const { phase, queue, quota, recentTurns, spec, forgotten } = session;
  const isAtWork = phase.at === "busy" || phase.at === "starting" || queue.length > 0 || quota !== undefined;
  return spec === null || forgotten || isAtWork ? null : (recentTurns.at(-1)?.turnId ?? null);
}

export function createJudges(deps: FanOutDeps, onJudged: (fanoutId: string) => void): Judges {
  const asked = new Map<string, Asked>();
  let isStopped = false;

  const pump = (): void => {
    const max = deps.config.show().fanOut?.judgedAtOnce ?? FAN_OUT_DEFAULTS.judgedAtOnce;
    const running = [...asked.values()].filter(({ work }) => work !== null).length;
    const waiting = [...asked.values()].filter(({ work }) => work === null);
    for (const one of isStopped ? [] : waiting.slice(0, Math.max(0, max - running))) one.work = run(one);
  };
  const run = async (one: Asked): Promise<void> => {
    try {
      await judge(deps, one);
    } catch (thrown) {
      if (!one.stop.signal.aborted)
        deps.log("a candidate could not be judged", { sessionId: one.sessionId, reason: String(thrown) });
    } finally {
      asked.delete(one.sessionId);
      if (!one.stop.signal.aborted) onJudged(one.fanoutId);
      pump();
    }
  };

  return {
    ask: (fanoutId, sessionId) => {
      if (isStopped || asked.has(sessionId)) return;
      asked.set(sessionId, { fanoutId, sessionId, stop: new AbortController(), work: null });
      pump();
    },
    cancel: async (sessionId) => {
      const one = asked.get(sessionId);
      if (one === undefined) return;
      one.stop.abort();
      if (one.work === null) asked.delete(sessionId);
      else await one.work;
    },
    stop: async () => {
      isStopped = true;
      const all = [...asked.values()];
      for (const { stop } of all) stop.abort();
      await Promise.all(all.map(({ work }) => work));
    },
  };
}

async function judge(deps: FanOutDeps, { fanoutId, sessionId, stop }: Asked): Promise<void> {
  const { store, committer } = deps;
  const state = await store.fold(FanoutStream, fanoutId);
  const session = await store.fold(Session, sessionId);
  const turnId = judgeable(session);
  if (state.at === "absent" || turnId === null) return;
  const judgement = await patiently(deps, stop.signal, () => judgementOf(deps, state, session, turnId, stop.signal));
  if (stop.signal.aborted) return;
  // Another turn has begun meanwhile: what was looked at may be half of its work. Its end asks again.
  if (judgeable(await store.fold(Session, sessionId)) !== turnId) return;
  await committer.change(FanoutStream, fanoutId, (now) => judgeCandidate(now, judgement), DAEMON);
}

/** Tries again what may be over in a moment. What stays is recorded as the candidate's fault. */
async function patiently(
  { clock }: FanOutDeps,
  signal: AbortSignal,
  look: () => Promise<Judgement>,
): Promise<Judgement> {
  for (let tries = 1; ; tries += 1) {
    const judgement = await look();
    const isPassing = judgement.error !== null && PASSING.includes(judgement.error.code);
    if (!isPassing || tries === TRIES_MAX || signal.aborted) return judgement;
    await clock.sleep(PAUSE_MS * tries, signal).catch(() => undefined);
  }
}

async function judgementOf(
  deps: FanOutDeps,
  { order, tried }: KnownFanout,
  session: SessionState,
  turnId: string,
  signal: AbortSignal,
): Promise<Judgement> {
  const { store, trees, landings, config } = deps;
  const sessionId = session.id;
  const { turns } = await readTurns(store, session, { after: 0, limit: TURNS_MAX });
  const known = {
    ...{ sessionId, turnId, outcome: session.recentTurns.at(-1)?.outcome ?? "failed" },
    turnMs: turns.reduce((sum, turn) => sum + durationMs(turn), 0),
    spent: session.spent ?? null,
  };
  const untried = { into: null, checks: null, checkMs: null, findings: [], more: 0 };
  const unknown = { files: 0, added: 0, removed: 0, paths: [] };
  try {
    if (!tried.some((one) => one.sessionId === sessionId)) throw new NomosError("fanout_candidate_not_found");
    const changes = await trees.changes(sessionId, { patchBytesMax: 0 });
    const paths = changes.files.slice(0, FANOUT_LIMITS.paths.max).map(({ path }) => path);
    const counts = { files: changes.files.length, added: changes.added, removed: changes.removed, paths };
    if (changes.files.length === 0) return { ...known, ...untried, ...counts, error: null };
    const wish = { into: order.into ?? undefined, checks: order.checks };
    const { into, findings, checkMs } = await landings.tryOut(sessionId, wish, signal);
    const checks = (config.show().landing?.checks ?? []).length + order.checks.length;
    return {
      ...known,
      ...counts,
      into,
      findings,
      more: 0,
      checkMs,
      checks: checkMs === null ? null : checks,
      error: null,
    };
  } catch (thrown) {
    const { code, message, details } = toNomosError(thrown);
    const error = { code, message: code === "internal" ? String(details["reason"] ?? message) : message };
    return { ...known, ...untried, ...unknown, error };
  }
}

function durationMs({ startedAt, endedAt }: { readonly startedAt: string; readonly endedAt: string | null }): number {
  return endedAt === null ? 0 : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
}
