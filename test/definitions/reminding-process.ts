import { appendFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createCommitter,
  createQueues,
  definedLimits,
  defineFollower,
  followLog,
  startAlarms,
  UNBOUNDED,
} from "../../src/commit/index.ts";
import { HOME_LEASE, SYSTEM_STREAM, System, systemFact } from "../../src/domains/index.ts";
import { systemClock } from "../../src/host/index.ts";
import { ALARMS, QUEUED } from "../../src/kernel/index.ts";
import { openSqliteStore, type Store } from "../../src/store/index.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { newRedactor } from "../support/redactor.ts";
import { event, newId } from "../support/store-home.ts";
import { MODULE } from "./aggregates.ts";
import { finishReminder, Reminder, setReminder } from "./reminder.ts";

/**
 * Sets reminders, rings them, starts waiting ones, ends running ones and follows the log, until it is killed. It kills
 * itself at the append of a given number: before the write, or after it and before the answer. With `end` nothing new
 * is set, and it ends when nothing is due or waiting.
 */
const [home = "", address = "", mode = "", at = "0"] = process.argv.slice(2);
const onFatal = () => process.exit(70);
const store =
  address === "sqlite"
    ? await openSqliteStore({ home, onFatal, definitions: MODULE })
    : await openPostgresStore({ url: address, onFatal, definitions: MODULE });
const { version, lease } = await store.fold(System, "");
const fence = lease.lastFence + 1;
const leased = systemFact("lease.acquired@1", { resource: HOME_LEASE, holder: String(process.pid), fence });
await store.append([{ stream: SYSTEM_STREAM, expectedVersion: version, events: [event(leased)] }], { fence });

let appends = 0;
const die = (): void => void process.kill(process.pid, "SIGKILL");
const append: Store["append"] = async (...given) => {
  appends += 1;
  const isLast = appends === Number(at);
  if (isLast && mode === "before") die();
  const written = await store.append(...given);
  if (isLast && mode === "after") die();
  return written;
};
const clock = systemClock();
const committer = createCommitter({
  store: { ...store, append },
  clock,
  newId,
  fence,
  bounds: UNBOUNDED,
  redactor: newRedactor(),
});
const common = { store, committer, clock, random: Math.random, log: () => undefined };
const BY = { actor: "test" };

const notes = join(home, "taken");
await followLog({
  ...common,
  fence,
  followers: [
    defineFollower({
      name: "reminders-done",
      types: ["reminder.done"],
      pauseMs: 1,
      take: async (events) => appendFileSync(notes, events.map(({ stream }) => `${stream}\n`).join("")),
      clear: async () => writeFileSync(notes, ""),
    }),
  ],
});
const alarms = startAlarms(common);
const queues = createQueues({ ...common, limitOf: definedLimits(store.definitions) });
writeSync(1, "up\n");

const finishRunning = async (): Promise<void> => {
  for (const { stream } of await store.rows(QUEUED, { where: { running: true }, limit: 10 }))
    await committer.change(Reminder, stream.slice("reminder/".length), finishReminder, BY);
};
for (let n = 0; mode !== "end"; n += 1) {
  const dueAt = clock.iso(clock.nowMs() + (n % 5) * 10);
  const plan = { dueAt, times: 1 + (n % 3), everyMs: 7, priority: n % 10 };
  await committer.change(Reminder, newId(), (state) => setReminder(state, plan), BY);
  await finishRunning();
}
while ((await store.count(ALARMS)) + (await store.count(QUEUED)) > 0) {
  await finishRunning();
  await sleep(5);
}
await sleep(100);
await alarms.stop();
await queues.stop();
await store.close();
process.exit(0);
