import { describe, expect } from "vitest";
import { fact, type Json, SESSIONS, Session } from "../../../src/kernel/index.ts";
import { StoreError } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { appendTo, event, everyEvent, newId, note, opened, openSession } from "../../support/store-home.ts";
import type { OpenStore } from "./describe-store.ts";

export function describeLife(open: OpenStore): void {
  describe("opening and closing a store", () => {
    proves("LOG-12", "acknowledged events are there after a restart, byte for byte", async () => {
      await using at = await open();
      const streams = await Promise.all(Array.from({ length: 5 }, () => openSession(at.store)));
      for (const payload of AWKWARD)
        await Promise.all(streams.map((stream) => appendTo(at.store, stream, [note(payload)])));
      const before = await everyEvent(at.store);
      await at.reopen();
      expect(await everyEvent(at.store)).toEqual(before);
      expect(before.filter(({ stream }) => stream === streams[0]).slice(1)).toMatchObject(
        AWKWARD.map((payload) => ({ data: { turnId: null, payload } })),
      );
      expect(await at.store.verify()).toMatchObject({ ok: true, events: before.length, streams: 5 });
    });

    proves("LOG-12", "a closing store finishes what it accepted, and refuses the rest by name", async () => {
      await using at = await open();
      const { store } = at;
      const streams = Array.from({ length: 50 }, () => `session/${newId()}`);
      const asked = streams.map((stream) =>
        store.append([{ stream, expectedVersion: 0, events: [event(opened())] }], { fence: 0 }),
      );
      const reopened = at.reopen();
      expect(await Promise.all(asked)).toHaveLength(50);
      await reopened;
      expect(await everyEvent(at.store)).toHaveLength(50);
      const late = [
        appendTo(at.store, "system", []).then(() => store.append([], { fence: 0 })),
        store.append([{ stream: "system", expectedVersion: 0, events: [event(note(1))] }], { fence: 0 }),
        store.readAll({ limit: 1 }),
        store.foldStream("system"),
        store.rows(SESSIONS, { limit: 1 }),
        store.row(SESSIONS, "x"),
        store.count(SESSIONS),
        store.counts(SESSIONS, "state"),
        store.search("x", 1, Session),
        store.verify(),
        store.rebuild(null),
        store.event(newId()),
        store.erase("system", [], event(fact("data.erased@1", { events: [], reason: "" })), { fence: 0 }),
      ];
      for (const end of (await Promise.allSettled(late)).slice(1)) {
        expect(end.status).toBe("rejected");
        if (end.status === "rejected") {
          expect(end.reason).toBeInstanceOf(StoreError);
          expect(end.reason).toMatchObject({ code: "store_closed" });
        }
      }
      await store.close();
      expect(await everyEvent(at.store)).toHaveLength(50);
    });

    proves("LOG-12", "clocks may jump: the order is that of the commits, whatever `at` and ids say", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const times = ["2031-01-01T00:00:00.000Z", "1999-12-31T23:59:59.999Z", "2026-11-15T00:00:00.000Z"];
      const ids = ["019f", "0190", "0195"].map((start) => `${start}${newId().slice(4)}`);
      for (const [n, id] of ids.entries()) {
        const late = { ...event(note(n), { at: times[n] ?? "" }), id };
        await at.store.append([{ stream, expectedVersion: n + 1, events: [late] }], { fence: 0 });
      }
      await at.reopen();
      const all = await everyEvent(at.store);
      expect(all.slice(1).map(({ id }) => id)).toEqual(ids);
      expect(all.slice(1).map(({ at: time }) => time)).toEqual(times);
      expect((await at.store.verify()).ok).toBe(true);
      expect((await at.store.rebuild(null)).ok).toBe(true);
      expect(await at.store.event(ids[1] ?? "")).toMatchObject({ version: 3 });
    });

    proves("LOG-5", "a listener that throws does not make an append look failed", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const thrown = new Promise<unknown>((seen) => {
        process.once("uncaughtException", seen);
      });
      const others = process.listeners("uncaughtException").filter((_, n, all) => n < all.length - 1);
      for (const other of others) process.off("uncaughtException", other);
      const heard: number[] = [];
      at.store.onAppend(() => {
        throw new Error("a bug");
      });
      at.store.onAppend((events) => heard.push(...events.map(({ seq }) => seq)));
      expect(await appendTo(at.store, stream, [note(1)])).toHaveLength(1);
      expect(await thrown).toMatchObject({ message: "a bug" });
      for (const other of others) process.on("uncaughtException", other);
      expect(heard).toEqual([2]);
    });
  });
}

/** Values that text encodings, numbers and parsers often get wrong. */
const AWKWARD: readonly Json[] = [
  "",
  "\u0000 and \u001f and \u007f",
  "ä € 𝄞 \u2028 \u2029 \ufeff",
  "\ud800 alone",
  '"quoted" \\ and / and \n',
  [0, 1, -1, 0.1, 1e21, 1e-7, Number.MAX_SAFE_INTEGER, 5e-324],
  { b: 1, a: { "": null, __proto__x: true, constructor: "x" }, "10": [], "9": {} },
  [[[[[[]]]]], null, true, false],
  "x".repeat(70_000),
];
