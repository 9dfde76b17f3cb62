import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { followLog, startAlarms } from "../../../src/commit/index.ts";
import { systemClock } from "../../../src/host/index.ts";
import { ALARMS, QUEUED } from "../../../src/kernel/index.ts";
import { openSqliteStore, type Store } from "../../../src/store/index.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { loadLog } from "../../../src/store/postgres/writer/load.ts";
import { MODULE } from "../../definitions/aggregates.ts";
import { doneFollower } from "../../definitions/done-follower.ts";
import { finishReminder, REMINDERS, Reminder, writeReminder } from "../../definitions/reminder.ts";
import { BY, type OpenReminders, openOnPostgres, openOnSqlite } from "../../definitions/reminder-home.ts";
import { checkpointOf, newSigner } from "../../support/bundles.ts";
import { testSchema } from "../../support/postgres.ts";
import { proves } from "../../support/proves.ts";
import { everyEvent, makeTestHome } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";
import { verdictOf } from "../../support/verifier.ts";

const clock = systemClock();
const PAST = "2020-01-01T00:00:00.000Z";
const FUTURE = "2999-01-01T00:00:00.000Z";

describe.each([
  ["sqlite", openOnSqlite],
  ["postgres", openOnPostgres],
] as const)("an aggregate that is only a definition, on %s", (_, open) => {
  describeLife(open);
  describeCopies(open);
});

function describeLife(open: OpenReminders): void {
  proves(
    "DEF-1",
    "it is folded, listed by its keys, searched and shown, also after a restart and from a fold snapshot",
    async () => {
      await using at = await open();
      const early = await at.remind({ dueAt: PAST }, "call the lighthouse");
      const late = await at.remind({ dueAt: FUTURE }, "paint the lighthouse");
      const { change } = at.committer();
      for (let n = 0; n < 150; n += 1)
        await change(Reminder, late, () => writeReminder(`paint the lighthouse ${n}`), BY);
      for (const open of [at.store, at.reopen]) {
        const store = await open();
        expect(await store.fold(Reminder, late)).toMatchObject({ version: 152, text: "paint the lighthouse 149" });
        expect((await store.fold(Reminder, late, 2)).text).toBe("paint the lighthouse");
        const byDue = await store.rows(REMINDERS, { by: "due", limit: 10, where: { done: false } });
        expect(byDue.map(({ id }) => id)).toEqual([early, late]);
        expect(await store.count(REMINDERS, { at: "set" })).toBe(2);
        expect((await store.rows(ALARMS, { by: "due", limit: 10 })).map(({ dueAt }) => dueAt)).toEqual([PAST, FUTURE]);
        const hits = await store.search("call lighthouse", 10, Reminder);
        expect(hits.map(({ stream }) => stream)).toEqual([`reminder/${early}`]);
        expect(await store.search("call lighthouse", 10, { kind: "session" })).toEqual([]);
        expect(store.definitions.linesOf({ type: "reminder.written@1", data: { text: "a\nb" } })).toHaveLength(2);
        expect(await store.verify()).toMatchObject({ ok: true });
        expect((await store.rebuild(null)).differences).toEqual([]);
      }
    },
  );

  proves(
    "DEF-1",
    "a damaged row is found and repaired by a rebuild, and so are rows of alarms and queues",
    async () => {
      await using at = await open();
      const id = await at.remind({ dueAt: FUTURE });
      await at.tamper("DELETE FROM reminders");
      await at.tamper("DELETE FROM alarms");
      const found = (await at.store().rebuild({ fence: 0 })).differences;
      expect(found.map(({ model, what }) => `${model} ${what}`).toSorted()).toEqual([
        "alarm missing",
        "reminder missing",
      ]);
      expect((await at.store().rebuild(null)).differences).toEqual([]);
      expect(await at.store().row(REMINDERS, id)).toMatchObject({ at: "set" });
      expect(await at.store().count(ALARMS)).toBe(1);
    },
  );

  proves("DEF-1", "its data is erased from the log, the list, the search and the blobs", async () => {
    await using at = await open();
    const blob = await at.store().putBlob(Buffer.from("a letter with the secret"));
    const id = await at.remind({ dueAt: FUTURE }, "the secret is parsley", blob);
    const { events } = await at.store().readStream(`reminder/${id}`, { limit: 10 });
    const said = events.find(({ type }) => type === "reminder.written@1");
    const set = events.find(({ type }) => type === "reminder.set@1");
    const { erase } = at.committer();
    await expect(erase(Reminder, id, [set?.id ?? ""], "asked to", BY)).rejects.toMatchObject({ code: "not_erasable" });
    await erase(Reminder, id, [said?.id ?? ""], "asked to", BY);
    for (const open of [at.store, at.reopen]) {
      const store = await open();
      expect((await store.event(said?.id ?? ""))?.data).toBeNull();
      expect(await store.row(REMINDERS, id)).toMatchObject({ text: null, at: "set" });
      expect(await store.search("parsley", 10, Reminder)).toEqual([]);
      expect(await store.blob(blob)).toBeNull();
      expect(await store.count(ALARMS)).toBe(1);
      expect(await store.verify()).toMatchObject({ ok: true });
      expect((await store.rebuild(null)).differences).toEqual([]);
    }
  });

  proves("DEF-1", "its alarm rings, its items wait in a lane, and a follower gets its events", async () => {
    await using at = await open();
    const done: string[] = [];
    const id = await at.remind({ dueAt: PAST });
    const options = { store: at.store(), clock, random: () => 0, log: () => undefined };
    const alarms = startAlarms({ ...options, committer: at.committer() });
    await alarms.look();
    await alarms.stop();
    expect(await at.store().rows(QUEUED, { limit: 10 })).toMatchObject([{ item: "work", at: "waiting" }]);
    const { change } = at.committer();
    await change(Reminder, id, (state) => Reminder.start(state, "work"), BY);
    await change(Reminder, id, finishReminder, BY);
    expect(await at.store().count(QUEUED)).toBe(0);
    const followers = await followLog({ ...options, fence: 0, followers: [doneFollower(done)] });
    await followers.caughtUp("reminders-done");
    await followers.close();
    expect(done).toEqual([`reminder/${id}`]);
  });
}

function describeCopies(open: OpenReminders): void {
  proves("DEF-1", "a copy of its log is restored to either store with the same content", async () => {
    await using at = await open();
    await using place = await makeTestHome();
    await using schema = await testSchema();
    const blob = await at.store().putBlob(Buffer.from("a letter"));
    const id = await at.remind({ dueAt: FUTURE }, "keep the lighthouse", blob);
    const [first, second] = [join(place.path, "first"), join(place.path, "second")];
    for (const folder of [first, second]) await mkdir(folder);
    await at.store().copyTo(first);
    await loadLog(schema.url, first);
    const inDatabase = await openPostgresStore({ url: schema.url, onFatal: throwOnFatal, definitions: MODULE });
    await expectSame(at.store(), inDatabase, id);
    await inDatabase.copyTo(second);
    await inDatabase.close();
    for (const home of [first, second]) {
      const inFile = await openSqliteStore({ home, onFatal: throwOnFatal, definitions: MODULE });
      await expectSame(at.store(), inFile, id);
      await inFile.close();
    }
  });

  proves("DEF-1", "a bundle of its log passes the independent verifier", async () => {
    await using at = await open();
    await using place = await makeTestHome();
    await at.remind({ dueAt: FUTURE }, "watch the lighthouse");
    const path = join(place.path, "bundle");
    const signer = newSigner();
    const events = await everyEvent(at.store());
    const checkpoint = async () => ({ size: events.length, note: checkpointOf(events, signer) });
    await at.store().exportBundle({ path, key: signer.vkey, checkpoint });
    expect(await verdictOf(path, "--key", signer.vkey)).toMatchObject({ ok: true, size: events.length });
  });
}

async function expectSame(one: Store, other: Store, id: string): Promise<void> {
  await other.rebuild({ fence: 0 });
  expect(await other.unfilledLists()).toEqual([]);
  expect(await everyEvent(other)).toEqual(await everyEvent(one));
  expect(await other.fold(Reminder, id)).toEqual(await one.fold(Reminder, id));
  for (const list of [REMINDERS, ALARMS, QUEUED])
    expect(await other.rows<unknown, never>(list, { limit: 100 })).toEqual(
      await one.rows<unknown, never>(list, { limit: 100 }),
    );
  expect(await other.search("lighthouse", 10, Reminder)).toHaveLength(1);
  expect(await other.verify()).toMatchObject({ ok: true });
}
