import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { makeTestHome } from "../../../../test/support/store-home.ts";
import { openForReading, openForWriting } from "../tables/schema.ts";
import { createCheckpoints, emptyWal } from "./checkpoints.ts";

const MAX_PAGES = 100;
const PAGE_BYTES = 4096;
const BUSY_MS = 20_000;

/** A log with an empty write-ahead log, and a way to make that grow by an exact number of pages. */
async function walHere(maxPages = MAX_PAGES) {
  const home = await makeTestHome();
  const path = join(home.path, "log.db");
  const db = openForWriting(path);
  // Flushes would take most of the time and prove nothing here.
  db.exec(`PRAGMA busy_timeout=${BUSY_MS}; PRAGMA synchronous=OFF`);
  emptyWal(db);
  const insert = db.prepare("INSERT INTO cursors(name, seq, id) VALUES (?, 1, ?)");
  const readers: DatabaseSync[] = [];
  const pages = (): { log: number; folded: number } => {
    const row = db.prepare("PRAGMA wal_checkpoint(NOOP)").get();
    return { log: Number(row?.["log"]), folded: Number(row?.["checkpointed"]) };
  };
  return {
    db,
    pages,
    checkpoints: createCheckpoints(db, maxPages),
    growTo: (wanted: number): void => {
      while (pages().log < wanted) insert.run(randomBytes(16).toString("hex"), "");
    },
    /** Another process that reads the present state, until it is closed. */
    holdBack: (): DatabaseSync => {
      const reader = openForReading(path);
      readers.push(reader);
      reader.exec("BEGIN");
      reader.prepare("SELECT count(*) FROM events").get();
      return reader;
    },
    [Symbol.asyncDispose]: async () => {
      for (const reader of readers) if (reader.isOpen) reader.close();
      db.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

proves("Q8", "after a commit nothing is checkpointed below the limit, and everything at the limit", async () => {
  await using at = await walHere();
  at.growTo(MAX_PAGES - 1);
  at.checkpoints.ifDue();
  const before = at.pages();
  expect(before.log < MAX_PAGES && before.folded === 0).toBe(true);
  at.growTo(MAX_PAGES);
  at.checkpoints.ifDue();
  const { log, folded } = at.pages();
  expect(log).toBeGreaterThanOrEqual(MAX_PAGES);
  expect(folded).toBe(log);
});

proves("Q8", "in a pause fewer pages are enough, and when idle fewer still, but never a handful", async () => {
  const folds = async (kind: "inPause" | "whenIdle", pages: number, maxPages: number): Promise<boolean> => {
    await using at = await walHere(maxPages);
    at.growTo(pages);
    at.checkpoints[kind]();
    return at.pages().folded > 0;
  };
  expect([await folds("inPause", 480, 5000), await folds("inPause", 512, 5000)]).toEqual([false, true]);
  expect([await folds("whenIdle", 50, 5000), await folds("whenIdle", 64, 5000)]).toEqual([false, true]);
  expect([await folds("inPause", 40, 50), await folds("inPause", 50, 50)]).toEqual([false, true]);
  expect([await folds("whenIdle", 20, 30), await folds("whenIdle", 30, 30)]).toEqual([false, true]);
});

proves("Q8", "a reader that blocks a checkpoint is not asked again at every commit", async () => {
  await using at = await walHere();
  const reader = at.holdBack();
  at.growTo(MAX_PAGES);
  at.checkpoints.ifDue();
  expect(at.pages().folded).toBe(0);
  reader.close();
  for (const pages of [MAX_PAGES, MAX_PAGES + 20, 2 * MAX_PAGES - 20]) {
    at.growTo(pages);
    at.checkpoints.ifDue();
    expect([pages, at.pages().folded]).toEqual([pages, 0]);
  }
  at.growTo(2 * MAX_PAGES + 10);
  at.checkpoints.ifDue();
  expect(at.pages()).toEqual({ log: 0, folded: 0 });
});

proves("Q8", "a write-ahead log that starts anew is checkpointed at the limit again", async () => {
  await using at = await walHere();
  at.growTo(2 * MAX_PAGES);
  at.checkpoints.ifDue();
  expect(at.pages().log).toBe(0);
  at.growTo(MAX_PAGES);
  at.checkpoints.ifDue();
  const { log, folded } = at.pages();
  expect([log >= MAX_PAGES, folded]).toEqual([true, log]);
  const kept = at.db.prepare("PRAGMA journal_size_limit").get();
  expect(kept).toEqual({ journal_size_limit: 2 * MAX_PAGES * PAGE_BYTES });
});

proves("Q8", "a file that a reader let grow to twice the limit is emptied once the reader is gone", async () => {
  await using at = await walHere();
  const reader = at.holdBack();
  at.growTo(2 * MAX_PAGES - 10);
  at.checkpoints.ifHeldBack();
  at.growTo(2 * MAX_PAGES);
  at.checkpoints.ifDue();
  at.checkpoints.ifHeldBack();
  expect(at.pages().log).toBeGreaterThanOrEqual(2 * MAX_PAGES);
  reader.close();
  at.checkpoints.ifHeldBack();
  expect(at.pages().log).toBe(0);
  at.growTo(2 * MAX_PAGES - 10);
  at.checkpoints.ifHeldBack();
  expect(at.pages().log).toBeGreaterThanOrEqual(2 * MAX_PAGES - 10);
});

proves(
  "Q8",
  "emptying the write-ahead log waits briefly, says whether it is empty, and leaves the connection's own patience as it was",
  async () => {
    await using at = await walHere();
    const patience = () => at.db.prepare("PRAGMA busy_timeout").get()?.["timeout"];
    at.growTo(10);
    const reader = at.holdBack();
    at.growTo(20);
    const startedMs = performance.now();
    expect([emptyWal(at.db), patience()]).toEqual([false, BUSY_MS]);
    expect(performance.now() - startedMs).toBeLessThan(BUSY_MS / 2);
    reader.close();
    expect([emptyWal(at.db), at.pages().log, patience()]).toEqual([true, 0, BUSY_MS]);
  },
);
