import { NomosError } from "../contract/index.ts";
import type { Folded } from "../domains/index.ts";
import {
  type Aggregate,
  type Decision,
  eraseData,
  type Folding,
  type SessionState,
  type SpaceNeed,
  sessionStream,
  streamOf,
} from "../kernel/index.ts";
import type { Redactor } from "../redaction/index.ts";
import type { RecordedEvent, StreamVersion } from "../store/index.ts";
import {
  type By,
  type Changes,
  type CommitOptions,
  type Committed,
  knownSession,
  type Subject,
  settled,
  subjectOf,
} from "./change.ts";
import { commitStreams, type StreamChange, streamChange } from "./commit-streams.ts";
import { createRecording, type RecordingDeps } from "./recording.ts";
import { CHANGES_MAX, createSharedAppend } from "./shared-append.ts";
import { createStreamQueues } from "./stream-queues.ts";

/**
 * Fold, decide, append: the one way anything changes. Changes of one stream run one after another, in order of arrival;
 * changes that wait at the same time may share an append.
 */
export interface Committer {
  readonly fence: number;
  /** What every fact passes before it is written. */
  readonly redactor: Redactor;
  /**
   * Changes several streams in one append: all or nothing. The guards in `expect` hold at the append itself; when a
   * guarded stream moved, everything is decided again. After a few attempts it throws `overloaded`.
   */
  readonly commit: <States extends readonly unknown[]>(
    changes: readonly [...Changes<States>],
    options: CommitOptions,
  ) => Promise<Committed<States>>;
  readonly change: <State extends Folding>(
    of: Aggregate<State>,
    id: string,
    decide: (state: State) => Decision,
    by: By,
    continues?: StreamVersion,
  ) => Promise<Committed<State>>;
  readonly session: (id: string, decide: (state: SessionState) => Decision, by: By) => Promise<Committed<SessionState>>;
  /** Erases the data of events of one stream when its state allows it: a session's between its turns. */
  readonly erase: <State extends Folding>(
    of: Aggregate<State>,
    id: string,
    events: readonly string[],
    reason: string,
    by: By,
  ) => Promise<readonly RecordedEvent[]>;
  readonly sessionState: (id: string) => Promise<SessionState>;
  /** Where a session's blobs are stored, within its quota. */
  readonly keeper: (id: string, spaceNeed: SpaceNeed) => Keeper;
  /**
   * Runs the work while nothing else changes this stream; the work changes it through its argument. Other streams may
   * change meanwhile, also by the work.
   */
  readonly alone: <State extends Folding, T>(
    of: Aggregate<State>,
    id: string,
    work: (own: Own<State>) => Promise<T>,
  ) => Promise<T>;
}

/** Holds one stream so that nothing else changes it. */
export interface Own<State> {
  readonly state: () => Promise<State>;
  readonly change: (decide: (state: State) => Decision, by: By) => Promise<readonly RecordedEvent[]>;
  readonly erase: (targets: readonly Erasable[], reason: string, by: By) => Promise<readonly RecordedEvent[]>;
}

interface Erasable {
  readonly id: string;
  readonly type: string;
}

export interface Keeper {
  /** A text without secrets. A text is redacted before it is cut or kept, so that no half of a secret stays. */
  readonly redact: (text: string) => string;
  /** Keeps bytes without the values of the vault, so perhaps fewer or more of them. */
  readonly put: (bytes: Uint8Array) => Promise<KeptBytes>;
  /** Large text is cut, not stored as a blob. */
  readonly isTight: () => boolean;
}

export interface KeptBytes {
  readonly blob: string;
  readonly bytes: number;
}

export function createCommitter(deps: RecordingDeps): Committer {
  const { store, fence, bounds, redactor } = deps;
  const recording = createRecording(deps);
  const queues = createStreamQueues(createSharedAppend(recording), CHANGES_MAX);

  const together = (
    changes: readonly StreamChange[],
    options: CommitOptions,
  ): Promise<Committed<readonly Folded[]>> => {
    const [first] = changes;
    // A change with guards or an idempotency key must not share an append: its refusal would hit the others.
    const isPlain = options.by.call == null && options.expect === undefined && first?.continues === undefined;
    if (first === undefined || changes.length > 1 || !isPlain) {
      const streams = changes.map(({ stream }) => stream);
      return queues.alone(streams, () => commitStreams(recording, changes, options));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Committed<readonly Folded[]>>();
    queues.join(first.stream, { change: first, by: options.by, resolve, reject });
    return promise;
  };

  const one = async <State>(
    of: Subject<State>,
    decide: (state: State) => Decision,
    by: By,
    continues?: StreamVersion,
  ): Promise<Committed<State>> => {
    const given = continues === undefined ? { of, decide } : { of, decide, continues };
    const { events, before } = await commit([given], { by });
    return { events, before: before[0] };
  };

  const commit = async <States extends readonly unknown[]>(
    changes: readonly [...Changes<States>],
    options: CommitOptions,
  ): Promise<Committed<States>> => {
    const { events, before: folds } = await together(changes.map(streamChange), options);
    const before = changes.map(({ of }, at) => of.read(folds[at] ?? store.definitions.empty(of.stream)));
    // One state for each change, in order. TypeScript cannot type a `map` over a tuple.
    return { events, before: before as readonly unknown[] as States };
  };

  const own = <State extends Folding>(kind: Aggregate<State>, id: string): Own<State> => {
    const of = subjectOf(kind, id);
    const state = () => store.fold(kind, id);
    return {
      state,
      change: async (decide, by) => (await commitStreams(recording, [streamChange({ of, decide })], { by })).events,
      erase: async (targets, reason, by) => {
        const [erased] = recording.placed(of.stream, settled(eraseData(kind, await state(), targets, reason)), by);
        const ids = targets.map((target) => target.id);
        return erased === undefined ? [] : store.erase(of.stream, ids, erased, { fence, call: by.call ?? null });
      },
    };
  };

  const sessionState = async (id: string): Promise<SessionState> =>
    knownSession(id).read(await store.foldStream(sessionStream(id)));
  const alone: Committer["alone"] = (of, id, work) => queues.alone([streamOf(of, id)], () => work(own(of, id)));

  return {
    fence,
    redactor,
    commit,
    change: (of, id, decide, by, continues) => one(subjectOf(of, id), decide, by, continues),
    session: (id, decide, by) => one(knownSession(id), decide, by),
    sessionState,
    keeper: (id, spaceNeed) => ({
      redact: redactor.text,
      put: async (given) => {
        const bytes = redactor.bytes(given);
        const blob = await store.putBlob(bytes, await bounds.mayKeep(sessionStream(id), spaceNeed));
        return { blob, bytes: bytes.length };
      },
      isTight: bounds.isTight,
    }),
    alone,
    erase: (of, id, ids, reason, by) =>
      alone(of, id, async ({ erase }) => {
        const stream = streamOf(of, id);
        const found = await Promise.all(ids.map((eventId) => store.event(eventId)));
        const targets = found.map((event, index) => {
          if (event?.stream !== stream) throw new NomosError("event_not_found", { eventId: ids[index] ?? "" });
          return event;
        });
        return erase(targets, reason, by);
      }),
  };
}
