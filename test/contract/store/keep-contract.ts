import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { System } from "../../../src/domains/index.ts";
import { fact, inheritView, Session, sessionStream } from "../../../src/kernel/index.ts";
import { openSqliteStore, type Store } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { fillRichly } from "../../support/store-damage.ts";
import { appendTo, event, everyEvent, makeTestHome, newId, note, openSession, SPEC } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";
import type { OpenStore } from "./describe-store.ts";

/** Copies of the log, and sweeping of blobs that no event names. */
/** Of the blobs that a sweep among writers takes. */
const MIN_AGE_MS = 25;

export function describeKeeping(open: OpenStore): void {
  describe("copies", () => {
    proves("KEEP-1", "a copy holds the log of one moment, of either store, while others write", async () => {
      await using at = await open();
      await using home = await makeTestHome();
      await fillRichly(at.store);
      const fence = await fenceOf(at.store);
      const stream = await openSession(at.store, "busy-crane-01", fence);
      const blob = await at.store.putBlob(Buffer.from("kept bytes ".repeat(1000)));
      await appendTo(at.store, stream, [artifact(blob)], fence);
      let isOver = false;
      let written = 0;
      const writing = (async () => {
        while (!isOver) {
          await appendTo(at.store, stream, [note(written)], fence);
          written += 1;
        }
      })();
      const seen: number[] = [];
      const copy = await at.store
        .copyTo(home.path, (done, of) => seen.push(done / of))
        .finally(() => {
          isOver = true;
        });
      await writing;
      expect(written).toBeGreaterThan(0);
      expect(seen.at(-1)).toBe(1);
      expect(copy.missingBlobs).toEqual([]);
      const truth = (await everyEvent(at.store)).slice(0, copy.events);
      expect(copy.events).toBe(truth.length);
      expect((await readdir(home.path)).toSorted()).toEqual(["blobs", "log.db"]);
      expect((await stat(join(home.path, "log.db"))).mode & 0o777).toBe(0o600);
      const there = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
      expect(await everyEvent(there)).toEqual(truth);
      expect(await there.verify()).toMatchObject({ ok: true, events: copy.events });
      expect(Buffer.from((await there.blob(blob)) ?? []).toString()).toBe("kept bytes ".repeat(1000));
      await there.rebuild({ fence });
      expect((await there.rebuild(null)).differences).toEqual([]);
      await there.close();
    });

    proves(
      "KEEP-1",
      "an erasure during a copy: the copy has all the data, or the event that says it was erased",
      async () => {
        await using at = await open();
        await using home = await makeTestHome();
        const stream = await openSession(at.store);
        const blob = await at.store.putBlob(Buffer.from("to be erased ".repeat(1000)));
        const [written] = await appendTo(at.store, stream, [artifact(blob)]);
        for (let n = 0; n < 20; n += 1) await appendTo(at.store, stream, [note("x".repeat(100_000))]);
        const ids = [written?.id ?? ""];
        const said = event(fact("data.erased@1", { events: ids, reason: "asked for" }));
        const [copy] = await Promise.all([at.store.copyTo(home.path), at.store.erase(stream, ids, said, { fence: 0 })]);
        expect(copy.missingBlobs).toEqual([]);
        expect(await at.store.blob(blob)).toBeNull();
        const there = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
        const isErased = (await there.event(said.id)) !== null;
        expect((await there.event(ids[0] ?? ""))?.data === null).toBe(isErased);
        expect((await there.blob(blob)) === null).toBe(isErased);
        await there.close();
      },
    );

    proves("KEEP-1", "a copy that cannot be written fails with a reason, and the log goes on", async () => {
      await using at = await open();
      await using home = await makeTestHome();
      const stream = await openSession(at.store);
      await mkdir(join(home.path, "log.db"));
      await expect(at.store.copyTo(home.path)).rejects.toThrow();
      await appendTo(at.store, stream, [note("and on")]);
      await using other = await makeTestHome();
      expect((await at.store.copyTo(other.path)).events).toBe(2);
    });
  });

  describe("sweeping blobs that no event names", () => {
    proves("KEEP-4", "unnamed blobs are removed; blobs that an event, a fork or a rewind names stay", async () => {
      await using at = await open();
      const { store } = at;
      const [named, inFork, unnamed] = await Promise.all(
        ["named", "in a fork", "unnamed"].map((text) => store.putBlob(Buffer.from(`${text} `.repeat(200)))),
      );
      if (named === undefined || inFork === undefined || unnamed === undefined) throw new Error("no blobs");
      const stream = await openSession(store);
      const [first] = await appendTo(store, stream, [artifact(named)]);
      const [gone] = await appendTo(store, stream, [artifact(inFork)]);
      await forkOf(store, stream);
      await erase(store, stream, [gone?.id ?? ""]);
      expect(await store.blobUse(named)).toMatchObject({ names: 2 });
      expect(await store.blobUse(inFork)).toMatchObject({ names: 1 });
      expect(await store.blobUse("0".repeat(64))).toBeNull();
      const young = await store.sweepBlobs({ fence: 0, minAgeMs: 3_600_000, dryRun: false });
      expect(young).toEqual({ blobs: 0, bytes: 0 });
      const planned = await store.sweepBlobs({ fence: 0, minAgeMs: 0, dryRun: true });
      expect(planned).toEqual({ blobs: 1, bytes: (await store.blobUse(unnamed))?.bytes });
      expect(await store.sweepBlobs({ fence: 0, minAgeMs: 0, dryRun: false })).toEqual(planned);
      expect(await store.blob(unnamed)).toBeNull();
      expect(await store.blob(named)).not.toBeNull();
      expect(await store.blob(inFork)).not.toBeNull();
      expect(first?.data).toMatchObject({ blob: named });
      expect(await store.sweepBlobs({ fence: 0, minAgeMs: 0, dryRun: false })).toEqual({ blobs: 0, bytes: 0 });
    });

    proves("KEEP-4", "a swept blob cannot be named until it is stored again", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const blob = await at.store.putBlob(Buffer.from("late"));
      await at.store.sweepBlobs({ fence: 0, minAgeMs: 0, dryRun: false });
      await expect(appendTo(at.store, stream, [artifact(blob)])).rejects.toMatchObject({ code: "blob_missing" });
      expect(await at.store.putBlob(Buffer.from("late"))).toBe(blob);
      await appendTo(at.store, stream, [artifact(blob)]);
      expect(await at.store.blob(blob)).not.toBeNull();
    });

    proves("KEEP-4", "a sweep among writers removes no blob that they name", async () => {
      await using at = await open();
      const { store } = at;
      const streams = await Promise.all(Array.from({ length: 4 }, () => openSession(store)));
      // The same few contents again and again: most exist already, some were just swept.
      const bytesOf = (n: number): Buffer => Buffer.from(`bytes ${n % 7}`.repeat(50));
      let isOver = false;
      const named = new Set<string>();
      const sweeping = (async () => {
        let swept = 0;
        while (!isOver) swept += (await store.sweepBlobs({ fence: 0, minAgeMs: MIN_AGE_MS, dryRun: false })).blobs;
        return swept;
      })();
      const write = async (stream: string, n: number): Promise<void> => {
        const blob = await store.putBlob(bytesOf(n));
        if (n % 3 === 0) return;
        const written = await appendTo(store, stream, [artifact(blob)]).catch((error: unknown) => {
          // Swept, because this writer took longer than that; or gone with the last event of another that named it.
          expect(error).toMatchObject({ code: "blob_missing" });
          return [];
        });
        const [id] = written.map((found) => found.id);
        if (id === undefined) return;
        expect(await store.blob(blob)).not.toBeNull();
        if (n % 2 === 0) await erase(store, stream, [id]);
        else named.add(blob);
      };
      await Promise.all(
        streams.map(async (stream, at) => {
          for (let n = at; n < 60 + at; n += 1) await write(stream, n);
        }),
      ).finally(() => {
        isOver = true;
      });
      expect(await sweeping).toBeGreaterThan(0);
      expect(named.size).toBeGreaterThan(0);
      for (const blob of named) expect(await store.blob(blob)).not.toBeNull();
      expect((await store.verify()).ok).toBe(true);
    });

    proves("KEEP-4", "a holder of an older fence cannot sweep", async () => {
      await using at = await open();
      const blob = await at.store.putBlob(Buffer.from("still here"));
      const refused = { code: "stale_fence" };
      await expect(at.store.sweepBlobs({ fence: 7, minAgeMs: 0, dryRun: false })).rejects.toMatchObject(refused);
      expect(await at.store.blob(blob)).not.toBeNull();
    });
  });
}

async function fenceOf(store: Store): Promise<number> {
  return (await store.fold(System, "")).lease.lastFence;
}

async function forkOf(store: Store, parent: string): Promise<void> {
  const version = await store.version(parent);
  const session = await store.fold(Session, parent.slice(sessionStream("").length));
  const from = { sessionId: session.id, stream: parent, version, eventId: session.headId ?? "" };
  const stream = sessionStream(newId());
  const view = inheritView(session.view, from, stream);
  const forked = event(fact("session.forked@1", { spec: SPEC, label: null, from, root: from.sessionId, view }));
  await store.append([{ stream, expectedVersion: 0, events: [forked], continues: from }], { fence: 0 });
}

async function erase(store: Store, stream: string, ids: readonly string[]): Promise<void> {
  const said = event(fact("data.erased@1", { events: [...ids], reason: "asked for" }));
  await store.erase(stream, ids, said, { fence: 0 });
}

function artifact(blob: string) {
  const written = { version: 1, blob, bytes: 1300, mediaType: "text/plain" };
  return fact("artifact.written@1", { ...written, path: "notes.txt", artifactId: "f1", turnId: null });
}
