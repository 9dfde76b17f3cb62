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
  /** All alarms that are set. */
  readonly set: number;
  /** Alarms that are due, counted up to 1,000. */
  readonly due: number;
  /** Due alarms that are late by more than a minute. */
  readonly overdue: number;
  /** How late the oldest due alarm is; 0 when none is due. */
  readonly lateMs: number;
  readonly stuck: readonly StuckAlarm[];
}

export interface StuckAlarm extends Trouble {
  /** The stream and the name of the alarm: `stream#name`. */
  readonly id: string;
}

export interface AlarmClock {
  readonly state: () => Promise<AlarmsState>;
  /** Looks for due alarms now; resolves when each was tried. */
  readonly look: () => Promise<void>;
  /** Rings no more alarms; waits a few seconds at most for running rings. */
  readonly stop: () => Promise<void>;
}

export interface AlarmOptions {
  readonly store: Pick<Store, "definitions" | "rows" | "count" | "onAppend">;
  readonly committer: Pick<Committer, "change">;
  readonly clock: Clock;
  /** Random number for retry waits: at least 0, less than 1. */
  readonly random: () => number;
  readonly log: (message: string, details: object) => void;
}

/** Look this often at least: wall clocks jump, and timers stop while a machine sleeps. */
const LOOK_AT_LEAST_MS = 30_000;
/** Several appends within this time cause one look. */
const PAUSE_MS = 20;
const PAGE_ROWS = 100;
const COUNTED_MAX = 1000;
const OVERDUE_MS = 60_000;
/** A ring that waits for its stream longer than this is left running, and the next alarm rings. */
const HOLD_UP_MS = 1000;
const UNDER_WAY_MAX = 32;
const STOP_MAX_MS = 5000;
/** A first failure may be a race; it is not reported. */
const TOLD_TRIES = 2;
/** Name of the look itself in the list of failures. */
const LOOK = "the list of alarms";

type Page =
  | { readonly after: RowPlace }
  | { readonly isAll: true; readonly nextDueAt: string | null }
  | { readonly isAll: false };

/** Rings due alarms in order of their times. Does nothing when no aggregate has alarms. */
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
  /** True: this alarm was set again, so the list has changed after it. */
  const ring = async (id: string, row: AlarmRow): Promise<boolean> => {
    let isSetAgain = false;
    const ringing = ringAlarm({ ...options, isStopped: () => isStopped }, row).then(
      (again) => {
        isSetAgain = again;
        backoff.worked(id);
      },
      (thrown: unknown) => {
        failed(id, thrown);
        // The look that started this ring no longer waits for it and may have ended.
        if (looking === null) arm(PAUSE_MS);
      },
    );
    underWay.set(id, ringing);
    void ringing.finally(() => underWay.delete(id));
    await unlessLate(clock, ringing, HOLD_UP_MS);
    if (underWay.size >= UNDER_WAY_MAX) await Promise.race(underWay.values());
    return isSetAgain;
  };

  /** Rings the due alarms of a page; returns where the next page begins. */
  const ringPage = async (rows: readonly AlarmRow[], seen: Set<string>): Promise<Page> => {
    for (const row of rows) {
      const id = stateRowId(row.stream, row.name);
      if (row.dueAt > now()) return { isAll: true, nextDueAt: row.dueAt };
      // The limit of remembered failures is reached.
      if (isStopped || (backoff.isFull() && backoff.trouble(id) === null)) return { isAll: false };
      seen.add(id);
      const isIdle = !underWay.has(id) && !backoff.isWaiting(id);
      if (isIdle && (await ring(id, row))) return { after: { key: row.dueAt, id } };
    }
    return behind(rows);
  };
  /** Returns the time of the next alarm that is not due yet; null when there is none. */
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
      // A running look may already have passed alarms that are due by now, so look again.
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
