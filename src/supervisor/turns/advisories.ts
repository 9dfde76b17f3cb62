import type { By, Changes, Committer, Seen } from "../../commit/index.ts";
import { subjectOf } from "../../commit/index.ts";
import { toNomosError } from "../../contract/index.ts";
import { dataIn, SESSION_EVENTS, Session, type SessionState, sessionStream, steerTurn } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { type Driver, loadText } from "../../turns/index.ts";

/** Something an agent should know that nobody asked for. It never starts a turn. */
export interface Advice {
  /** Told as data. Whoever writes it spells names so that they cannot pass for instructions. */
  readonly text: string;
  /** Recorded with the telling: all or nothing. */
  readonly changes: (told: ToldIn) => Changes<readonly unknown[]>;
  /** False when it was told meanwhile, or no longer holds. */
  readonly isDue: (seen: Seen) => boolean;
}

export interface ToldIn {
  readonly sessionId: string;
  readonly turnId: string;
  /** The message in the session's stream. */
  readonly steerId: string;
}

/** What a session should be told now. Asked before each turn, so it answers from memory. */
export type AdviceSource = (sessionId: string) => readonly Advice[];

/** Tells agents what they should know: a running turn that takes messages at once, any other with its next turn. */
export interface Advisories {
  readonly add: (source: AdviceSource) => void;
  /** Tells the running turn of a session, if its agent takes messages while it works. */
  readonly tell: (sessionId: string) => Promise<void>;
  /** What goes before the prompt of a turn that starts; null: nothing, or its agent reads it from the log. */
  readonly atStart: (state: SessionState, turnId: string, driver: Driver, isResumed: boolean) => Promise<string | null>;
}

export interface AdvisoriesDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly newId: () => string;
  readonly driver: (slug: string) => Driver;
  readonly log: (message: string, details: object) => void;
}

const BY: By = { actor: "daemon" };
const TEXT_CHARS_MAX = 8000;
/** Of one turn. */
const TOLD_MAX = 16;

export function createAdvisories({ store, committer, newId, driver, log }: AdvisoriesDeps): Advisories {
  const sources: AdviceSource[] = [];

  const record = async (sessionId: string, turnId: string, advice: Advice): Promise<string | null> => {
    const steerId = newId();
    const text = advice.text.slice(0, TEXT_CHARS_MAX);
    const kept = { text, blob: null, bytes: Buffer.byteLength(text) };
    const of = subjectOf(Session, sessionId);
    const isDue = (seen: Seen): boolean => {
      const { phase } = seen(of);
      return phase.at === "busy" && phase.turnId === turnId && advice.isDue(seen);
    };
    const message = {
      of,
      decide: (state: SessionState, seen: Seen) => (isDue(seen) ? steerTurn(state, { steerId, text: kept }) : []),
    };
    const beside = advice.changes({ sessionId, turnId, steerId }).map(({ of: other, decide }) => ({
      of: other,
      decide: (state: unknown, seen: Seen) => (isDue(seen) ? decide(state, seen) : []),
    }));
    try {
      // In one append: an agent is told once, also when the daemon dies.
      const changes = [message, ...beside] as Changes<readonly unknown[]>;
      const { events } = await committer.commit(changes, { by: BY });
      return events.some(({ type }) => type === "turn.steered@1") ? text : null;
    } catch (thrown) {
      // It is told with a later turn. The turn itself goes on.
      log("an agent was not told of something", { sessionId, code: toNomosError(thrown).code });
      return null;
    }
  };
  const recordAll = async (sessionId: string, turnId: string): Promise<readonly string[]> => {
    const told: string[] = [];
    for (const advice of sources.flatMap((source) => source(sessionId)).slice(0, TOLD_MAX)) {
      const text = await record(sessionId, turnId, advice);
      if (text !== null) told.push(text);
    }
    return told;
  };
  /** What an earlier run of this turn was told. */
  const toldBefore = async (sessionId: string, turnId: string): Promise<readonly string[]> => {
    const query = { turnId, types: ["turn.steered"], limit: TOLD_MAX };
    const { events } = await store.readStream(sessionStream(sessionId), query);
    const steers = events.map((event) => dataIn(SESSION_EVENTS, [event], "turn.steered@1"));
    return Promise.all(steers.flatMap((one) => (one === null ? [] : [loadText(store, one)])));
  };

  return {
    add: (source) => void sources.push(source),
    tell: async (sessionId) => {
      if (sources.every((source) => source(sessionId).length === 0)) return;
      const state = await committer.sessionState(sessionId).catch(() => null);
      if (state?.phase.at !== "busy" || driver(state.spec?.adapter ?? "").continues !== true) return;
      await recordAll(sessionId, state.phase.turnId);
    },
    atStart: async ({ id }, turnId, { continues }, isResumed) => {
      const told = isResumed ? await toldBefore(id, turnId) : await recordAll(id, turnId);
      // A driver that takes messages finds it in the log.
      return continues === true || told.length === 0 ? null : told.join("\n\n");
    },
  };
}
