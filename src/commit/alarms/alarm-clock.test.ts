import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import { Reminder } from "../../../test/definitions/reminder.ts";
import { BY, openOnSqlite, type ReminderHome } from "../../../test/definitions/reminder-home.ts";
import { proves } from "../../../test/support/proves.ts";
import { type Clock, systemClock } from "../../host/index.ts";
import { ALARMS, refuse } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { type AlarmOptions, startAlarms } from "./alarm-clock.ts";

const HOUR_MS = 3_600_000;
const past = (ms: number) => new Date(Date.now() - ms).toISOString();

const alarmsOf = (at: ReminderHome, more: Partial<AlarmOptions> = {}) =>
  startAlarms({
    store: at.store(),
    committer: at.committer(),
    clock: systemClock(),
    random: () => 0,
    log: () => undefined,
    ...more,
  });

/** The test sets how far the wall clock is ahead. Waits use real timers, shortened. */
const movedClock = (aheadMs: () => number): Clock => {
  const clock = systemClock();
  return { ...clock, nowMs: () => clock.nowMs() + aheadMs() };
};

const rungTimes = async (store: Store) =>
  (await store.readAll({ limit: 10_000, types: ["reminder.rang"] })).events.map(({ stream, data }) => [
    stream,
    Object(data).dueAt,
  ]);

proves("ALARM-1", "several clocks look at once: each due time rings once, in order of the times", async () => {
  await using at = await openOnSqlite();
  const times = [5, 1, 4, 2, 3].map((n) => past(n * HOUR_MS));
  for (const dueAt of times) await at.remind({ dueAt, times: 2, everyMs: 30 * 60_000 });
  const clocks = [alarmsOf(at), alarmsOf(at), alarmsOf(at)];
  await Promise.all(clocks.flatMap((one) => [one.look(), one.look()]));
  await Promise.all(clocks.map((one) => one.stop()));
  const rang = await rungTimes(at.store());
  expect(rang).toHaveLength(10);
  expect(new Set(rang.map(String)).size).toBe(10);
  expect(await at.store().count(ALARMS)).toBe(0);
});

proves("ALARM-1", "a single clock rings alarms in order of their due times", async () => {
  await using at = await openOnSqlite();
  for (const n of [5, 1, 4, 2, 3]) await at.remind({ dueAt: past(n * HOUR_MS), times: 2, everyMs: 30 * 60_000 });
  const alarms = alarmsOf(at);
  await alarms.look();
  await alarms.stop();
  const times = (await rungTimes(at.store())).map(([, dueAt]) => dueAt);
  expect(times).toHaveLength(10);
  expect(times).toEqual(times.toSorted());
});

proves(
  "ALARM-1",
  "no alarm rings early, an append that sets an alarm wakes the clock, and a timer waits until its time",
  async () => {
    await using at = await openOnSqlite();
    let aheadMs = 0;
    const alarms = alarmsOf(at, { clock: movedClock(() => aheadMs) });
    const id = await at.remind({ dueAt: past(-HOUR_MS) });
    await alarms.look();
    expect((await at.store().fold(Reminder, id)).at).toBe("set");
    expect(await alarms.state()).toMatchObject({ set: 1, due: 0, stuck: [] });
    aheadMs = HOUR_MS;
    await alarms.look();
    expect((await at.store().fold(Reminder, id)).at).toBe("waiting");

    aheadMs = 0;
    const soon = await at.remind({ dueAt: past(-100) });
    await vi.waitFor(async () => expect((await at.store().fold(Reminder, soon)).at).toBe("waiting"), 10_000);
    await alarms.stop();
  },
);

proves(
  "ALARM-2",
  "a ring that leaves its alarm due appends nothing, is reported, is retried later and delays no other alarm",
  async () => {
    await using at = await openOnSqlite();
    const told: unknown[] = [];
    const bad = await at.remind({ dueAt: past(2 * HOUR_MS), neverEnds: true });
    const good = await at.remind({ dueAt: past(HOUR_MS) });
    const before = await at.store().lastSeq();
    const alarms = alarmsOf(at, { log: (message, details) => told.push({ message, ...details }) });
    await alarms.look();
    expect((await at.store().fold(Reminder, good)).at).toBe("waiting");
    await vi.waitFor(() => expect(told).toHaveLength(1), 10_000);
    expect(await at.store().lastSeq()).toBe(before + 1);
    const { stuck, due, overdue, lateMs } = await alarms.state();
    expect(stuck).toMatchObject([{ id: `reminder/${bad}#due`, code: "alarm_failed", tries: 2 }]);
    expect([due, overdue, lateMs >= 2 * HOUR_MS]).toEqual([1, 1, true]);
    await alarms.stop();
  },
);

proves(
  "ALARM-2",
  "a refused or failed ring is retried; a list row that disagrees with the stream does not ring",
  async () => {
    await using at = await openOnSqlite();
    const id = await at.remind({ dueAt: past(HOUR_MS) });
    const { change } = at.committer();
    let fails = 2;
    const failing: typeof change = async (...given) => {
      fails -= 1;
      if (fails === 1) throw new Error("the disk is on fire");
      if (fails === 0) return change(given[0], given[1], () => refuse("session_busy"), BY);
      return change(...given);
    };
    const alarms = alarmsOf(at, { committer: { change: failing } });
    await vi.waitFor(async () => expect((await at.store().fold(Reminder, id)).rang).toBe(1), 20_000);
    await alarms.stop();

    const stale = await at.remind({ dueAt: past(-HOUR_MS) });
    const row = JSON.stringify({ stream: `reminder/${stale}`, name: "due", dueAt: past(HOUR_MS) });
    await at.tamper(`UPDATE alarms SET due = '${past(HOUR_MS)}', row = '${row}'`);
    const again = alarmsOf(at);
    await again.look();
    await again.stop();
    expect((await at.store().fold(Reminder, stale)).rang).toBe(0);
  },
);

proves("ALARM-2", "a ring that fails after its pass has ended is retried like any other", async () => {
  await using at = await openOnSqlite();
  const id = await at.remind({ dueAt: past(HOUR_MS) });
  const { change } = at.committer();
  let isFirst = true;
  const slow: typeof change = async (...given) => {
    if (!isFirst) return change(...given);
    isFirst = false;
    await sleep(1500);
    throw new Error("the disk is on fire");
  };
  const alarms = alarmsOf(at, { committer: { change: slow } });
  await vi.waitFor(async () => expect((await at.store().fold(Reminder, id)).rang).toBe(1), 20_000);
  await alarms.stop();
});

proves("ALARM-2", "hundreds of alarms due at once all ring, and other appends are not held up", async () => {
  await using at = await openOnSqlite();
  const ids = await Promise.all(Array.from({ length: 300 }, (_, n) => at.remind({ dueAt: past(HOUR_MS + n) })));
  const alarms = alarmsOf(at);
  const looking = alarms.look();
  const late = await at.remind({ dueAt: past(-HOUR_MS) });
  const rangByThen = (await rungTimes(at.store())).length;
  await looking;
  await alarms.stop();
  expect(rangByThen).toBeLessThan(300);
  expect((await at.store().fold(Reminder, late)).at).toBe("set");
  for (const id of ids) expect((await at.store().fold(Reminder, id)).rang).toBe(1);
});
