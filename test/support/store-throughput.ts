import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { openSqliteStore, type Store } from "../../src/store/index.ts";
import { appendTo, event, makeTestHome, newId, note, opened } from "./store-home.ts";

const WRITERS = 64;
const PAYLOAD = "x".repeat(260);

export interface Throughput {
  readonly eventsPerSecond: number;
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly walBytesMax: number;
}

/** Writers that append one event of 300 bytes after another, each to its own session. */
export async function storeThroughput(seconds: number): Promise<Throughput> {
  return withStore(async (store) => {
    const streams = await openSessions(store, WRITERS);
    let events = 0;
    const startedMs = performance.now();
    const untilMs = startedMs + seconds * 1000;
    const writer = async (stream: string): Promise<void> => {
      for (let version = 1; performance.now() < untilMs; version += 1) {
        await store.append([{ stream, expectedVersion: version, events: [event(note(PAYLOAD))] }], { fence: 0 });
        events += 1;
      }
    };
    await Promise.all(streams.map(writer));
    return { eventsPerSecond: (events * 1000) / (performance.now() - startedMs) };
  });
}

/** The same bytes with the same indexes and flushes, by plain SQLite. */
export async function bareThroughput(seconds: number, batch: number = WRITERS): Promise<Throughput> {
  await using home = await makeTestHome();
  const db = new DatabaseSync(join(home.path, "bare.db"));
  db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=4096; PRAGMA cache_size=-65536");
  db.exec(`CREATE TABLE events(
    seq INTEGER PRIMARY KEY, stream INTEGER NOT NULL, version INTEGER NOT NULL, id BLOB NOT NULL, type TEXT NOT NULL,
    prev BLOB NOT NULL, header BLOB NOT NULL, hash BLOB NOT NULL, salt BLOB, data BLOB) STRICT;
    CREATE UNIQUE INDEX events_place ON events(stream, version);
    CREATE UNIQUE INDEX events_id ON events(id)`);
  const insert = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const [prev, header, hash, salt, data] = [32, 330, 32, 16, 290].map((size) => randomBytes(size));
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1000;
  let events = 0;
  for (let version = 1; performance.now() < untilMs; version += 1) {
    db.exec("BEGIN IMMEDIATE");
    for (let stream = 0; stream < batch; stream += 1) {
      events += 1;
      const id = Buffer.from(newId().replaceAll("-", ""), "hex");
      insert.run(
        events,
        stream,
        version,
        id,
        "x.note@1",
        prev ?? null,
        header ?? null,
        hash ?? null,
        salt ?? null,
        data ?? null,
      );
    }
    db.exec("COMMIT");
  }
  const eventsPerSecond = (events * 1000) / (performance.now() - startedMs);
  db.close();
  return { eventsPerSecond };
}

/** How long an acknowledgement takes at this rate of events per second, sent without waiting for earlier ones. */
export async function ackLatency(seconds: number, eventsPerSecond: number): Promise<Latency> {
  return withStore(async (store, home) => {
    const streams = await openSessions(store, WRITERS * 4);
    const free = streams.map((stream) => ({ stream, version: 1 }));
    const delaysMs: number[] = [];
    const running = new Set<Promise<void>>();
    let walBytesMax = 0;
    const one = async (): Promise<void> => {
      const writer = free.shift();
      const startedMs = performance.now();
      if (writer === undefined) throw new Error("the store is far behind");
      const part = { stream: writer.stream, expectedVersion: writer.version, events: [event(note(PAYLOAD))] };
      await store.append([part], { fence: 0 });
      delaysMs.push(performance.now() - startedMs);
      writer.version += 1;
      free.push(writer);
    };
    const startedMs = performance.now();
    for (let sent = 0; performance.now() - startedMs < seconds * 1000; ) {
      const due = ((performance.now() - startedMs) * eventsPerSecond) / 1000;
      for (; sent < due; sent += 1) {
        const ack: Promise<void> = one().finally(() => running.delete(ack));
        running.add(ack);
      }
      walBytesMax = Math.max(walBytesMax, statSync(join(home, "log.db-wal")).size);
      await sleep(1);
    }
    await Promise.all(running);
    delaysMs.sort((a, b) => a - b);
    const at = (share: number): number =>
      delaysMs[Math.min(delaysMs.length - 1, Math.floor(delaysMs.length * share))] ?? 0;
    return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), walBytesMax };
  });
}

async function openSessions(store: Store, count: number): Promise<readonly string[]> {
  const streams = Array.from({ length: count }, () => `session/${newId()}`);
  await Promise.all(streams.map((stream) => appendTo(store, stream, [opened()])));
  return streams;
}

async function withStore<T>(work: (store: Store, home: string) => Promise<T>): Promise<T> {
  await using home = await makeTestHome();
  const fail = (error: Error): void => {
    throw error;
  };
  const store = await openSqliteStore({ home: home.path, onFatal: fail });
  try {
    return await work(store, home.path);
  } finally {
    await store.close();
  }
}

if (import.meta.main) {
  for (let round = 0; round < 3; round += 1) {
    const before = await bareThroughput(2);
    const store = await storeThroughput(3);
    const after = await bareThroughput(2);
    const bare = (before.eventsPerSecond + after.eventsPerSecond) / 2;
    console.log(
      `bare ${Math.round(bare)}/s store ${Math.round(store.eventsPerSecond)}/s ratio ${(store.eventsPerSecond / bare).toFixed(2)}`,
    );
  }
  console.log(await ackLatency(10, 5000));
}
