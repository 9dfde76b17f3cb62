import { NomosError, refusalError } from "../contract/index.ts";
import {
  type Aggregate,
  type AnyFact,
  type Decision,
  type Folded,
  type Folding,
  isRefusal,
  type Refusal,
  Session,
  type SessionState,
  streamOf,
} from "../kernel/index.ts";
import type { CallRef, RecordedEvent, StreamVersion } from "../store/index.ts";

/** Who is behind a change: the principal, what caused it, and the call that asked for it. */
export interface By {
  readonly actor: string;
  readonly cause?: string | null;
  readonly call?: CallRef | null;
}

/** A stream, and how its fold is read. `read` throws when the fold is not what was asked for. */
export interface Subject<State> {
  readonly stream: string;
  readonly read: (folded: Folded) => State;
}

/** The state of another stream of the same commit, as it was when the decisions were made. */
export type Seen = <State>(of: Subject<State>) => State;

export interface Change<State> {
  readonly of: Subject<State>;
  /** Made again when a guard moved, so it changes nothing but its answer. No facts: nothing is appended to the stream. */
  readonly decide: (state: State, seen: Seen) => Decision | Promise<Decision>;
  /** For the first event of a fork: the parent's event whose hash it continues. */
  readonly continues?: StreamVersion;
}

export type Changes<States extends readonly unknown[]> = { readonly [At in keyof States]: Change<States[At]> };

/** A stream that is only looked at: what was found must still hold when the events are written. */
export interface Guard {
  readonly stream: string;
  readonly check: (folded: Folded) => Refusal | null;
}

export interface CommitOptions {
  readonly by: By;
  readonly expect?: readonly Guard[];
}

export interface Committed<State> {
  /** In the order of the changes. */
  readonly events: readonly RecordedEvent[];
  /** As it was when the decision was made. */
  readonly before: State;
}

/** A session that is there and was not forgotten. */
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

/** A stream by what it is of: its kind decides the type of its state. Also one that has no events yet. */
export function subjectOf<State extends Folding>(of: Aggregate<State>, id: string): Subject<State> {
  // A stream of a kind is folded by the aggregate of that kind and by no other.
  return { stream: streamOf(of, id), read: (folded) => folded.state as State };
}

/** What must be true of a stream that a commit only looks at. */
export function guardOf<State extends Folding>(
  of: Aggregate<State>,
  id: string,
  check: (state: State) => Refusal | null,
): Guard {
  const { stream, read } = subjectOf(of, id);
  return { stream, check: (folded) => check(read(folded)) };
}

/** The facts of a decision; a refusal is thrown. */
export function settled(decision: Decision): readonly AnyFact[] {
  if (!isRefusal(decision)) return decision;
  throw refusalError(decision);
}
