import { expect } from "vitest";
import { finishReminder, REMINDER_LANE, Reminder } from "../../../test/definitions/reminder.ts";
import { reminderFact } from "../../../test/definitions/reminder-events.ts";
import { createReminderMemory, type ReminderMemory } from "../../../test/definitions/reminder-memory.ts";
import { proves } from "../../../test/support/proves.ts";
import { createDefinitions } from "../../domains/index.ts";
import { QUEUED, type QueuedRow } from "../../kernel/index.ts";
import { createLaneMemory } from "./lane-memory.ts";
import { definedLimits, lanesOf, waitingIn } from "./lane-rows.ts";
import { createQueues, type QueueOptions } from "./queues.ts";
import { startItem } from "./start-item.ts";
import { listWaits, type WaitDeps } from "./waits.ts";

const BY = { actor: "test" };
const PAST = "2020-01-01T00:00:00.000Z";
const ROW: QueuedRow = {
  stream: "reminder/a",
  item: "work",
  lane: REMINDER_LANE,
  priority: 0,
  order: "a",
  at: "waiting",
  heldBy: null,
};

/** A reminder that has rung and waits in its lane. */
const wait = async (at: ReminderMemory, priority = 0): Promise<string> => {
  const id = await at.remind({ dueAt: PAST, priority });
  await at.committer.change(Reminder, id, () => [reminderFact("reminder.rang@1", { dueAt: PAST })], BY);
  return id;
};
const started = (at: ReminderMemory) =>
  at.disk.log.filter(({ type }) => type === "reminder.started@1").map(({ stream }) => stream.slice("reminder/".length));

function queuesOn(at: ReminderMemory, more: Partial<QueueOptions> = {}) {
  const told: object[] = [];
  const queues = createQueues({
    store: at.store,
    committer: at.committer,
    clock: at.clock,
    random: () => 0,
    log: (message, details) => told.push({ message, ...details }),
    limitOf: definedLimits(at.store.definitions),
    ...more,
  });
  return { queues, told };
}

proves("QUEUE-1", "an append starts what has room after one pause, however many appends there were", async () => {
  const at = createReminderMemory();
  const asked: number[] = [];
  const limits = definedLimits(at.store.definitions);
  const limitOf = (lane: string) => {
    asked.push(at.elapsedMs());
    return limits(lane);
  };
  const { queues } = queuesOn(at, { limitOf });
  await at.pass(100);
  const ids = [await wait(at), await wait(at), await wait(at)];
  await at.pass(19);
  expect(asked).toEqual([]);
  await at.pass(1);
  expect(started(at)).toEqual(ids.slice(0, 2));
  await at.pass(1_000);
  const looks = asked.length;
  expect(new Set(asked).size).toBeLessThan(4);
  await at.committer.change(Reminder, ids[0] ?? "", finishReminder, BY);
  await at.pass(20);
  expect(started(at)).toEqual(ids);
  expect(asked.length).toBeGreaterThan(looks);
  await queues.stop();
  await wait(at);
  while (await at.clock.step());
  expect(started(at)).toEqual(ids);
});

proves("QUEUE-1", "items that waited before the start are started; held ones and paused lanes are not", async () => {
  const at = createReminderMemory();
  const [held, free] = [await wait(at, 9), await wait(at)];
  await at.committer.change(Reminder, held, () => [reminderFact("reminder.held@1", { by: "an answer" })], BY);
  let isPaused = true;
  const { queues } = queuesOn(at, { limitOf: () => (isPaused ? { max: 2, pausedBecause: "no budget" } : { max: 2 }) });
  await at.pass(60_000);
  expect(started(at)).toEqual([]);
  isPaused = false;
  await queues.look(REMINDER_LANE);
  expect(started(at)).toEqual([free]);
  await at.committer.change(Reminder, held, () => [reminderFact("reminder.held@1", { by: null })], BY);
  await at.pass(20);
  expect(started(at)).toEqual([free, held]);
  await queues.stop();
});

proves(
  "QUEUE-2",
  "an item that fails to start is tried again after growing waits, and forgotten once it ended",
  async () => {
    const at = createReminderMemory();
    const bad = await wait(at, 9);
    const tries: number[] = [];
    const { change } = at.committer;
    let isBroken = true;
    const failing: typeof change = (...given) => {
      if (given[1] !== bad || !isBroken) return change(...given);
      tries.push(at.elapsedMs());
      return Promise.reject(new Error("the disk is on fire"));
    };
    const { queues, told } = queuesOn(at, { committer: { change: failing } });
    await at.pass(500);
    expect(queues.stuck()).toEqual([]);
    const good = await wait(at);
    await at.pass(20);
    expect(started(at)).toEqual([good]);
    await at.pass(7_000);
    expect(tries).toEqual([0, 1_000, 3_000, 7_000]);
    expect(queues.stuck()).toMatchObject([{ id: `reminder/${bad}#work`, tries: 4 }]);
    expect(told).toMatchObject([{ id: `reminder/${bad}#work`, lane: REMINDER_LANE, code: "internal" }]);
    isBroken = false;
    await at.pass(8_000);
    expect(started(at)).toEqual([good, bad]);
    expect(queues.stuck()).toEqual([]);
    await queues.stop();
    expect(await at.clock.step()).toBe(false);
  },
);

proves("QUEUE-2", "queues that cannot be read are read again five seconds later, and this is logged", async () => {
  const at = createReminderMemory();
  const id = await wait(at);
  let isBroken = true;
  const rows: typeof at.store.rows = (list, query) =>
    isBroken ? Promise.reject(new Error("the disk is on fire")) : at.store.rows(list, query);
  const { queues, told } = queuesOn(at, { store: { ...at.store, rows } });
  await at.pass(4_999);
  expect(told).toMatchObject([{ reason: "Error: the disk is on fire" }]);
  isBroken = false;
  expect(started(at)).toEqual([]);
  await at.pass(2);
  expect(started(at)).toEqual([id]);
  await queues.stop();
});

proves("QUEUE-1", "where nobody owns a lane, nothing is read and nothing is listened to", async () => {
  const at = createReminderMemory();
  const { queues } = queuesOn(at, { store: { ...at.store, definitions: createDefinitions([]) } });
  await wait(at);
  expect(await at.clock.step()).toBe(false);
  await queues.stop();
});

proves("QUEUE-1", "an item starts only while its stream says that it waits, in this lane and not held", async () => {
  const at = createReminderMemory();
  const id = await wait(at);
  const deps = { store: at.store, committer: at.committer, clock: at.clock };
  const row = { ...ROW, stream: `reminder/${id}` };
  for (const wrong of [{ item: "other" }, { lane: "reminder/other" }])
    await expect(startItem(deps, { ...row, ...wrong })).rejects.toMatchObject({ code: "start_failed" });
  await at.committer.change(Reminder, id, () => [reminderFact("reminder.held@1", { by: "an answer" })], BY);
  await expect(startItem(deps, row)).rejects.toMatchObject({ details: { reason: expect.stringContaining("doctor") } });
  await at.committer.change(Reminder, id, () => [reminderFact("reminder.held@1", { by: null })], BY);
  await startItem(deps, row);
  expect(started(at)).toEqual([id]);
  await expect(startItem(deps, row)).rejects.toMatchObject({ code: "start_failed" });
  expect(started(at)).toEqual([id]);
});

proves("QUEUE-1", "a lane is read page by page in its order, and each lane of an owner is found once", async () => {
  const rows = Array.from({ length: 230 }, (_, n) => ({ ...ROW, stream: `reminder/${n}`, order: `${1000 + n}` }));
  const found: string[] = [];
  const at = createReminderMemory();
  const pages: number[] = [];
  const paged: typeof at.store.rows = async (_list, { limit, after }) => {
    pages.push(limit);
    const from = after === undefined ? 0 : rows.findIndex(({ order }) => `9 ${order}` === after.key) + 1;
    return JSON.parse(JSON.stringify(rows.slice(from, from + limit)));
  };
  for await (const { stream } of waitingIn({ rows: paged }, REMINDER_LANE)) found.push(stream);
  expect(found).toEqual(rows.map(({ stream }) => stream));
  expect(pages).toEqual([100, 100, 100]);

  const lanes = ["reminder", "reminder-other/x", "reminder/a", "reminder/a", "reminder/b", "session/a"];
  const byLane: typeof at.store.rows = async (_list, { where, after }) => {
    const lane = where?.["lane" as keyof typeof where];
    const key =
      lane === undefined ? lanes.toSorted().find((one) => one > String(after?.key)) : lanes.find((one) => one === lane);
    return key === undefined ? [] : JSON.parse(JSON.stringify([{ ...ROW, lane: key }]));
  };
  const owned: string[] = [];
  for await (const lane of lanesOf({ rows: byLane }, "reminder")) owned.push(lane);
  expect(owned).toEqual(["reminder", "reminder/a", "reminder/b"]);
});

proves(
  "QUEUE-1",
  "the lanes of a stream are those it was in and is in; unseen earlier events make them unknown",
  async () => {
    const at = createReminderMemory();
    const memory = createLaneMemory(at.store);
    const id = await wait(at);
    const stream = `reminder/${id}`;
    expect(await memory.lanesOf(new Map([[stream, 2]]))).toBe("unknown");
    expect(await memory.lanesOf(new Map([[stream, 3]]))).toEqual(new Set([REMINDER_LANE]));
    for (const decide of [() => [reminderFact("reminder.started@1", { turn: 1 })], finishReminder])
      await at.committer.change(Reminder, id, decide, BY);
    expect(await memory.lanesOf(new Map([[stream, 4]]))).toEqual(new Set([REMINDER_LANE]));
    expect(await memory.lanesOf(new Map([[stream, 6]]))).toEqual(new Set());
    const fresh = await at.remind({ dueAt: PAST });
    expect(await memory.lanesOf(new Map([[`reminder/${fresh}`, 1]]))).toEqual(new Set());
  },
);

proves("QUEUE-2", "why an item waits: held, paused, failed, behind others, no place, or next", async () => {
  const at = createReminderMemory();
  const waiting = Array.from({ length: 1001 }, (_, n) => ({
    ...ROW,
    stream: `reminder/${n}`,
    heldBy: n === 1 ? "an answer" : null,
  }));
  const rows: typeof at.store.rows = async (_list, { limit }) => JSON.parse(JSON.stringify(waiting.slice(0, limit)));
  let running = 2;
  const deps: WaitDeps = {
    store: { rows, count: async () => running },
    limitOf: () => ({ max: 2 }),
    trouble: () => null,
  };
  const reasons = async (more: Partial<WaitDeps>, limit = 4) =>
    (await listWaits({ ...deps, ...more }, { limit })).waits.map(({ reason }) => reason);
  expect(await reasons({})).toEqual(["2 of 2 places taken", "an answer", "1 ahead of it", "2 ahead of it"]);
  running = 1;
  expect((await reasons({}))[0]).toBe("next");
  running = 3;
  expect((await reasons({}))[0]).toBe("3 of 2 places taken");
  expect((await reasons({ limitOf: () => null }))[0]).toBe("next");
  const paused = { max: 2, pausedBecause: "no budget" };
  expect(await reasons({ limitOf: () => paused }, 2)).toEqual(["paused: no budget", "an answer"]);
  const trouble = { code: "disk_full", message: "", remedy: "", since: "", tries: 1, nextTryAt: "soon" };
  expect((await reasons({ trouble: (id) => (id === "reminder/0#work" ? trouble : null) }, 3)).slice(0, 3)).toEqual([
    "could not be started (disk_full); tried again at soon",
    "an answer",
    "1 ahead of it",
  ]);
  expect((await reasons({}, 1001)).at(-1)).toBe("more than 1000 ahead of it");
});

proves("QUEUE-2", "waits are paged; a cursor that is not ours starts at the beginning", async () => {
  const at = createReminderMemory();
  for (let n = 0; n < 5; n += 1) await wait(at);
  const deps: WaitDeps = { store: at.store, limitOf: () => null, trouble: () => null };
  const page = (after?: string, limit = 2) => listWaits(deps, { limit, ...(after === undefined ? {} : { after }) });
  const first = await page();
  const second = await page(first.next ?? "");
  const third = await page(second.next ?? "");
  const all = [first, second, third].flatMap(({ waits }) => waits.map(({ stream }) => stream));
  expect(all).toEqual((await at.store.rows(QUEUED, { by: "place", limit: 9 })).map(({ stream }) => stream));
  expect(third).toMatchObject({ waits: [{}], next: null });
  expect((await page(undefined, 5)).next).toBeNull();
  for (const odd of ["", "{", "{}", "null", "7"]) expect(await page(odd)).toEqual(first);
  expect((await listWaits(deps, { limit: 9, lane: "reminder/other" })).waits).toEqual([]);
});
