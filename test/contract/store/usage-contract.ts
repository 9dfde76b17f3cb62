import { randomBytes } from "node:crypto";
import { describe, expect } from "vitest";
import { headerText } from "../../../src/domains/index.ts";
import { type CustomFact, emptyView, type Fact, fact, SESSIONS, sessionStream } from "../../../src/kernel/index.ts";
import type { Quota, RecordedEvent, Store, StreamUsage } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { appendTo, event, everyEvent, newId, note, openSession, SPEC } from "../../support/store-home.ts";
import type { OpenStore } from "./describe-store.ts";

const PLENTY = 1_000_000_000;

export function describeUsage(open: OpenStore): void {
  describe("usage and quotas", () => {
    proves(
      "Q1",
      "a stream's usage equals what it stores, also after a restart, and the check confirms it",
      async () => {
        await using at = await open();
        const [one, two] = [await openSession(at.store), await openSession(at.store)];
        await appendTo(at.store, one, [note("ä".repeat(500)), note(1), note(2)]);
        const blob = await bringBlob(at.store, 5000);
        await appendTo(at.store, one, [artifact(blob)]);
        for (const restart of [false, true]) {
          const store = restart ? await at.reopen() : at.store;
          const events = await everyEvent(store);
          const ofOne = events.filter(({ stream }) => stream === one);
          expect(await store.usage(one)).toMatchObject({ events: 5, bytes: sizeOf(ofOne) });
          // Incompressible bytes take a little more than their length.
          expect((await store.usage(one)).blobBytes).toBeGreaterThanOrEqual(5000);
          expect((await store.usage(one)).blobBytes).toBeLessThan(5100);
          expect(await store.usage()).toMatchObject(sum(await store.usage(one), await store.usage(two)));
          expect((await store.rebuild(null)).differences).toEqual([]);
        }
        expect(await at.store.usage(sessionStream(newId()))).toEqual({
          events: 0,
          bytes: 0,
          blobBytes: 0,
          familyBytes: 0,
        });
      },
    );

    proves(
      "Q1",
      "a blob counts once, for the stream that stored it first, and moves to the next one with its erasure",
      async () => {
        await using at = await open();
        const [one, two] = [await openSession(at.store), await openSession(at.store)];
        const blob = await bringBlob(at.store, 3000);
        const [first] = await appendTo(at.store, one, [artifact(blob), artifact(blob)]);
        const [second] = await appendTo(at.store, two, [artifact(blob)]);
        const { blobBytes } = await at.store.usage(one);
        expect(blobBytes).toBeGreaterThanOrEqual(3000);
        expect((await at.store.usage(two)).blobBytes).toBe(0);
        const others = (await at.store.readStream(one, { limit: 10 })).events.slice(-1);
        await erase(at.store, one, [first, ...others]);
        expect((await at.store.usage(one)).blobBytes).toBe(0);
        expect((await at.store.usage(two)).blobBytes).toBe(blobBytes);
        expect((await at.store.rebuild(null)).differences).toEqual([]);
        await erase(at.store, two, [second]);
        expect((await at.store.usage()).blobBytes).toBe(0);
        expect((await at.store.rebuild(null)).differences).toEqual([]);
        const left = await everyEvent(at.store);
        expect((await at.store.usage()).bytes).toBe(sizeOf(left));
      },
    );

    for (const version of [1, 2, 3] as const)
      proves("Q1", `a log of version ${version} is counted when it is opened, with the same result`, async () => {
        await using at = await open();
        const root = await openSession(at.store);
        const fork = await forkOf(at.store, root);
        const blob = await bringBlob(at.store, 3000);
        await appendTo(at.store, fork, [artifact(blob), note("x")]);
        await appendTo(at.store, root, [artifact(blob)]);
        const before = await Promise.all([root, fork, undefined].map((stream) => at.store.usage(stream)));
        const store = await at.tamper(...at.downgrade(version));
        expect(await Promise.all([root, fork, undefined].map((stream) => store.usage(stream)))).toEqual(before);
        expect((await store.rebuild(null)).differences).toEqual([]);
        expect(await store.rows(SESSIONS, { limit: 10, where: { workspace: SPEC.workspace } })).toHaveLength(2);
        expect(await store.rows(SESSIONS, { limit: 10, where: { workspace: "elsewhere" } })).toEqual([]);
        await expect(appendWithin(store, fork, [note("y")], { streamBytes: 100 })).rejects.toMatchObject({
          code: "quota_exceeded",
        });
      });

    proves("Q1", "usage rows changed by hand are found by the check and repaired", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      await appendTo(at.store, stream, [artifact(await bringBlob(at.store, 2000)), note(1)]);
      const right = await at.store.usage(stream);
      for (const statement of [
        "UPDATE usage SET bytes = bytes - 1",
        "UPDATE usage SET events = events + 1 WHERE stream <> 0",
        "UPDATE usage SET blob_bytes = 0",
        "UPDATE usage SET family_bytes = 0",
        "UPDATE blob_sizes SET bytes = 1",
        "DELETE FROM usage WHERE stream <> 0",
        "DELETE FROM usage",
      ]) {
        const store = await at.tamper(statement);
        const found = await store.rebuild(null);
        expect({ statement, models: found.differences.map(({ model }) => model) }).toMatchObject({
          statement,
          models: expect.arrayContaining(["usage"]),
        });
        await store.rebuild({ fence: 0 });
        expect((await store.rebuild(null)).differences).toEqual([]);
        expect(await store.usage(stream)).toEqual(right);
      }
    });

    proves("Q1", "naming a blob before it is stored does not make it cheaper", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const bytes = randomBytes(4000);
      const name = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
      await appendTo(at.store, stream, [note({ blob: name })]);
      expect((await at.store.usage(stream)).blobBytes).toBe(0);
      expect(await at.store.putBlob(bytes)).toBe(name);
      await appendTo(at.store, stream, [artifact(name)]);
      expect((await at.store.usage(stream)).blobBytes).toBeGreaterThanOrEqual(4000);
      expect((await at.store.rebuild(null)).differences).toEqual([]);
    });

    proves(
      "Q2",
      "nothing is appended beyond a quota, not by small events either, and a refusal leaves no trace",
      async () => {
        await using at = await open();
        const stream = await openSession(at.store);
        const limit = (await bytesOf(at.store, stream)) + 4000;
        let refusal: unknown = null;
        for (let n = 0; refusal === null && n < 100; n += 1)
          refusal = await appendWithin(at.store, stream, [note(n)], { streamBytes: limit }).then(
            () => null,
            (thrown: unknown) => thrown,
          );
        const before = await everyEvent(at.store);
        const used = await bytesOf(at.store, stream);
        expect(refusal).toMatchObject({ code: "quota_exceeded", details: { scope: "session", used, limit } });
        expect(used).toBeLessThanOrEqual(limit);
        await at.reopen();
        await expect(appendWithin(at.store, stream, [note("n")], { streamBytes: limit })).rejects.toMatchObject({
          code: "quota_exceeded",
        });
        expect(await everyEvent(at.store)).toEqual(before);
        // An append without a quota always succeeds.
        await appendTo(at.store, stream, [fact("session.killed@1", { reason: "" })]);
        expect((await at.store.rebuild(null)).differences).toEqual([]);
      },
    );

    proves("Q2", "forks draw on the quota of their root session, and on no other", async () => {
      await using at = await open();
      const root = await openSession(at.store);
      await appendTo(at.store, root, [note("x".repeat(2000))]);
      const child = await forkOf(at.store, root);
      const grandchild = await forkOf(at.store, child, root);
      const stranger = await openSession(at.store);
      const blob = await bringBlob(at.store, 3000);
      await appendTo(at.store, grandchild, [artifact(blob)]);
      const all = await Promise.all([root, child, grandchild].map((stream) => bytesOf(at.store, stream)));
      const family = all.reduce((total, bytes) => total + bytes, 0);
      for (const stream of [root, child, grandchild]) expect((await at.store.usage(stream)).familyBytes).toBe(family);
      for (const stream of [root, child, grandchild])
        await expect(
          appendWithin(at.store, stream, [note("y".repeat(1000))], { streamBytes: family + 500 }),
        ).rejects.toMatchObject({ code: "quota_exceeded", details: { used: family } });
      await appendWithin(at.store, stranger, [note("y".repeat(1000))], { streamBytes: family + 500 });
      expect((await at.store.rebuild(null)).differences).toEqual([]);
      const [last] = (await at.store.readStream(grandchild, { limit: 1, descending: true })).events;
      await erase(at.store, grandchild, [last]);
      expect((await at.store.usage(root)).familyBytes).toBeLessThan(family - 2500);
      expect((await at.store.rebuild(null)).differences).toEqual([]);
    });

    proves(
      "Q2",
      "a chain of sessions that start sessions has one quota, with their forks, and a recount agrees",
      async () => {
        await using at = await open();
        const root = await openSession(at.store);
        await appendTo(at.store, root, [note("x".repeat(2000))]);
        const child = await startedBy(at.store, root);
        const grandchild = await startedBy(at.store, child);
        const fork = await forkOf(at.store, child);
        const ofFork = await startedBy(at.store, fork);
        const stranger = await openSession(at.store);
        const chain = [root, child, grandchild, fork, ofFork];
        await appendTo(at.store, ofFork, [artifact(await bringBlob(at.store, 3000))]);
        const all = await Promise.all(chain.map((stream) => bytesOf(at.store, stream)));
        const used = all.reduce((total, bytes) => total + bytes, 0);
        const streamBytes = used + 500;
        for (const restart of [false, true]) {
          const store = restart ? await at.reopen() : at.store;
          for (const stream of chain) {
            expect((await store.usage(stream)).familyBytes).toBe(used);
            await expect(appendWithin(store, stream, [note("y".repeat(1000))], { streamBytes })).rejects.toMatchObject({
              code: "quota_exceeded",
              details: { scope: "session", used },
            });
          }
          await expect(startedBy(store, grandchild, streamBytes)).rejects.toMatchObject({ code: "quota_exceeded" });
          expect((await store.rebuild(null)).differences).toEqual([]);
        }
        await appendWithin(at.store, stranger, [note("y".repeat(1000))], { streamBytes });
        const store = await at.tamper("UPDATE usage SET account = stream", "UPDATE usage SET family_bytes = 0");
        await store.rebuild({ fence: 0 });
        for (const stream of chain) expect((await store.usage(stream)).familyBytes).toBe(used);
      },
    );

    proves("Q2", "parent and child in one append: together they do not get beyond their quota", async () => {
      await using at = await open();
      const root = await openSession(at.store);
      const streamBytes = (await bytesOf(at.store, root)) + 3000;
      const child = sessionStream(newId());
      const parts = [
        { stream: child, expectedVersion: 0, events: [event(openedBy(root)), event(note("x".repeat(1000)))] },
        { stream: root, expectedVersion: 1, events: [event(note("y".repeat(1500)))] },
      ];
      const quota = { streamBytes, homeBytes: PLENTY, overdraw: false };
      await expect(at.store.append(parts, { fence: 0, quota })).rejects.toMatchObject({ code: "quota_exceeded" });
      await at.store.append(parts, { fence: 0, quota: { ...quota, streamBytes: streamBytes + 1000 } });
      expect((await at.store.rebuild(null)).differences).toEqual([]);
    });

    proves("Q2", "a child of an older log keeps its own account until a recount, and the books agree", async () => {
      await using at = await open();
      const root = await openSession(at.store);
      const child = await startedBy(at.store, root);
      const ofStream = (stream: string) => `stream = (SELECT no FROM streams WHERE name = '${stream}')`;
      const store = await at.tamper(
        "UPDATE usage SET account = stream",
        `UPDATE usage SET family_bytes = bytes + blob_bytes WHERE ${ofStream(root)} OR ${ofStream(child)}`,
      );
      await appendTo(store, child, [note("x".repeat(1000))]);
      expect((await store.usage(child)).familyBytes).toBe(await bytesOf(store, child));
      expect((await store.usage(root)).familyBytes).toBe(await bytesOf(store, root));
      expect((await store.rebuild(null)).differences).toEqual([]);
    });

    proves("Q2", "many at the same moment do not get beyond what one alone could", async () => {
      await using at = await open();
      const streams = await Promise.all(Array.from({ length: 20 }, () => openSession(at.store)));
      const homeBytes = (await at.store.usage()).bytes + 5000;
      const outcomes = await Promise.allSettled(
        streams.map((stream) => appendWithin(at.store, stream, [note("x".repeat(1000))], { homeBytes })),
      );
      const done = outcomes.filter(({ status }) => status === "fulfilled").length;
      expect(done).toBeGreaterThanOrEqual(2);
      expect(done).toBeLessThan(5);
      expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({
        reason: { code: "quota_exceeded", details: { scope: "home", limit: homeBytes } },
      });
      expect((await at.store.usage()).bytes).toBeLessThanOrEqual(homeBytes);
    });

    proves("Q2", "blobs count before they are named, and one without room is not stored", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const streamBytes = (await bytesOf(at.store, stream)) + 3000;
      const blob = await bringBlob(at.store, 4000);
      await expect(appendWithin(at.store, stream, [artifact(blob)], { streamBytes })).rejects.toMatchObject({
        code: "quota_exceeded",
      });
      const bytes = randomBytes(4000);
      const asked: number[] = [];
      const refuse = (packed: number): never => {
        asked.push(packed);
        throw new Error("no room");
      };
      await expect(at.store.putBlob(bytes, refuse)).rejects.toThrow("no room");
      expect(asked[0]).toBeGreaterThanOrEqual(4000);
      const name = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
      expect(await at.store.blob(name)).toBeNull();
    });

    proves("Q3", "with overdraw a stream may pass its quota by one append, and then no more", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const streamBytes = (await bytesOf(at.store, stream)) + 100;
      const say = () => appendWithin(at.store, stream, [note("said ".repeat(200))], { streamBytes, overdraw: true });
      await say();
      await expect(say()).rejects.toMatchObject({ code: "quota_exceeded" });
    });

    proves("Q3", "of several pieces in one append all but the last must leave room", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const used = await bytesOf(at.store, stream);
      const [one] = await appendWithin(at.store, stream, [note("said ".repeat(200))], {});
      const piece = (await bytesOf(at.store, stream)) - used;
      expect(one?.version).toBe(2);
      const pieces = Array.from({ length: 3 }, () => note("said ".repeat(200)));
      const say = (streamBytes: number, fitting: number) =>
        appendWithin(at.store, stream, pieces, { streamBytes, overdraw: true, fitting });
      const now = await bytesOf(at.store, stream);
      await expect(say(now + piece, 2)).rejects.toMatchObject({ code: "quota_exceeded" });
      expect(await bytesOf(at.store, stream)).toBe(now);
      await say(now + 3 * piece, 2);
    });
  });
}

async function appendWithin(
  store: Store,
  stream: string,
  facts: readonly (Fact | CustomFact)[],
  quota: Partial<Quota>,
): Promise<readonly RecordedEvent[]> {
  const expectedVersion = await store.version(stream);
  const bounds = { streamBytes: PLENTY, homeBytes: PLENTY, overdraw: false, ...quota };
  const events = facts.map((given) => event(given));
  return store.append([{ stream, expectedVersion, events }], { fence: 0, quota: bounds });
}

async function forkOf(store: Store, parent: string, root = parent): Promise<string> {
  const version = await store.version(parent);
  const [head] = (await store.readStream(parent, { limit: 1, descending: true })).events;
  const stream = sessionStream(newId());
  const from = { sessionId: parent.slice(8), stream: parent, version, eventId: head?.id ?? "" };
  const view = emptyView(stream);
  const forked = fact("session.forked@1", { spec: SPEC, label: null, from, root: root.slice(8), view });
  const continues = { stream: parent, version };
  await store.append([{ stream, expectedVersion: 0, events: [event(forked)], continues }], { fence: 0 });
  return stream;
}

function openedBy(parent: string): Fact {
  const spec = { ...SPEC, parentSessionId: parent.slice("session/".length), depth: 1 };
  return fact("session.opened@1", { spec, label: null });
}

async function startedBy(store: Store, parent: string, streamBytes = PLENTY): Promise<string> {
  const stream = sessionStream(newId());
  const quota = { streamBytes, homeBytes: PLENTY, overdraw: false };
  await store.append([{ stream, expectedVersion: 0, events: [event(openedBy(parent))] }], { fence: 0, quota });
  return stream;
}

async function bytesOf(store: Store, stream: string): Promise<number> {
  const { bytes, blobBytes } = await store.usage(stream);
  return bytes + blobBytes;
}

/** From the header in the log format and the data as given. */
function sizeOf(events: readonly RecordedEvent[]): number {
  return events.reduce((total, { id, stream, version, type, at, actor, cause, data }) => {
    const header = headerText({ id, stream, version, type, at, actor, cause, dataHash: "0".repeat(64) });
    return total + Buffer.byteLength(header) + (data === null ? 0 : Buffer.byteLength(JSON.stringify(data)));
  }, 0);
}

function sum(a: StreamUsage, b: StreamUsage): Omit<StreamUsage, "familyBytes"> {
  return { events: a.events + b.events, bytes: a.bytes + b.bytes, blobBytes: a.blobBytes + b.blobBytes };
}

function bringBlob(store: Store, bytes: number): Promise<string> {
  return store.putBlob(randomBytes(bytes));
}

function artifact(blob: string): Fact {
  const written = { version: 1, blob, bytes: 1300, mediaType: "text/plain" };
  return fact("artifact.written@1", { ...written, path: "notes.txt", artifactId: "f1", turnId: null });
}

async function erase(store: Store, stream: string, events: readonly (RecordedEvent | undefined)[]): Promise<void> {
  const ids = events.map((found) => found?.id ?? "");
  await store.erase(stream, ids, event(fact("data.erased@1", { events: ids, reason: "asked for" })), { fence: 0 });
}
