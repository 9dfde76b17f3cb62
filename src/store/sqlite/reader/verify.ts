import type { DatabaseSync } from "node:sqlite";
import { createChainCheck, forkPointOf } from "../../log/chain-check.ts";
import { bytes, columnsOf, EVENT_COLUMNS, EVENT_SOURCE, number, uuidOf } from "../../log/encoding.ts";
import { type LogProblem, type Progress, StoreError, type VerifyReport } from "../../port.ts";
import { placeInIndex } from "../opening/verify-tail.ts";
import { createStatements, type Row } from "../tables/statements.ts";

const PAGE = 2000;
const PROBLEMS_MAX = 100;

/** Reads the whole log in order and checks every byte: chain, place, data, no gaps. Reports problems and continues. */
export function verifyLog(db: DatabaseSync, progress: Progress): VerifyReport {
  const sql = createStatements(db);
  const select = `SELECT ${EVENT_COLUMNS}, e.id FROM ${EVENT_SOURCE} WHERE`;
  const parentHash = sql(
    "SELECT e.hash FROM events e JOIN streams s ON s.no = e.stream WHERE s.name = ? AND e.version = ?",
  );
  const chain = createChainCheck();
  const problems: LogProblem[] = [];
  let events = 0;

  const check = (row: Row): void => {
    const stored = { ...columnsOf(row), id: uuidOf(bytes(row["id"])) };
    const { stream, version, seq } = stored;
    const from = forkPointOf(stored);
    const parent = from === null ? undefined : parentHash.get(from.stream, from.version);
    const problem = chain.problemOf(stored, parent === undefined ? null : bytes(parent["hash"]));
    if (problem !== null) problems.push({ stream, version, seq, problem });
    events += 1;
  };

  /** An unreadable row is reported like any other problem. */
  const checkAt = (seq: number, row: Row | undefined): void => {
    if (row === undefined) problems.push(placeInIndex(db, seq, "missing"));
    else
      try {
        check(row);
      } catch (cause) {
        if (!isCorrupt(cause)) throw cause;
        problems.push(placeInIndex(db, seq, "columns_unreadable"));
      }
  };

  const checkOne = (seq: number): void => {
    try {
      checkAt(seq, sql(`${select} e.seq = ?`).get(seq));
    } catch (cause) {
      if (!isCorrupt(cause)) throw cause;
      problems.push(placeInIndex(db, seq, "page_unreadable"));
    }
  };

  const of = number(sql("SELECT coalesce(max(seq), 0) AS seq FROM events").get()?.["seq"]);
  for (let first = 1; first <= of && problems.length < PROBLEMS_MAX; first += PAGE) {
    const last = Math.min(of, first + PAGE - 1);
    const rows = pageOf(() => sql(`${select} e.seq BETWEEN ? AND ? ORDER BY e.seq`).all(first, last));
    if (rows?.length === last - first + 1) for (const row of rows) checkAt(number(row["seq"]), row);
    else for (let seq = first; seq <= last && problems.length < PROBLEMS_MAX; seq += 1) checkOne(seq);
    progress(last, of);
  }
  if (problems.length < PROBLEMS_MAX) problems.push(...structure(db));
  return { ok: problems.length === 0, events, streams: chain.streams(), problems };
}

/** SQLite's own check: intact B-trees, and indexes that match their tables. */
function structure(db: DatabaseSync): readonly LogProblem[] {
  const sql = createStatements(db);
  const named = (problem: string): LogProblem => ({ stream: "", version: 0, seq: null, problem });
  try {
    const lost = sql(
      "SELECT max(seq) AS seq FROM events INDEXED BY events_place WHERE +seq > (SELECT coalesce(max(seq), 0) FROM events)",
    ).get()?.["seq"];
    const found = sql("PRAGMA integrity_check(20)")
      .all()
      .map((row) => String(row["integrity_check"]));
    return [
      ...(typeof lost === "number" ? [placeInIndex(db, lost, "missing")] : []),
      ...found.filter((line) => line !== "ok").map((line) => named(`structure: ${line}`)),
    ];
  } catch (cause) {
    if (!isCorrupt(cause)) throw cause;
    return [named("structure: a page cannot be read")];
  }
}

function pageOf(read: () => readonly Row[]): readonly Row[] | null {
  try {
    return read();
  } catch (cause) {
    if (isCorrupt(cause)) return null;
    throw cause;
  }
}

function isCorrupt(cause: unknown): boolean {
  return cause instanceof StoreError && cause.code === "log_corrupt";
}
