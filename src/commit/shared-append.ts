import type { Folded } from "../domains/index.ts";
import { type NewEvent, type Quota, type RecordedEvent, StoreError, type StoreErrorCode } from "../store/index.ts";
import { type By, type Committed, type Seen, settled } from "./change.ts";
import { commitStreams, type StreamChange } from "./commit-streams.ts";
import type { Facts, Recording } from "./recording.ts";

/** A change of one stream that may share an append with other changes of that stream. */
export interface WaitingChange {
  readonly change: StreamChange;
  readonly by: By;
  readonly resolve: (done: Committed<readonly Folded[]>) => void;
  readonly reject: (reason: unknown) => void;
}

/** At most this many changes, and this many facts, share an append. */
export const CHANGES_MAX = 64;
const FACTS_MAX = 256;

/**
 * Decides changes of one stream one after another, each on the state the earlier ones leave, and appends all facts at
 * once, with one flush. No caller is answered before the flush. When the append is refused each change is made alone,
 * so that it ends as if there had been no others. Settles every change; never throws.
 */
export function createSharedAppend(
  recording: Recording,
): (stream: string, waiting: readonly WaitingChange[]) => Promise<void> {
  const alone = async (waiting: readonly WaitingChange[]): Promise<void> => {
    for (const { change, by, resolve, reject } of waiting)
      await commitStreams(recording, [change], { by }).then(resolve, reject);
  };

  const decideOne = async (one: WaitingChange, before: Folded): Promise<Outcome> => {
    try {
      const facts = settled(await one.change.decide(before, seenIn(one.change.stream, before)));
      return { one, before, facts, quota: facts.length === 0 ? null : recording.judge(facts) };
    } catch (thrown) {
      return { one, thrown };
    }
  };

  /** As many changes as one append can take, and at least the first. */
  const decideSome = async (stream: string, waiting: readonly WaitingChange[]): Promise<Batch> => {
    const first = await recording.fold(stream);
    const batch = emptyBatch(first);
    let folded = first;
    for (const one of waiting) {
      const outcome = await decideOne(one, folded);
      if ("facts" in outcome && !hasRoom(batch, outcome)) break;
      const events = "facts" in outcome ? recording.placed(stream, outcome.facts, one.by) : [];
      folded = events.reduce(
        (state, { id, at, fact }) =>
          recording.evolve(stream, state, { id, at, fact, version: state.state.version + 1 }),
        folded,
      );
      add(batch, outcome, events);
    }
    return batch;
  };

  /** How many changes are settled by now. */
  const runSome = async (stream: string, waiting: readonly WaitingChange[]): Promise<number> => {
    const batch = await decideSome(stream, waiting).catch((): null => null);
    if (batch === null) {
      await alone(waiting);
      return waiting.length;
    }
    const taken = batch.outcomes.length;
    try {
      settle(batch, await recording.appendOne(stream, batch.first, batch.events, quotaOf(batch)));
    } catch (thrown) {
      if (leavesNothing(thrown)) await alone(waiting.slice(0, taken));
      else fail(batch, thrown);
    }
    return taken;
  };

  return async (stream, waiting) => {
    if (waiting.length === 1) return alone(waiting);
    for (let rest = waiting; rest.length > 0; ) rest = rest.slice(await runSome(stream, rest));
  };
}

function seenIn(own: string, folded: Folded): Seen {
  return ({ stream, read }) => {
    if (stream !== own) throw new Error(`${stream} is not a part of this commit`);
    return read(folded);
  };
}

type Decided = {
  readonly one: WaitingChange;
  readonly before: Folded;
  readonly facts: Facts;
  readonly quota: Quota | null;
};
type Outcome = Decided | { readonly one: WaitingChange; readonly thrown: unknown };

interface Batch {
  readonly first: Folded;
  readonly outcomes: Outcome[];
  readonly events: NewEvent[];
  quota: Quota | null;
  /** Where the events of the last change begin. */
  lastAt: number;
}

function emptyBatch(first: Folded): Batch {
  return { first, outcomes: [], events: [], quota: null, lastAt: 0 };
}

function add(batch: Batch, outcome: Outcome, events: readonly NewEvent[]): void {
  batch.outcomes.push(outcome);
  if (!("facts" in outcome) || events.length === 0) return;
  batch.quota = outcome.quota;
  batch.lastAt = batch.events.length;
  batch.events.push(...events);
}

function hasRoom({ events, quota }: Batch, { facts, quota: own }: Decided): boolean {
  if (events.length === 0 || facts.length === 0) return true;
  return events.length + facts.length <= FACTS_MAX && sameQuota(quota, own);
}

function sameQuota(one: Quota | null, other: Quota | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.streamBytes === other.streamBytes &&
    one.homeBytes === other.homeBytes &&
    one.besideBytes === other.besideBytes &&
    one.overdraw === other.overdraw
  );
}

/** Only the last change may pass a limit, as if they came one after another. */
function quotaOf({ quota, lastAt }: Batch): Quota | null {
  return quota?.overdraw === true ? { ...quota, fitting: lastAt } : quota;
}

function settle({ outcomes }: Batch, written: readonly RecordedEvent[]): void {
  let at = 0;
  for (const outcome of outcomes) {
    if ("thrown" in outcome) outcome.one.reject(outcome.thrown);
    else {
      const { one, before, facts } = outcome;
      one.resolve({ events: written.slice(at, at + facts.length), before: [before] });
      at += facts.length;
    }
  }
}

/** It is unknown what was written. Changes before the first fact have their answer; all others get this error. */
function fail({ outcomes }: Batch, thrown: unknown): void {
  let isSure = true;
  for (const outcome of outcomes) {
    isSure &&= "thrown" in outcome || outcome.facts.length === 0;
    if (!isSure) outcome.one.reject(thrown);
    else if ("thrown" in outcome) outcome.one.reject(outcome.thrown);
    else outcome.one.resolve({ events: [], before: [outcome.before] });
  }
}

/** Refused because of its content; nothing was written. */
function leavesNothing(thrown: unknown): boolean {
  return thrown instanceof StoreError ? REFUSALS.includes(thrown.code) : thrown instanceof TypeError;
}

const REFUSALS: readonly StoreErrorCode[] = [
  "stale_version",
  "quota_exceeded",
  "payload_too_large",
  "blob_missing",
  "event_not_found",
  "disk_full",
];
