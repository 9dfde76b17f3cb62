import { expect, vi } from "vitest";
import { finishReminder, REMINDER_LANE, Reminder } from "../../../test/definitions/reminder.ts";
import { reminderFact } from "../../../test/definitions/reminder-events.ts";
import { BY, openOnSqlite, type ReminderHome } from "../../../test/definitions/reminder-home.ts";
import { proves } from "../../../test/support/proves.ts";
import { admitted, appendTo, openSession } from "../../../test/support/store-home.ts";
import { systemClock } from "../../host/index.ts";
import { QUEUED, type Queued } from "../../kernel/index.ts";
import { definedLimits } from "./lane-rows.ts";
import { createQueues, type QueueOptions } from "./queues.ts";

const PAST = "2020-01-01T00:00:00.000Z";

const queuesOf = (at: ReminderHome, more: Partial<QueueOptions> = {}) =>
  createQueues({
    store: at.store(),
    committer: at.committer(),
    clock: systemClock(),
    random: () => 0,
    log: () => undefined,
    limitOf: definedLimits(at.store().definitions),
    ...more,
  });

/** A reminder that has rung and waits in its lane. */
const waiting = async (at: ReminderHome, priority = 0): Promise<string> => {
  const id = await at.remind({ dueAt: PAST, priority });
  await at.committer().change(Reminder, id, () => [reminderFact("reminder.rang@1", { dueAt: PAST })], BY);
  return id;
};
const held = (at: ReminderHome, id: string, by: string | null) =>
  at.committer().change(Reminder, id, () => [reminderFact("reminder.held@1", { by })], BY);
const running = (at: ReminderHome) => at.store().rows(QUEUED, { where: { running: true }, limit: 100 });
const startedOrder = async (at: ReminderHome) =>
  (await at.store().readAll({ limit: 1000, types: ["reminder.started"] })).events.map(({ stream }) => stream);

proves(
  "QUEUE-1",
  "a lane runs at most its limit, starts items by priority, then arrival, and each item once",
  async () => {
    await using at = await openOnSqlite();
    const [low, first, second, high] = [
      await waiting(at),
      await waiting(at, 5),
      await waiting(at, 5),
      await waiting(at, 9),
    ];
    const queues = [queuesOf(at)];
    const [one] = queues;
    await Promise.all(Array.from({ length: 10 }, () => one?.look(REMINDER_LANE)));
    expect(await startedOrder(at)).toEqual([high, first].map((id) => `reminder/${id}`));
    expect(await running(at)).toHaveLength(2);
    await at.committer().change(Reminder, high, finishReminder, BY);
    await vi.waitFor(async () => expect(await startedOrder(at)).toHaveLength(3), 10_000);
    expect(await running(at)).toHaveLength(2);
    for (const id of [first, second]) await at.committer().change(Reminder, id, finishReminder, BY);
    await vi.waitFor(async () => expect(await startedOrder(at)).toHaveLength(4), 10_000);
    expect(await startedOrder(at)).toEqual([high, first, second, low].map((id) => `reminder/${id}`));
    await one?.stop();
  },
);

proves("QUEUE-1", "after a restart running items still count, and items with room start by themselves", async () => {
  await using at = await openOnSqlite();
  for (let n = 0; n < 4; n += 1) await waiting(at);
  const before = queuesOf(at);
  await before.look(REMINDER_LANE);
  await before.stop();
  const [ended] = await running(at);
  await at.reopen();
  await at.committer().change(Reminder, ended?.stream.slice("reminder/".length) ?? "", finishReminder, BY);
  const after = queuesOf(at);
  await vi.waitFor(async () => expect(await startedOrder(at)).toHaveLength(3), 10_000);
  await after.look(REMINDER_LANE);
  expect(await running(at)).toHaveLength(2);
  await after.stop();
});

proves("QUEUE-2", "every waiting item says why, also a session's turns, which the queue never starts", async () => {
  await using at = await openOnSqlite();
  let pausedBecause: string | undefined = "the budget is used up";
  const limits = definedLimits(at.store().definitions);
  const queues = queuesOf(at, {
    limitOf: (lane) => {
      const limit = limits(lane);
      return limit === null || pausedBecause === undefined ? limit : { ...limit, pausedBecause };
    },
  });
  const stuck = await waiting(at, 9);
  await held(at, stuck, "it waits for an answer");
  for (let n = 0; n < 4; n += 1) await waiting(at);
  const session = await openSession(at.store());
  await appendTo(at.store(), session, [admitted("turn-a", "hello"), admitted("turn-b", "again")]);
  const reasons = async (lane?: string) =>
    (await queues.waits({ limit: 100, ...(lane === undefined ? {} : { lane }) })).waits.map(({ reason }) => reason);

  await queues.look(REMINDER_LANE);
  expect(await running(at)).toEqual([]);
  const paused = "paused: the budget is used up";
  expect(await reasons(REMINDER_LANE)).toEqual(["it waits for an answer", paused, paused, paused, paused]);
  pausedBecause = undefined;
  await queues.look(REMINDER_LANE);
  expect(await running(at)).toHaveLength(2);
  expect(await reasons(REMINDER_LANE)).toEqual(["it waits for an answer", "2 of 2 places taken", "1 ahead of it"]);
  await queues.look(session);
  expect(await reasons(session)).toEqual(["the session is starting", "the session is starting"]);
  expect(await reasons()).toHaveLength(5);

  const pages: string[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const page = await queues.waits({ limit: 2, ...(after === "" ? {} : { after }) });
    pages.push(...page.waits.map(({ stream, item }) => `${stream}#${item}`));
    after = page.next;
  }
  expect(new Set(pages).size).toBe(5);
  await held(at, stuck, null);
  for (const { stream } of await running(at))
    await at.committer().change(Reminder, stream.slice("reminder/".length), finishReminder, BY);
  await vi.waitFor(async () => expect((await startedOrder(at)).at(2)).toBe(`reminder/${stuck}`), 10_000);
  await queues.stop();
});

proves("QUEUE-2", "an item that fails to start is reported, retried later and does not block others", async () => {
  await using at = await openOnSqlite();
  const told: unknown[] = [];
  const bad = await waiting(at, 9);
  const good = await waiting(at);
  const { change } = at.committer();
  const failing: typeof change = async (...given) => {
    if (given[1] === bad) throw new Error("the disk is on fire");
    return change(...given);
  };
  const log = (message: string, details: object) => told.push({ message, ...details });
  const queues = queuesOf(at, { committer: { change: failing }, log });
  await queues.look(REMINDER_LANE);
  expect((await running(at)).map(({ stream }: { stream: string } & Queued) => stream)).toEqual([`reminder/${good}`]);
  await vi.waitFor(() => expect(told).toHaveLength(1), 10_000);
  expect(queues.stuck()).toMatchObject([{ id: `reminder/${bad}#work`, tries: 2 }]);
  const { waits } = await queues.waits({ lane: REMINDER_LANE, limit: 10 });
  expect(waits).toMatchObject([{ reason: expect.stringContaining("could not be started") }]);
  await queues.stop();
});
