import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { blobPath } from "../../files/blobs.ts";
import { number } from "../../log/encoding.ts";
import type { WriteEvent, WritePart, WriteReply } from "../../log/write-request.ts";
import { bytesOf, checkQuota, NO_USAGE, sum, type Taken, totalBytes } from "../../models/quota.ts";
import type { Quota } from "../../port.ts";
import { createRecent } from "../../recent.ts";
import { recountUsage } from "./recount-usage.ts";

/** The usage of each stream and of the whole log, updated in the same transaction as the events. */
export interface UsageBooks {
  readonly check: (quota: Quota, parts: readonly WritePart[], noOf: (stream: string) => number) => WriteReply | null;
  /** `named`: the stream whose account it joins with its first append, for good. */
  readonly add: (no: number, named: number, events: readonly WriteEvent[]) => void;
  /** Deletes the event's data and subtracts its size. */
  readonly erase: (seq: number, blobs: readonly string[]) => void;
  /** Call before the commit: writes the whole log's row once per batch. */
  readonly settle: () => void;
  /** Drops the cached usage, which may be outdated. */
  readonly forget: () => void;
  readonly recount: () => void;
}

const HOME = 0;
const ACCOUNTS_KEPT = 20_000;

export function createUsageBooks(db: DatabaseSync, blobFolder: string): UsageBooks {
  const sql = statements(db);
  let home: Taken | null = null;
  let isHomeChanged = false;
  /** A stream keeps its account for good. */
  const accounts = createRecent<number, number>(ACCOUNTS_KEPT);

  const homeNow = (): Taken => {
    home ??= of(HOME);
    return home;
  };
  const forget = (): void => {
    home = null;
    isHomeChanged = false;
    accounts.clear();
  };
  const of = (no: number): Taken => {
    const row = sql.of.get(no);
    if (row === undefined) return NO_USAGE;
    return { events: number(row["events"]), bytes: number(row["bytes"]), blobBytes: number(row["blob_bytes"]) };
  };
  const change = (no: number, by: Taken, named = no): void => {
    const account = accountOf(no, named) ?? no;
    const family = totalBytes(by);
    sql.change.run(no, account, by.events, by.bytes, by.blobBytes, account === no ? family : 0);
    if (account !== no) sql.changeFamily.run(family, account);
    home = sum(homeNow(), by);
    isHomeChanged = true;
  };
  /** Null when neither stream exists yet. */
  const accountOf = (no: number, named: number): number | null => storedAccount(no) ?? storedAccount(named);
  const storedAccount = (no: number): number | null => {
    const known = accounts.get(no);
    if (known !== undefined) return known;
    const found = sql.account.get(no)?.["account"];
    if (found === undefined) return null;
    accounts.set(no, number(found));
    return number(found);
  };
  const isBrought = (blob: string): boolean => sql.size.get(blob) !== undefined;
  /** Null when there is no such blob: the data only looks as if it named one. */
  const sizeOnDisk = (blob: string): number | null =>
    statSync(blobPath(blobFolder, blob), { throwIfNoEntry: false })?.size ?? null;

  /** Counts the blob for the stream unless it is counted already. Returns its size. */
  const bring = (no: number, blob: string): number => {
    if (isBrought(blob)) return 0;
    const size = sizeOnDisk(blob);
    if (size === null) return 0;
    sql.bring.run(blob, no, size);
    return size;
  };

  return {
    check: (quota, parts, noOf) =>
      checkQuota(quota, parts, {
        home: totalBytes(homeNow()),
        account: ({ stream, account }) => accountOf(noOf(stream), noOf(account)) ?? stream,
        used: (account) => (typeof account === "string" ? 0 : number(sql.family.get(account)?.["family_bytes"] ?? 0)),
        blobBytes: ({ blobs }) =>
          blobs.reduce((total, blob) => total + (isBrought(blob) ? 0 : (sizeOnDisk(blob) ?? 0)), 0),
      }),
    add: (no, named, events) => {
      let bytes = 0;
      let blobBytes = 0;
      for (const event of events) {
        bytes += bytesOf(event);
        for (const blob of event.blobs) blobBytes += bring(no, blob);
      }
      change(no, { events: events.length, bytes, blobBytes }, named);
    },
    erase: (seq, blobs) => {
      const found = sql.erased.get(seq);
      const no = number(found?.["stream"]);
      change(no, { ...NO_USAGE, bytes: -number(found?.["bytes"]) });
      sql.blank.run(seq);
      for (const blob of blobs) {
        sql.dropBlob.run(blob, seq);
        const brought = sql.size.get(blob);
        if (brought === undefined || brought["stream"] !== no) continue;
        const blobBytes = number(brought["bytes"]);
        change(no, { ...NO_USAGE, blobBytes: -blobBytes });
        const heir = sql.firstNaming.get(blob)?.["stream"];
        if (heir === undefined) sql.unbring.run(blob);
        else {
          sql.inherit.run(number(heir), blob);
          change(number(heir), { ...NO_USAGE, blobBytes });
        }
      }
    },
    settle: () => {
      if (!isHomeChanged || home === null) return;
      sql.set.run(home.events, home.bytes, home.blobBytes);
      isHomeChanged = false;
    },
    forget,
    recount: () => {
      recountUsage(db, blobFolder);
      forget();
    },
  };
}

function statements(db: DatabaseSync) {
  return {
    of: db.prepare("SELECT events, bytes, blob_bytes FROM usage WHERE stream = ?"),
    change: db.prepare(
      "INSERT INTO usage(stream, account, events, bytes, blob_bytes, family_bytes) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT(stream) DO UPDATE SET events = events + excluded.events, bytes = bytes + excluded.bytes, blob_bytes = blob_bytes + excluded.blob_bytes, family_bytes = family_bytes + excluded.family_bytes",
    ),
    changeFamily: db.prepare("UPDATE usage SET family_bytes = family_bytes + ? WHERE stream = ?"),
    account: db.prepare("SELECT account FROM usage WHERE stream = ?"),
    family: db.prepare("SELECT family_bytes FROM usage WHERE stream = ?"),
    set: db.prepare(
      "INSERT OR REPLACE INTO usage(stream, account, events, bytes, blob_bytes, family_bytes) VALUES (0, 0, ?, ?, ?, 0)",
    ),
    size: db.prepare("SELECT stream, bytes FROM blob_sizes WHERE blob = ?"),
    bring: db.prepare("INSERT INTO blob_sizes(blob, stream, bytes) VALUES (?, ?, ?)"),
    inherit: db.prepare("UPDATE blob_sizes SET stream = ? WHERE blob = ?"),
    unbring: db.prepare("DELETE FROM blob_sizes WHERE blob = ?"),
    firstNaming: db.prepare(
      "SELECT e.stream FROM event_blobs n JOIN events e ON e.seq = n.seq WHERE n.blob = ? ORDER BY n.seq LIMIT 1",
    ),
    erased: db.prepare("SELECT stream, coalesce(length(data), 0) AS bytes FROM events WHERE seq = ?"),
    blank: db.prepare("UPDATE events SET data = NULL, salt = NULL WHERE seq = ?"),
    dropBlob: db.prepare("DELETE FROM event_blobs WHERE blob = ? AND seq = ?"),
  };
}
