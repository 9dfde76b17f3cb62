import type { By } from "../../../commit/index.ts";
import { toNomosError } from "../../../contract/index.ts";
import { isMendable, LANDINGS, type LandingRow, LandingStream, tellOfLanding } from "../../../domains/index.ts";
import { dataIn, isEnded, SESSION_EVENTS, Session, type SessionState, sessionStream } from "../../../kernel/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import type { LandingDeps } from "../landing-deps.ts";
import { lastTurnOf } from "../landing-message.ts";
import type { Ordering } from "../order-landing.ts";
import { refusalPrompt } from "./refusal-prompt.ts";

/** Tells agents why their landings were refused, and lands what they mended. */
export interface Mending {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

type Refused = Extract<LandingRow, { at: "refused" }>;

const LANDING = "landing/";
const DAEMON = "daemon";
const READ_MAX = 200;
const ADMITTED_READ = 20;

export function createMending(deps: LandingDeps, { queue }: Pick<Ordering, "queue">): Mending {
  const { store, committer, supervisor, log } = deps;
  /** Landings by the stream of the session that mends them. */
  const mending = new Map<string, string>();
  let isStopped = false;
  let stopListening = (): void => undefined;
  let work: Promise<void> = Promise.resolve();

  const later = (id: string, what: (row: Refused) => Promise<void>): void => {
    work = work.then(async () => {
      if (isStopped) return;
      try {
        const row = await store.row(LANDINGS, id);
        if (row?.at === "refused" && row.retriedAs === null) await what(row);
      } catch (thrown) {
        const { code, details } = toNomosError(thrown);
        if (!isStopped) log("a refused landing is not tried again", { id, code, reason: details["reason"] ?? null });
      }
    });
  };

  const tell = async (row: Refused): Promise<void> => {
    const { id, order } = row;
    if (row.told !== null || !isMendable(row.findings) || order.attempt >= order.attemptsMax) return;
    const { events } = await store.readStream(`${LANDING}${id}`, {
      types: ["landing.refused"],
      limit: 1,
      descending: true,
    });
    const by: By = { actor: DAEMON, cause: events[0]?.id ?? null };
    const before = await admittedBecause(order.sessionId, by.cause ?? "");
    const turnId = before ?? (await promptOf(row, by));
    if (turnId !== null) await committer.change(LandingStream, id, (state) => tellOfLanding(state, turnId), by);
  };
  /** Told by a daemon that ended before it could record it. */
  const admittedBecause = async (sessionId: string, cause: string): Promise<string | null> => {
    const query = { types: ["turn.admitted"], limit: ADMITTED_READ, descending: true };
    const { events } = await store.readStream(sessionStream(sessionId), query);
    const found = events.filter((event) => event.cause === cause);
    return dataIn(SESSION_EVENTS, found, "turn.admitted@1")?.turnId ?? null;
  };
  const promptOf = async (row: Refused, by: By): Promise<string | null> => {
    const { order } = row;
    const state = await store.fold(Session, order.sessionId);
    if (!canMend(state, row)) return null;
    const onto = row.findings.some(({ rule }) => rule === "conflict") ? await offered(row) : null;
    const input = { prompt: refusalPrompt(order, row, onto), queue: false, interrupt: false };
    const events = await supervisor.prompt(order.sessionId, input, by);
    return dataIn(SESSION_EVENTS, events, "turn.admitted@1")?.turnId ?? null;
  };
  /** The branch's commit, once the agent's git can read it. */
  const offered = async ({ id, order }: Refused): Promise<string | null> => {
    try {
      await using opened = await deps.git.open(order.repository, []);
      const onto = await opened.tip(order.into);
      if (onto !== null) await deps.trees.offer(order.sessionId, opened.git, onto);
      return onto;
    } catch (thrown) {
      log("the branch could not be shown to the agent of a landing", { id, reason: String(thrown) });
      return null;
    }
  };

  /** Whoever prompted the session since then decides when its work is landed. */
  const isPrompted = async (stream: string, told: string): Promise<boolean> => {
    const query = { types: ["turn.admitted"], limit: ADMITTED_READ, descending: true };
    const { events } = await store.readStream(stream, query);
    const at = events.findIndex((event) => dataIn(SESSION_EVENTS, [event], "turn.admitted@1")?.turnId === told);
    return at === -1 || events.slice(0, at).some(({ actor }) => actor !== DAEMON);
  };

  const mend = async (row: Refused): Promise<void> => {
    const { id, told, order } = row;
    if (told === null) return;
    const stream = sessionStream(order.sessionId);
    const { recentTurns, phase, queue: waiting } = await store.fold(Session, order.sessionId);
    const end = recentTurns.find(({ turnId }) => turnId === told);
    // Notes that came late are answered in turns of their own: they belong to it.
    if (end === undefined || phase.at === "busy" || waiting.length > 0) return void mending.set(stream, id);
    mending.delete(stream);
    if (end.outcome !== "completed" || (await isPrompted(stream, told))) return;
    const { into, how, message, checks, pullRequest } = order;
    const wish = { into, how, message: message ?? undefined, checks, pr: pullRequest !== null };
    const query = { types: ["turn.ended"], turnId: told, limit: 1 };
    const { events } = await store.readStream(sessionStream(order.sessionId), query);
    await queue(order.sessionId, wish, { actor: DAEMON, cause: events[0]?.id ?? null }, { id, order });
  };

  const news = (events: readonly RecordedEvent[]): void => {
    for (const event of events) {
      if (event.stream.startsWith(LANDING)) {
        const id = event.stream.slice(LANDING.length);
        if (event.type === "landing.refused@1") later(id, tell);
        if (event.type === "landing.told@1") later(id, mend);
      } else if (event.type === "turn.ended@1") {
        const id = mending.get(event.stream);
        if (id !== undefined) later(id, mend);
      }
    }
  };

  return {
    start: async () => {
      stopListening = store.onAppend(news);
      const rows = await store.rows(LANDINGS, { where: { state: "refused" }, limit: READ_MAX });
      for (const row of rows) if (row.at === "refused") later(row.id, row.told === null ? tell : mend);
      await work;
    },
    stop: async () => {
      isStopped = true;
      stopListening();
      await work;
    },
  };
}

/** A session that ended, waits for a limit, or went on by itself is left alone. */
function canMend(state: SessionState, { order }: Refused): boolean {
  const { spec, phase, queue, quota, worktree } = state;
  if (spec === null || spec.external !== null || isEnded(state) || state.forgotten || quota !== undefined) return false;
  if (phase.at !== "idle" && phase.at !== "hibernated") return false;
  return queue.length === 0 && worktree === order.worktreeId && lastTurnOf(state) === order.turnId;
}
