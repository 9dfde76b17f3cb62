import { NomosError, refusalError } from "../contract/index.ts";
import type { Folded } from "../domains/index.ts";
import {
  type Aggregate,
  type AnyFact,
  type Decision,
  type Folding,
  isRefusal,
  type Refusal,
  Session,
  type SessionState,
  streamOf,
} from "../kernel/index.ts";
import type { CallRef, RecordedEvent, StreamVersion } from "../store/index.ts";

/** Who makes a change: the principal, the cause, and the call that asked for it. */
export interface By {
  readonly actor: string;
  readonly cause?: string | null;
  readonly call?: CallRef | null;
}

/** A stream and how its fold is read. `read` throws when the fold is not of the expected aggregate. */
export interface Subject<State> {
  readonly stream: string;
  readonly read: (folded: Folded) => State;
}

/** The state of another stream of the same commit, as it was when the decisions were made. */
export type Seen = <State>(of: Subject<State>) => State;

export interface Change<State> {
  readonly of: Subject<State>;
  /**
   * May run again when a guarded stream moved, so it must have no side effects. No facts: the stream gets no events.
   */
  readonly decide: (state: State, seen: Seen) => Decision | Promise<Decision>;
  /** For the first event of a fork: the parent's event whose hash it continues. */
  readonly continues?: StreamVersion;
}

export type Changes<States extends readonly unknown[]> = { readonly [At in keyof States]: Change<States[At]> };

/** A stream that the commit only checks: the condition must still hold when the events are written. */
export interface Guard {
  readonly stream: string;
  readonly check: (folded: Folded) => Refusal | null;
}

export interface CommitOptions {
  readonly by: By;
  readonly expect?: readonly Guard[];
}

export interface Committed<State> {
  /** The states, in the order of the changes. */
  readonly events: readonly RecordedEvent[];
  /** The state that the decision was made on. */
  readonly before: State;
}

/** A session that exists and was not forgotten. */
export function knownSession(id: string): Subject<SessionState> {
  const { stream, read } = subjectOf(Session, id);
  return {
    stream,
    read: (folded) => {
      const state = read(folded);
      if (state.spec === null || state.forgotten) throw new NomosError("session_not_found", { id });
      return state;
    },
  };
}

/** A stream by aggregate and id, typed by the aggregate's state. It may have no events yet. */
export function subjectOf<State extends Folding>(of: Aggregate<State>, id: string): Subject<State> {
  // A fold is read only with the aggregate that its stream belongs to.
  return { stream: streamOf(of, id), read: (folded) => folded.state as State };
}

/** A condition on a stream that a commit only checks. */
export function guardOf<State extends Folding>(
  of: Aggregate<State>,
  id: string,
  check: (state: State) => Refusal | null,
): Guard {
  const { stream, read } = subjectOf(of, id);
  return { stream, check: (folded) => check(read(folded)) };
}

/** Returns the facts of a decision; throws its refusal. */
export function settled(decision: Decision): readonly AnyFact[] {
  if (!isRefusal(decision)) return decision;
  throw refusalError(decision);
}
