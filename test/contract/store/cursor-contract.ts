import { describe, expect } from "vitest";
import { type DefinedFollower, defineFollower, followLog } from "../../../src/commit/index.ts";
import { systemClock } from "../../../src/host/index.ts";
import { Session } from "../../../src/kernel/index.ts";
import { openSqliteStore, type RecordedEvent, type Store } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { admitted, appendTo, everyEvent, makeTestHome, newId, note, openSession } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";
import type { OpenStore } from "./describe-store.ts";

const FENCE = { fence: 0 };

/** Cursors of followers, and followers on a real log. */
export function describeCursors(open: OpenStore): void {
  describe("cursors", () => {
    proves("FOL-6", "cursors survive a restart, each under its name, and are gone after a drop", async () => {
      await using at = await open();
      expect(await at.store.cursor("budgets")).toBeNull();
      const [first, second] = [newId(), newId()];
      await at.store.setCursor("budgets", { seq: 3, id: first }, FENCE);
      await at.store.setCursor("radar", { seq: 0, id: "" }, FENCE);
      await at.store.setCursor("budgets", { seq: 9_007_199_254_740_991, id: second }, FENCE);
      const store = await at.reopen();
      expect(await store.cursor("budgets")).toEqual({ seq: 9_007_199_254_740_991, id: second });
      expect(await store.cursor("radar")).toEqual({ seq: 0, id: "" });
      await store.dropCursor("budgets", FENCE);
      await store.dropCursor("nobody", FENCE);
      expect(await store.cursor("budgets")).toBeNull();
      expect(await store.cursor("radar")).not.toBeNull();
    });

    proves("FOL-6", "a holder of an older fence cannot move a cursor", async () => {
      await using at = await open();
      await at.store.setCursor("budgets", { seq: 1, id: "one" }, FENCE);
      const refused = { code: "stale_fence" };
      await expect(at.store.setCursor("budgets", { seq: 2, id: "two" }, { fence: 7 })).rejects.toMatchObject(refused);
      await expect(at.store.dropCursor("budgets", { fence: 7 })).rejects.toMatchObject(refused);
      expect(await at.store.cursor("budgets")).toEqual({ seq: 1, id: "one" });
    });

    proves("FOL-6", "cursor writes among many appends delay no append, and the last write counts", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const written: Promise<unknown>[] = [];
      for (let n = 1; n <= 200; n += 1) {
        written.push(at.store.setCursor("budgets", { seq: n, id: String(n) }, FENCE));
        if (n % 10 === 0) await appendTo(at.store, stream, [note(n)]);
      }
      await Promise.all(written);
      expect(await at.store.cursor("budgets")).toEqual({ seq: 200, id: "200" });
      expect(await at.store.lastSeq()).toBe(21);
      expect((await at.store.verify()).ok).toBe(true);
      expect((await at.store.rebuild(null)).differences).toEqual([]);
    });

    proves("FOL-6", "a copy of the log has the cursors of its moment", async () => {
      await using at = await open();
      await using home = await makeTestHome();
      await openSession(at.store);
      await at.store.setCursor("budgets", { seq: 1, id: "one" }, FENCE);
      await at.store.copyTo(home.path);
      await at.store.setCursor("budgets", { seq: 2, id: "two" }, FENCE);
      const copy = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
      expect(await copy.cursor("budgets")).toEqual({ seq: 1, id: "one" });
      expect((await copy.verify()).ok).toBe(true);
      await copy.close();
    });

    for (const version of [1, 2, 3] as const)
      proves("FOL-6", `a log of version ${version} has no cursors, and can store them`, async () => {
        await using at = await open();
        await openSession(at.store);
        const store = await at.tamper(...at.downgrade(version));
        expect(await store.cursor("budgets")).toBeNull();
        await store.setCursor("budgets", { seq: 1, id: "one" }, FENCE);
        expect((await store.verify()).ok).toBe(true);
        expect(await (await at.reopen()).cursor("budgets")).toEqual({ seq: 1, id: "one" });
      });
  });

  describe("followers", () => {
    proves(
      "FOL-1",
      "a follower among writers gets every event in order, none left out, across restarts of the log",
      async () => {
        await using at = await open();
        const books = keepBooks("books");
        const rare = keepBooks("rare", ["session.opened"]);
        for (let life = 0; life < 3; life += 1) {
          const followers = await follow(at.store, [books.follower, rare.follower]);
          await Promise.all(
            Array.from({ length: 5 }, async () => {
              const stream = await openSession(at.store);
              for (let n = 0; n < 60; n += 1) await appendTo(at.store, stream, [note(n)]);
            }),
          );
          if (life === 1) {
            await followers.caughtUp("books");
            await followers.caughtUp("rare");
            expect(followers.states().map(({ lag, state }) => [lag, state])).toEqual([
              [0, "following"],
              [0, "following"],
            ]);
          }
          await followers.close();
          await at.reopen();
        }
        const followers = await follow(at.store, [books.follower, rare.follower]);
        await followers.caughtUp("books");
        await followers.caughtUp("rare");
        await followers.close();
        const truth = await everyEvent(at.store);
        expect(books.taken).toEqual(truth.map(({ seq, id }) => `${seq} ${id}`));
        expect(rare.taken).toEqual(
          truth.filter(({ type }) => type === "session.opened@1").map(({ seq, id }) => `${seq} ${id}`),
        );
      },
    );

    for (const { what, tamper } of [
      { what: "ahead of the log", tamper: "UPDATE cursors SET seq = 1000" },
      { what: "of another log", tamper: "UPDATE cursors SET id = '0197b3c1-0000-7000-8000-000000000000'" },
      { what: "lost", tamper: "DELETE FROM cursors" },
    ])
      proves("FOL-2", `a cursor that is ${what}: the follower starts again and gets all of this log`, async () => {
        await using at = await open();
        const stream = await openSession(at.store);
        await appendTo(at.store, stream, [note(1), note(2)]);
        const books = keepBooks("books");
        const before = await follow(at.store, [books.follower]);
        await before.caughtUp("books");
        await before.close();
        const store = await at.tamper(tamper);
        await appendTo(store, stream, [note(3)]);
        const followers = await follow(store, [books.follower]);
        await followers.caughtUp("books");
        await followers.close();
        expect(books.taken).toEqual((await everyEvent(store)).map(({ seq, id }) => `${seq} ${id}`));
        expect(books.clears()).toBe(2);
      });

    proves("FOL-2", "an older copy continues at its own cursor, with its own events", async () => {
      await using at = await open();
      await using home = await makeTestHome();
      const stream = await openSession(at.store);
      const books = keepBooks("books");
      const followers = await follow(at.store, [books.follower]);
      await followers.caughtUp("books");
      await at.store.copyTo(home.path);
      const kept = [...books.taken];
      await appendTo(at.store, stream, [note("only here")]);
      await followers.caughtUp("books");
      await followers.close();
      const copy = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
      await copy.rebuild(FENCE);
      books.taken.splice(0, books.taken.length, ...kept);
      await appendTo(copy, stream, [note("only there")]);
      const there = await follow(copy, [books.follower]);
      await there.caughtUp("books");
      await there.close();
      expect(books.taken).toEqual((await everyEvent(copy)).map(({ seq, id }) => `${seq} ${id}`));
      expect(books.clears()).toBe(1);
      await copy.close();
    });

    proves("FOL-4", "a rebuilt search finds the same results, and catches up with the log by itself", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const [asked] = await appendTo(at.store, stream, [admitted(newId(), "find the needle")]);
      const hits = async () => (await at.store.search("needle", 10, Session)).map(({ eventId }) => eventId);
      const followers = await followLog({ ...options(at.store), followers: [at.store.searchFollower] });
      await followers.caughtUp("search");
      expect(await at.store.searchFollower.position()).toBe(2);
      expect(await hits()).toEqual([asked?.id]);
      await followers.restart("search");
      expect(await hits()).toEqual([asked?.id]);
      await followers.caughtUp("search");
      expect(followers.states()).toMatchObject([{ name: "search", position: 2, lag: 0, failure: null }]);
      await followers.close();
    });
  });
}

function keepBooks(name: string, types?: readonly string[]) {
  const taken: string[] = [];
  let clears = 0;
  const follower = defineFollower({
    name,
    ...(types === undefined ? {} : { types }),
    take: async (events: readonly RecordedEvent[]) => {
      taken.push(...events.map(({ seq, id }) => `${seq} ${id}`));
    },
    clear: async () => {
      clears += 1;
      taken.length = 0;
    },
  });
  return { follower, taken, clears: () => clears };
}

function follow(store: Store, followers: readonly DefinedFollower[]) {
  return followLog({ ...options(store), followers });
}

function options(store: Store) {
  return { store, fence: 0, clock: systemClock(), random: Math.random, log: () => undefined };
}
