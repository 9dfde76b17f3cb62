import { expect } from "vitest";
import { Reminder } from "../../../test/definitions/reminder.ts";
import { reminderFact } from "../../../test/definitions/reminder-events.ts";
import { createReminderMemory, type ReminderMemory } from "../../../test/definitions/reminder-memory.ts";
import { proves } from "../../../test/support/proves.ts";
import { createDefinitions } from "../../domains/index.ts";
import { ALARMS } from "../../kernel/index.ts";
import { type AlarmOptions, startAlarms } from "./alarm-clock.ts";

const BY = { actor: "test" };

/** Alarms on a clock in memory, and when they rang, looked and complained. */
function watch(at: ReminderMemory, more: Partial<AlarmOptions> = {}) {
  const looks: number[] = [];
  const told: object[] = [];
  const rows: typeof at.store.rows = (list, query) => {
    if (query.limit === 100) looks.push(at.elapsedMs());
    return at.store.rows(list, query);
  };
  const alarms = startAlarms({
    store: { ...at.store, rows },
    committer: at.committer,
    clock: at.clock,
    random: () => 0,
    log: (message, details) => told.push({ message, ...details }),
    ...more,
  });
  const rang = () =>
    at.disk.log
      .filter(({ type }) => type === "reminder.rang@1")
      .map((event) => Date.parse(event.at) - Date.parse(at.at(0)));
  return { alarms, looks, told, rang };
}

proves(
  "ALARM-1",
  "an alarm rings at its time, not before, and the clock looks at least every half minute",
  async () => {
    const at = createReminderMemory();
    const { alarms, looks, rang } = watch(at);
    await at.remind({ dueAt: at.at(70_000) });
    await at.remind({ dueAt: at.at(5_000), times: 3, everyMs: 2_000 });
    await at.pass(69_999);
    expect(rang()).toEqual([5_000, 7_000, 9_000]);
    expect(Math.max(...looks.slice(1).map((ms, n) => ms - (looks[n] ?? 0)))).toBe(30_000);
    await at.pass(1);
    expect(rang()).toEqual([5_000, 7_000, 9_000, 70_000]);
    expect(looks.length).toBeLessThan(16);
    await alarms.stop();
  },
);

proves("ALARM-1", "many appends within a moment cause one look, and appends of other streams none", async () => {
  const at = createReminderMemory();
  const { alarms, looks } = watch(at);
  await at.pass(0);
  expect(looks).toEqual([0]);
  await Promise.all(Array.from({ length: 50 }, () => at.remind({ dueAt: at.at(3_600_000) })));
  await at.pass(1_000);
  expect(looks).toEqual([0, 20]);
  await alarms.stop();
  await at.remind({ dueAt: at.at(0) });
  while (await at.clock.step());
  expect(looks).toEqual([0, 20]);
});

proves(
  "ALARM-1",
  "hundreds of alarms of one time ring once each, page by page, and repeated ones in order",
  async () => {
    const at = createReminderMemory();
    for (let n = 0; n < 250; n += 1) await at.remind({ dueAt: at.at(-n) });
    const { alarms, rang } = watch(at);
    await at.pass(100);
    expect(rang()).toHaveLength(250);
    expect(await at.store.count(ALARMS)).toBe(0);
    await alarms.stop();
  },
);

proves("ALARM-2", "the state counts what is set, due and late by more than a minute", async () => {
  const at = createReminderMemory();
  for (const ms of [-60_001, -60_000, -1, 0, 1, 100]) await at.remind({ dueAt: at.at(ms) });
  const { alarms } = watch(at);
  expect(await alarms.state()).toEqual({ set: 6, due: 4, overdue: 1, lateMs: 60_001, stuck: [] });
  await at.pass(1_000);
  expect(await alarms.state()).toEqual({ set: 0, due: 0, overdue: 0, lateMs: 0, stuck: [] });
  await alarms.stop();
});

proves("ALARM-2", "a list that cannot be read is read again after growing waits and reported once", async () => {
  const at = createReminderMemory();
  await at.remind({ dueAt: at.at(0) });
  let fails = 3;
  const looks: number[] = [];
  const rows: typeof at.store.rows = (list, query) => {
    if (query.limit !== 100) return at.store.rows(list, query);
    looks.push(at.elapsedMs());
    fails -= 1;
    return fails >= 0 ? Promise.reject(new Error("the disk is on fire")) : at.store.rows(list, query);
  };
  const { alarms, told, rang } = watch(at, { store: { ...at.store, rows } });
  await at.pass(3_500);
  expect((await alarms.state()).stuck).toMatchObject([{ id: "the list of alarms", tries: 3 }]);
  await at.pass(4_000);
  expect(looks.slice(0, 3)).toEqual([0, 1_000, 3_000]);
  expect(told).toHaveLength(1);
  expect(rang()).toHaveLength(1);
  expect((await alarms.state()).stuck).toEqual([]);
  await alarms.stop();
});

proves("ALARM-2", "an alarm that fails is listed as stuck until it works, ends or is taken away", async () => {
  const at = createReminderMemory();
  const bad = await at.remind({ dueAt: at.at(0), neverEnds: true });
  const { alarms, told } = watch(at);
  const stuck = async () => (await alarms.state()).stuck.map(({ id, tries }) => `${id} ${tries}`);
  await at.pass(900);
  expect(await stuck()).toEqual([]);
  await at.pass(200);
  expect(await stuck()).toEqual([`reminder/${bad}#due 2`]);
  await at.pass(2_000);
  expect(await stuck()).toEqual([`reminder/${bad}#due 3`]);
  expect(told).toMatchObject([{ id: `reminder/${bad}#due`, code: "alarm_failed" }]);
  await at.committer.change(Reminder, bad, () => [reminderFact("reminder.rang@1", { dueAt: at.at(0) })], BY);
  await at.pass(5_000);
  expect(await stuck()).toEqual([]);
  await alarms.stop();
});

proves("ALARM-2", "a ring that hangs holds up the next one for a second, and a stop for five", async () => {
  const at = createReminderMemory();
  const slow = await at.remind({ dueAt: at.at(-10) });
  await at.remind({ dueAt: at.at(-5) });
  const { change } = at.committer;
  let begun = 0;
  const hangs: typeof change = (...given) => {
    if (given[1] !== slow) return change(...given);
    begun += 1;
    return new Promise(() => undefined);
  };
  const { alarms, rang } = watch(at, { committer: { change: hangs } });
  await at.pass(999);
  expect(rang()).toEqual([]);
  await at.pass(2);
  expect(rang()).toEqual([1_000]);
  await at.pass(60_000);
  expect(begun).toBe(1);
  let isStopped = false;
  const stopped = alarms.stop().then(() => {
    isStopped = true;
  });
  await at.pass(4_999);
  expect(isStopped).toBe(false);
  await at.pass(1);
  await stopped;
});

proves("ALARM-2", "once stopped, no alarm rings, also none that was about to", async () => {
  const at = createReminderMemory();
  await at.remind({ dueAt: at.at(0) });
  await at.remind({ dueAt: at.at(10) });
  const { change } = at.committer;
  const gate = Promise.withResolvers<void>();
  const late: typeof change = async (...given) => {
    await gate.promise;
    return change(...given);
  };
  const { alarms, rang, told } = watch(at, { committer: { change: late } });
  await at.pass(1);
  const stopped = alarms.stop();
  gate.resolve();
  await stopped;
  while (await at.clock.step());
  expect(rang()).toEqual([]);
  expect(told).toEqual([]);
});

proves("ALARM-1", "a clock that is set back after the look rings nothing early", async () => {
  const at = createReminderMemory();
  await at.remind({ dueAt: at.at(1_000) });
  const { change } = at.committer;
  let backMs = -1_000;
  const clock = { ...at.clock, nowMs: () => at.clock.nowMs() - backMs };
  const late: typeof change = (...given) => {
    backMs = 500;
    return change(...given);
  };
  const { alarms, rang } = watch(at, { clock, committer: { change: late } });
  await at.pass(500);
  expect(rang()).toEqual([]);
  await at.pass(31_000);
  expect(rang()).toHaveLength(1);
  await alarms.stop();
});

proves("ALARM-1", "where no aggregate has alarms, nothing is read and no timer is set", async () => {
  const at = createReminderMemory();
  const store = { ...at.store, definitions: createDefinitions([]) };
  const { alarms } = watch(at, { store });
  expect(await at.clock.step()).toBe(false);
  expect(await alarms.state()).toEqual({ set: 0, due: 0, overdue: 0, lateMs: 0, stuck: [] });
  await alarms.stop();
});
