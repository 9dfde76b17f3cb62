import { type By, type Committer, settled } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import { type Collected, type CollectedSession, recordCollection, System } from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";
import { archiveSession, Session, sessionFact } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { liveSnapshots } from "../files/live-snapshots.ts";
import { archiveSessionData, archiveThere, erasableOf, removeTorn } from "./archive-session.ts";
import { type DueSession, dueSessions } from "./due-sessions.ts";

/** Moves old data out of the log: that of sessions that ended long ago, and unused blobs. */
export interface Retention {
  /** A dry run of `collect`. */
  readonly plan: (maxAgeDays: number) => Promise<CollectionPlan>;
  /** One at a time, else `overloaded`. If a run is interrupted, the next one continues it. */
  readonly collect: (
    asked: { readonly maxAgeDays: number; readonly discard: boolean },
    progress: (done: number, of: number) => void,
    by: By,
  ) => Promise<readonly RecordedEvent[]>;
}

export type CollectionPlan = Omit<Collected, "maxAgeDays"> & {
  readonly needed: readonly { readonly id: string; readonly name: string }[];
};

export interface RetentionDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  /** The folder for archives. */
  readonly folder: string;
  /** Removes all snapshots except these. */
  readonly sweepSnapshots: (live: readonly string[]) => Promise<void>;
}

const DAY_MS = 86_400_000;
/** Sessions per run. The result says when more are left. */
const SESSIONS_MAX = 1000;
/** How many ids fit into one `data.erased` event. */
const ERASED_AT_ONCE = 20_000;
/** Time between storing a blob and appending the event that names it. */
const BLOB_GRACE_MS = 3_600_000;

export function createRetention({ store, committer, clock, folder, sweepSnapshots }: RetentionDeps): Retention {
  const { fence } = committer;
  let isUnderWay = false;

  const measure = async (session: DueSession): Promise<Measured> => {
    const names = new Map<string, number>();
    let [events, bytes] = [0, 0];
    for await (const { event } of erasableOf(store, session.id)) {
      events += 1;
      bytes += event.data.length + event.salt.length;
      for (const blob of event.blobs) names.set(blob, (names.get(blob) ?? 0) + 1);
    }
    return { session, events, bytes, names };
  };
  const duePlan = (maxAgeDays: number) => dueAtMost(store, clock.iso(clock.nowMs() - maxAgeDays * DAY_MS));

  /** Blobs that no event names once these sessions are collected. */
  const blobsOf = async (measured: readonly Measured[]): Promise<Freed> => {
    const names = new Map<string, number>();
    for (const one of measured) for (const [blob, n] of one.names) names.set(blob, (names.get(blob) ?? 0) + n);
    let [blobs, bytes] = [0, 0];
    for (const [blob, n] of names) {
      const use = await store.blobUse(blob);
      if (use === null || use.names > n) continue;
      blobs += 1;
      bytes += use.bytes;
    }
    return { blobs, bytes };
  };
  const sweep = (dryRun: boolean) => store.sweepBlobs({ fence, minAgeMs: BLOB_GRACE_MS, dryRun });

  /** Runs alone on the session: no other commit and no fork of it runs meanwhile. */
  const collectOne = (one: Measured, isNeeded: () => boolean, discard: boolean, by: By) =>
    committer.alone(Session, one.session.id, async (own): Promise<CollectedSession | null> => {
      const { id, name, endedAt } = one.session;
      const state = await own.state();
      if (isNeeded() || state.archived !== null || settled(archiveSession(state, NOTHING)).length === 0) return null;
      const targets: { readonly id: string; readonly type: string }[] = [];
      for await (const erasable of erasableOf(store, id)) targets.push({ id: erasable.id, type: erasable.type });
      const archive = discard
        ? null
        : targets.length > 0
          ? await archiveSessionData(store, folder, id)
          : await archiveThere(folder, id);
      // The call is recorded with the event of the whole collection, not with a step.
      const step = { ...by, call: null };
      for (let at = 0; at < targets.length; at += ERASED_AT_ONCE)
        await own.erase(targets.slice(at, at + ERASED_AT_ONCE), "archived", step);
      await own.change((now) => archiveSession(now, { archive, events: one.events }), step);
      return { id, name, endedAt, events: one.events, bytes: one.bytes, archive: archive?.file ?? null };
    });

  /** `needed` grows meanwhile: sessions that a new fork was made from. */
  const collectDue = async (
    taken: readonly DueSession[],
    needed: Set<string>,
    discard: boolean,
    progress: (done: number, of: number) => void,
    by: By,
  ): Promise<{ readonly collected: readonly CollectedSession[]; readonly freed: Freed }> => {
    const collected: CollectedSession[] = [];
    let freed: Freed = { blobs: 0, bytes: 0 };
    for (const [at, session] of taken.entries()) {
      const isNeeded = () => taken.some(({ id, ancestors }) => needed.has(id) && ancestors.includes(session.id));
      const one = await measure(session);
      const blobs = await blobsOf([one]);
      const done = await collectOne(one, () => needed.has(session.id) || isNeeded(), discard, by);
      if (done === null) needed.add(session.id);
      else {
        collected.push(done);
        freed = { blobs: freed.blobs + blobs.blobs, bytes: freed.bytes + blobs.bytes };
      }
      progress(at + 1, taken.length);
    }
    return { collected, freed };
  };

  const collect: Retention["collect"] = async ({ maxAgeDays, discard }, progress, by) => {
    await removeTorn(folder);
    // A fork made from now on keeps its parent and all ancestors, also one that is made while the plan is read.
    const { forked, stop } = watchForks(store);
    try {
      const due = await duePlan(maxAgeDays);
      const { collected, freed } = await collectDue(due.taken, forked, discard, progress, by);
      const swept = await sweep(false);
      await store.giveBack(fence);
      await sweepSnapshots(await liveSnapshots(store));
      const all = { blobs: freed.blobs + swept.blobs, bytes: freed.bytes + swept.bytes };
      const done = { maxAgeDays, ...totals(collected, due.more, all) };
      return (await committer.change(System, "", (state) => recordCollection(state, done), by)).events;
    } finally {
      stop();
    }
  };

  return {
    plan: async (maxAgeDays) => {
      const { taken, more, needed } = await duePlan(maxAgeDays);
      const measured: Measured[] = [];
      for (const session of taken) measured.push(await measure(session));
      const [blobs, swept] = [await blobsOf(measured), await sweep(true)];
      const sessions = measured.map(({ session: { id, name, endedAt }, events, bytes }) => ({
        ...{ id, name, endedAt, events, bytes },
        archive: null,
      }));
      const all = { blobs: blobs.blobs + swept.blobs, bytes: blobs.bytes + swept.bytes };
      return { ...totals(sessions, more, all), needed };
    },
    collect: async (asked, progress, by) => {
      if (isUnderWay) throw new NomosError("overloaded", { reason: "another collection is running" });
      isUnderWay = true;
      return collect(asked, progress, by).finally(() => {
        isUnderWay = false;
      });
    },
  };
}

async function dueAtMost(store: Store, endedBefore: string) {
  const found = await dueSessions(store, endedBefore);
  const taken = found.due.slice(0, SESSIONS_MAX);
  return { ...found, taken, more: found.due.length > taken.length };
}

/** Collects the sessions that forks are made from. */
function watchForks(store: Pick<Store, "onAppend">): { readonly forked: Set<string>; readonly stop: () => void } {
  const forked = new Set<string>();
  const stop = store.onAppend((events) => {
    for (const event of events) {
      const fact = sessionFact(event);
      if (fact?.type === "session.forked@1") forked.add(fact.data.from.sessionId);
    }
  });
  return { forked, stop };
}

interface Freed {
  readonly blobs: number;
  readonly bytes: number;
}

interface Measured {
  readonly session: DueSession;
  readonly events: number;
  readonly bytes: number;
  /** How often each blob is named. */
  readonly names: ReadonlyMap<string, number>;
}

const NOTHING = { archive: null, events: 0 };

function totals(sessions: readonly CollectedSession[], more: boolean, blobs: Freed): Omit<Collected, "maxAgeDays"> {
  const sum = (pick: (session: CollectedSession) => number) => sessions.reduce((all, one) => all + pick(one), 0);
  return {
    sessions,
    events: sum(({ events }) => events),
    bytes: sum(({ bytes }) => bytes),
    blobs: blobs.blobs,
    blobBytes: blobs.bytes,
    more,
  };
}
