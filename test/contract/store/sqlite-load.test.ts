import { stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { logPath, openSqliteStore, type Store } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { appendTo, makeTestHome, note, openSession } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";
import { ackLatency, bareThroughput, storeThroughput } from "../../support/store-throughput.ts";

const CHECKPOINT_PAGES = 200;
const PAGE_BYTES = 4096;
/** The limit, plus the size of one batch. */
const WAL_BYTES_MAX = 6 * CHECKPOINT_PAGES * PAGE_BYTES;

describe("the write-ahead log", () => {
  proves("LOG-20", "the write-ahead log stays within its limit while writers and readers never pause", async () => {
    await using home = await makeTestHome();
    const store = await openSqliteStore({ home: home.path, onFatal: throwOnFatal, checkpointPages: CHECKPOINT_PAGES });
    const sizes = await writeMuch(store, home.path, async (isWriting) => {
      while (isWriting()) {
        await store.readAll({ limit: 200, descending: true });
        await sleep(1);
      }
    });
    expect(Math.max(...sizes)).toBeLessThan(WAL_BYTES_MAX);
    expect((await stat(logPath(home.path))).size).toBeGreaterThan(WAL_BYTES_MAX);
    await store.close();
  });

  proves(
    "LOG-20",
    "a stalled reader makes the write-ahead log grow; when it is gone the limit holds again, and no append waited",
    async () => {
      await using home = await makeTestHome();
      const store = await openSqliteStore({
        home: home.path,
        onFatal: throwOnFatal,
        checkpointPages: CHECKPOINT_PAGES,
      });
      await openSession(store);
      const standing = new DatabaseSync(logPath(home.path), { readOnly: true });
      standing.exec("BEGIN");
      standing.prepare("SELECT count(*) FROM events").get();
      const grown = await writeMuch(store, home.path);
      expect(Math.max(...grown)).toBeGreaterThan(WAL_BYTES_MAX);
      standing.close();
      const after = await writeMuch(store, home.path);
      expect(after.at(-1)).toBeLessThan(WAL_BYTES_MAX);
      await store.close();
    },
  );
});

describe("the baseline for measurements", () => {
  proves("LOG-20", "the store and plain SQLite can be measured side by side", async () => {
    const [store, bare] = [await storeThroughput(0.3), await bareThroughput(0.3)];
    expect(store.eventsPerSecond).toBeGreaterThan(0);
    expect(bare.eventsPerSecond).toBeGreaterThan(0);
    expect((await ackLatency(0.3, 100)).p99Ms).toBeGreaterThan(0);
  });
});

/** Many concurrent writers; returns the largest size of the write-ahead log. */
async function writeMuch(
  store: Store,
  home: string,
  meanwhile: (isWriting: () => boolean) => Promise<void> = async () => undefined,
): Promise<readonly number[]> {
  const streams = await Promise.all(Array.from({ length: 32 }, () => openSession(store)));
  const sizes: number[] = [];
  let isWriting = true;
  const reading = meanwhile(() => isWriting);
  for (let n = 0; n < 60; n += 1) {
    await Promise.all(streams.map((stream) => appendTo(store, stream, [note("x".repeat(3000))])));
    sizes.push((await stat(`${logPath(home)}-wal`)).size);
  }
  isWriting = false;
  await reading;
  return sizes;
}
