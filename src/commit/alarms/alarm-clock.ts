import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../host/index.ts";
import { ALARMS, type AlarmRow, stateRowId } from "../../kernel/index.ts";
import type { RecordedEvent, RowPlace, Store } from "../../store/index.ts";
import { createBackoff } from "../backoff.ts";
import type { Committer } from "../committer.ts";
import { kindsWith } from "../kinds-with.ts";
import type { Trouble } from "../trouble.ts";
import { ringAlarm } from "./ring-alarm.ts";

export interface AlarmsState {
  /** Every alarm there is. */
  readonly set: number;
  /** Their time has come; more than a thousand are counted as a thousand. */
  readonly due: number;
  /** Of these, late by more than a minute. */
  readonly overdue: number;
  /** How late the oldest of them is; 0 when none is due. */
  readonly lateMs: number;
  readonly stuck: readonly StuckAlarm[];
}

export interface StuckAlarm extends Trouble {
  /** The stream and the name of the alarm: `stream#name`. */
  readonly id: string;
}

export interface AlarmClock {
  readonly state: () => Promise<AlarmsState>;
  /** Looks now; resolves when everything that is due was tried. */
  readonly look: () => Promise<void>;
  /** Nothing rings from now on; waits for what is under way, a few seconds at most. */
  readonly stop: () => Promise<void>;
}

export interface AlarmOptions {
  readonly store: Pick<Store, "definitions" | "rows" | "count" | "onAppend">;
  readonly committer: Pick<Committer, "change">;
  readonly clock: Clock;
  /** For the waits after a failure: at least 0, less than 1. */
  readonly random: () => number;
  readonly log: (message: string, details: object) => void;
}

/** Wall clocks jump and timers stand still while a machine sleeps: it looks this often whatever they say. */
const LOOK_AT_LEAST_MS = 30_000;
/** Appends that come together are looked at together. */
const PAUSE_MS = 20;
const PAGE_ROWS = 100;
const COUNTED_MAX = 1000;
const OVERDUE_MS = 60_000;
/** One that does not get to its stream for so long is left to itself, and the next one rings. */
const HOLD_UP_MS = 1000;
const UNDER_WAY_MAX = 32;
const STOP_MAX_MS = 5000;
/** The first time may be a race that is over by the next one. */
const TOLD_TRIES = 2;
/** Names the look itself among what failed. */
const LOOK = "the list of alarms";

type Page =
  | { readonly after: RowPlace }
  | { readonly isAll: true; readonly nextDueAt: string | null }
  | { readonly isAll: false };

/** Rings what is due, in order of the times. Costs nothing in a house whose aggregates have no alarms. */
export function startAlarms(options: AlarmOptions): AlarmClock {
  const { store, clock, log } = options;
  const kinds = kindsWith(store, ({ hasAlarms }) => hasAlarms);
  const backoff = createBackoff(clock, options.random);
  const underWay = new Map<string, Promise<void>>();
  let cancelTimer: (() => void) | null = null;
  let looking: Promise<void> | null = null;
  let isAskedAgain = false;
  let isStopped = false;

  const now = (): string => clock.iso(clock.nowMs());
  const failed = (id: string, thrown: unknown): void => {
    const { tries, code, message } = backoff.failed(id, thrown);
    if (tries === TOLD_TRIES && !isStopped) log("an alarm is due but failed; trying again", { id, code, message });
  };
  /** True: the list has changed behind this alarm. */
  const ring = async (id: string, row: AlarmRow): Promise<boolean> => {
    let isSetAgain = false;
    const ringing = ringAlarm({ ...options, isStopped: () => isStopped }, row).then(
      (again) => {
        isSetAgain = again;
        backoff.worked(id);
      },
      (thrown: unknown) => {
        failed(id, thrown);
        // The look that began it has left it to itself and may be over.
        if (looking === null) arm(PAUSE_MS);
      },
    );
    underWay.set(id, ringing);
    void ringing.finally(() => underWay.delete(id));
    await unlessLate(clock, ringing, HOLD_UP_MS);
    if (underWay.size >= UNDER_WAY_MAX) await Promise.race(underWay.values());
    return isSetAgain;
  };

  /** Rings the due ones of a page; says behind which the next page begins. */
  const ringPage = async (rows: readonly AlarmRow[], seen: Set<string>): Promise<Page> => {
    for (const row of rows) {
      const id = stateRowId(row.stream, row.name);
      if (row.dueAt > now()) return { isAll: true, nextDueAt: row.dueAt };
      // Too many have failed to remember one more.
      if (isStopped || (backoff.isFull() && backoff.trouble(id) === null)) return { isAll: false };
      seen.add(id);
      const isIdle = !underWay.has(id) && !backoff.isWaiting(id);
      if (isIdle && (await ring(id, row))) return { after: { key: row.dueAt, id } };
    }
    return behind(rows);
  };
  /** Resolves with the time of the next one that is not due yet; null when there is none. */
  const ringAllDue = async (): Promise<string | null> => {
    const seen = new Set<string>([LOOK]);
    let place: { readonly after?: RowPlace } = {};
    for (;;) {
      const page = await ringPage(await store.rows(ALARMS, { by: "due", limit: PAGE_ROWS, ...place }), seen);
      if ("after" in page) place = page;
      else {
        if (page.isAll) backoff.keepOnly(seen);
        return page.isAll ? page.nextDueAt : null;
      }
      await setImmediate();
    }
  };

  const arm = (waitMs: number): void => {
    cancelTimer?.();
    cancelTimer = isStopped ? null : clock.after(waitMs, () => void look());
  };
  const lookOnce = async (): Promise<void> => {
    isAskedAgain = false;
    const next = await ringAllDue().then(
      (found) => {
        backoff.worked(LOOK);
        return found;
      },
      (thrown: unknown) => {
        failed(LOOK, thrown);
        return null;
      },
    );
    arm(isAskedAgain ? PAUSE_MS : Math.min(dueInMs(clock, next), backoff.nextInMs() ?? LOOK_AT_LEAST_MS));
  };
  const look = (): Promise<void> => {
    isAskedAgain = true;
    looking ??= lookOnce().finally(() => {
      looking = null;
    });
    return looking;
  };

  const news = (events: readonly RecordedEvent[]): void => {
    if (isAskedAgain || !events.some(({ stream }) => kinds.has(stream))) return;
    isAskedAgain = true;
    if (looking === null) arm(PAUSE_MS);
  };
  const stopListening = kinds.isEmpty ? () => undefined : store.onAppend(news);
  if (!kinds.isEmpty) arm(0);

  return {
    state: async () => {
      const stuck = backoff.all().filter(({ tries }) => tries >= TOLD_TRIES);
      return kinds.isEmpty
        ? { set: 0, due: 0, overdue: 0, lateMs: 0, stuck }
        : { ...(await countAlarms(options)), stuck };
    },
    look: async () => {
      // One that has begun may have passed what is due by now.
      await looking;
      await look();
      await Promise.all(underWay.values());
    },
    stop: async () => {
      isStopped = true;
      stopListening();
      cancelTimer?.();
      await unlessLate(clock, Promise.all([looking, ...underWay.values()]), STOP_MAX_MS);
    },
  };
}

/** Where the page after these begins, if there is one. */
function behind(rows: readonly AlarmRow[]): Page {
  const last = rows.at(-1);
  if (last === undefined || rows.length < PAGE_ROWS) return { isAll: true, nextDueAt: null };
  return { after: { key: last.dueAt, id: stateRowId(last.stream, last.name) } };
}

/** At least 1, at most until the next regular look. A time that cannot be read is never due. */
function dueInMs(clock: Clock, dueAt: string | null): number {
  const leftMs = dueAt === null ? Number.NaN : Date.parse(dueAt) - clock.nowMs();
  return Math.min(LOOK_AT_LEAST_MS, Math.max(1, leftMs || LOOK_AT_LEAST_MS));
}

async function countAlarms({
  store,
  clock,
}: Pick<AlarmOptions, "store" | "clock">): Promise<Omit<AlarmsState, "stuck">> {
  const nowMs = clock.nowMs();
  const first = await store.rows(ALARMS, { by: "due", limit: COUNTED_MAX });
  const lateMs = first.filter(({ dueAt }) => dueAt <= clock.iso(nowMs)).map(({ dueAt }) => nowMs - Date.parse(dueAt));
  return {
    set: await store.count(ALARMS),
    due: lateMs.length,
    overdue: lateMs.filter((ms) => ms > OVERDUE_MS).length,
    lateMs: Math.max(0, ...lateMs),
  };
}

async function unlessLate(clock: Clock, work: Promise<unknown>, waitMs: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const forget = clock.after(waitMs, resolve);
  await Promise.race([work, late]);
  forget();
}
