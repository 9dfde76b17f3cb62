import { NomosError } from "../contract/index.ts";
import type { Folded } from "../domains/index.ts";
import type { Clock } from "../host/index.ts";
import type { AnyFact, NewId, Placed } from "../kernel/index.ts";
import type { Redactor } from "../redaction/index.ts";
import type { AppendPart, NewEvent, Quota, RecordedEvent, Store, StreamVersion } from "../store/index.ts";
import type { Bounds } from "./bounds.ts";
import type { By } from "./change.ts";

export type Facts = readonly AnyFact[];

export interface RecordingDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly fence: number;
  readonly bounds: Bounds;
  readonly redactor: Redactor;
}

/** The steps of every change: check room, append, fold. */
export interface Recording {
  readonly fold: (stream: string) => Promise<Folded>;
  /** The fold after one more event of its stream. */
  readonly evolve: (stream: string, folded: Folded, event: Placed) => Folded;
  /** Throws when there is no room; otherwise returns the quota for the append. */
  readonly judge: (facts: Facts) => Quota | null;
  /** Facts as events. From here on they hold no secret. */
  readonly placed: (stream: string, facts: Facts, by: By) => readonly NewEvent[];
  readonly append: (
    parts: readonly AppendPart[],
    by: By,
    quota: Quota | null,
    expect: readonly StreamVersion[],
  ) => Promise<readonly RecordedEvent[]>;
  /** Appends to one stream the events of several callers, each with its own actor and cause. */
  readonly appendOne: (
    stream: string,
    before: Folded,
    events: readonly NewEvent[],
    quota: Quota | null,
  ) => Promise<readonly RecordedEvent[]>;
}

export function createRecording({ store, clock, newId, fence, bounds, redactor }: RecordingDeps): Recording {
  return {
    fold: store.foldStream,
    evolve: store.definitions.evolve,
    judge: (facts) => bounds.judge(store.definitions.spaceNeedOf(facts), facts),
    placed: (stream, facts, by) => {
      // The name of a stream is a part of every header: it could never be erased.
      if (redactor.text(stream) !== stream) throw new NomosError("secret_in_name");
      const at = clock.iso(clock.nowMs());
      const clean = (fact: AnyFact): AnyFact => {
        const data = redactor.data(fact.data);
        if (data === fact.data) return fact;
        if (store.definitions.isExact(fact.type)) throw new NomosError("secret_in_name");
        return { ...fact, data };
      };
      return facts.map((fact) => ({ id: newId(), at, actor: by.actor, cause: by.cause ?? null, fact: clean(fact) }));
    },
    append: async (parts, by, quota, expect) =>
      parts.length === 0 ? [] : store.append(parts, { fence, call: by.call ?? null, quota, expect }),
    appendOne: async (stream, before, events, quota) =>
      events.length === 0
        ? []
        : store.append([{ stream, expectedVersion: before.state.version, events, before }], { fence, quota }),
  };
}
