import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { headerText, SALT_BYTES } from "../src/domains/index.ts";
import { createEventMaker } from "./session-facts.ts";

/**
 * The baseline of the append figures: the same bytes, columns, indexes, durability and checkpoints, written by plain
 * `node:sqlite`. No fold, no hash, no read model, no other thread.
 */
export interface BareLog {
  /** Writes this many events, this many per flush; returns events per second. */
  readonly write: (events: number, perFlush: number) => number;
  readonly close: () => void;
}

const CHECKPOINT_PAGES = 4096;
const HASH_BYTES = 32;

export function openBareLog(folder: string): BareLog {
  const db = new DatabaseSync(join(folder, "bare.db"));
  db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=${CHECKPOINT_PAGES};
    PRAGMA cache_size=-65536;
    CREATE TABLE events(seq INTEGER PRIMARY KEY, stream INTEGER NOT NULL, version INTEGER NOT NULL, id BLOB NOT NULL,
      type TEXT NOT NULL, prev BLOB NOT NULL, header BLOB NOT NULL, hash BLOB NOT NULL, salt BLOB, data BLOB) STRICT;
    CREATE UNIQUE INDEX events_place ON events(stream, version);
    CREATE UNIQUE INDEX events_id ON events(id)`);
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const insert = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const maker = createEventMaker(5);
  const sample = maker.custom();
  const stream = `session/${maker.newId()}`;
  const { id, at, actor, cause, fact } = sample;
  const dataHash = randomBytes(HASH_BYTES).toString("hex");
  const header = Buffer.from(headerText({ id, stream, version: 1, type: fact.type, at, actor, cause, dataHash }));
  const data = Buffer.from(JSON.stringify(fact.data));
  const hash = randomBytes(HASH_BYTES);
  const salt = randomBytes(SALT_BYTES);
  let seq = 0;
  return {
    write: (events, perFlush) => {
      const startMs = performance.now();
      for (let written = 0; written < events; ) {
        begin.run();
        for (let one = 0; one < perFlush; one += 1) {
          seq += 1;
          const key = Buffer.from(maker.newId().replaceAll("-", ""), "hex");
          insert.run(seq, seq % perFlush, Math.floor(seq / perFlush), key, fact.type, hash, header, hash, salt, data);
        }
        commit.run();
        written += perFlush;
      }
      return (events / (performance.now() - startMs)) * 1000;
    },
    close: () => db.close(),
  };
}
