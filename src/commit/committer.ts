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
import type { Bounds } from "./bounds.ts";
import type { Growth } from "./growth.ts";
import { createLine } from "./line.ts";

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
  /**
   * A change of one stream together with the first events of a new one, in one append: what the one allows and what the
   * other begins with cannot come apart. The new stream's events come first.
   */
  readonly beget: (
    parent: string,
    child: string,
    decide: (state: SessionState) => Promise<{ readonly parent: Decision; readonly child: Decision }>,
    by: By,
  ) => Promise<readonly RecordedEvent[]>;
  /** Erases the data of a session's events, between its turns. */
  readonly erase: (id: string, events: readonly string[], reason: string, by: By) => Promise<readonly RecordedEvent[]>;
  readonly sessionState: (id: string) => Promise<SessionState>;
  /** Where a session's large bytes go, within its bounds. */
  readonly keeper: (id: string, growth: Growth) => Keeper;
  /** While nothing else changes this session. Other sessions may be changed meanwhile, by the work too. */
  readonly alone: <T>(id: string, work: () => Promise<T>) => Promise<T>;
}

export interface Keeper {
  readonly put: (bytes: Uint8Array) => Promise<string>;
  /** What is large is cut, not kept. */
  readonly isTight: () => boolean;
}

export function createCommitter(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly fence: number;
  readonly bounds: Bounds;
}): Committer {
  const { store, clock, newId, fence, bounds } = deps;
  const inLine = createLine();

  const placed = (facts: readonly (Fact | CustomFact)[], by: By) => {
    const at = clock.iso(clock.nowMs());
    return facts.map((fact) => ({ id: newId(), at, actor: by.actor, cause: by.cause ?? null, fact }));
  };

  const change: Committer["change"] = (stream, decide, by, continues) =>
    inLine(stream, async () => {
      const before = await store.fold(stream);
      const facts = settled(decide(before));
      if (facts.length === 0) return { events: [], before };
      const quota = bounds.judge(facts);
      const part = {
        stream,
        expectedVersion: before.state.version,
        events: placed(facts, by),
        ...(continues === undefined ? {} : { continues }),
      };
      return { events: await store.append([part], { fence, call: by.call ?? null, quota }), before };
    });

  const sessionState = async (id: string): Promise<SessionState> => known(await store.fold(sessionStream(id)), id);

  return {
    fence,
    change,
    sessionState,
    keeper: (id, growth) => ({
      put: async (bytes) => store.putBlob(bytes, await bounds.mayKeep(sessionStream(id), growth)),
      isTight: bounds.isTight,
    }),
    beget: (parent, child, decide, by) =>
      inLine(sessionStream(parent), async () => {
        const state = await sessionState(parent);
        const decided = await decide(state);
        const [first, second] = [settled(decided.child), settled(decided.parent)];
        const quota = bounds.judge([...first, ...second]);
        const parts = [
          { stream: sessionStream(child), expectedVersion: 0, events: placed(first, by) },
          { stream: state.stream, expectedVersion: state.version, events: placed(second, by) },
        ];
        return store.append(parts, { fence, call: by.call ?? null, quota });
      }),
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
        const [event] = placed([erased], by);
        return event === undefined ? [] : store.erase(state.stream, ids, event, { fence, call: by.call ?? null });
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
