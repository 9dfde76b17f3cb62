import { NomosError } from "../contract/index.ts";
import type { Clock } from "../host/index.ts";
import {
  type CustomFact,
  type Decision,
  eraseData,
  type Fact,
  type Folded,
  isRefusal,
  type NewId,
  type SessionState,
  sessionStream,
} from "../kernel/index.ts";
import type { CallRef, RecordedEvent, Store } from "../store/index.ts";

/** Who is behind a change: the principal, what caused it, and the call that asked for it. */
export interface By {
  readonly actor: string;
  readonly cause?: string | null;
  readonly call?: CallRef | null;
}

export interface Committed<State> {
  readonly events: readonly RecordedEvent[];
  /** As it was when the decision was made. */
  readonly before: State;
}

/** Fold, decide, append: the one way anything changes. Changes of one stream are made one after another. */
export interface Committer {
  readonly fence: number;
  readonly change: (
    stream: string,
    decide: (folded: Folded) => Decision,
    by: By,
    continues?: { readonly stream: string; readonly version: number },
  ) => Promise<Committed<Folded>>;
  readonly session: (id: string, decide: (state: SessionState) => Decision, by: By) => Promise<Committed<SessionState>>;
  /** Erases the data of a session's events, between its turns. */
  readonly erase: (id: string, events: readonly string[], reason: string, by: By) => Promise<readonly RecordedEvent[]>;
  readonly sessionState: (id: string) => Promise<SessionState>;
  /** While nothing else changes this session. Other sessions may be changed meanwhile, by the work too. */
  readonly alone: <T>(id: string, work: () => Promise<T>) => Promise<T>;
}

export function createCommitter(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly fence: number;
}): Committer {
  const { store, clock, newId, fence } = deps;
  const inLine = createLine();

  const change: Committer["change"] = (stream, decide, by, continues) =>
    inLine(stream, async () => {
      const before = await store.fold(stream);
      const facts = settled(decide(before));
      if (facts.length === 0) return { events: [], before };
      const at = clock.iso(clock.nowMs());
      const events = facts.map((fact) => ({ id: newId(), at, actor: by.actor, cause: by.cause ?? null, fact }));
      const part = {
        stream,
        expectedVersion: before.state.version,
        events,
        ...(continues === undefined ? {} : { continues }),
      };
      return { events: await store.append([part], { fence, call: by.call ?? null }), before };
    });

  const sessionState = async (id: string): Promise<SessionState> => known(await store.fold(sessionStream(id)), id);

  return {
    fence,
    change,
    sessionState,
    alone: (id, work) => inLine(sessionStream(id), work),
    erase: (id, ids, reason, by) =>
      inLine(sessionStream(id), async () => {
        const state = await sessionState(id);
        const found = await Promise.all(ids.map((eventId) => store.event(eventId)));
        const targets = found.map((event, index) => {
          if (event?.stream !== state.stream) throw new NomosError("event_not_found", { eventId: ids[index] ?? "" });
          return event;
        });
        const [erased] = settled(eraseData(state, targets, reason));
        if (erased === undefined) return [];
        const event = {
          id: newId(),
          at: clock.iso(clock.nowMs()),
          actor: by.actor,
          cause: by.cause ?? null,
          fact: erased,
        };
        return store.erase(state.stream, ids, event, { fence, call: by.call ?? null });
      }),
    session: async (id, decide, by) => {
      const { events, before } = await change(sessionStream(id), (folded) => decide(known(folded, id)), by);
      return { events, before: known(before, id) };
    },
  };
}

/** The facts of a decision; a refusal is thrown. */
export function settled(decision: Decision): readonly (Fact | CustomFact)[] {
  if (!isRefusal(decision)) return decision;
  throw new NomosError(decision.refused, decision.details);
}

function known(folded: Folded, id: string): SessionState {
  if (folded.kind !== "session" || folded.state.spec === null || folded.state.forgotten)
    throw new NomosError("session_not_found", { id });
  return folded.state;
}

/** Work on one name in order of arrival; different names do not wait for each other. */
function createLine(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(work, work);
    const done = mine.then(
      () => undefined,
      () => undefined,
    );
    last.set(name, done);
    return mine.finally(() => {
      if (last.get(name) === done) last.delete(name);
    });
  };
}
