import type { DatabaseSync } from "node:sqlite";
import { NO_PREV, verifyLink } from "../../kernel/index.ts";
import { type LogProblem, type Progress, StoreError, type VerifyReport } from "../port.ts";
import {
  bytes,
  columnsOf,
  describes,
  EVENT_COLUMNS,
  EVENT_SOURCE,
  type EventColumns,
  idBytes,
  number,
  parseHeader,
  sha256,
} from "./encoding.ts";
import { createStatements, type Row } from "./statements.ts";
import { placeInIndex } from "./verify-tail.ts";

const PAGE = 2000;
const PROBLEMS_MAX = 100;

/** Reads the whole log in order and checks every byte: chain, place, data, order without gaps. Names what is wrong, goes on. */
export function verifyLog(db: DatabaseSync, progress: Progress): VerifyReport {
  const sql = createStatements(db);
  const select = `SELECT ${EVENT_COLUMNS}, e.id FROM ${EVENT_SOURCE} WHERE`;
  const parentHash = sql(
    "SELECT e.hash FROM events e JOIN streams s ON s.no = e.stream WHERE s.name = ? AND e.version = ?",
  );
  const heads = new Map<string, { version: number; hash: Uint8Array }>();
  const problems: LogProblem[] = [];
  let events = 0;

  const check = (row: Row): void => {
    const stored = columnsOf(row);
    const note = (problem: string) =>
      problems.push({ stream: stored.stream, version: stored.version, seq: stored.seq, problem });
    const before = heads.get(stored.stream) ?? { version: 0, hash: NO_PREV };
    const text = Buffer.from(stored.header).toString("utf8");
    const header = parseHeader(text);
    if (header === null) note("header_unreadable");
    else {
      const forked = header.version === 1 && header.type === "session.forked@1";
      const prev = forked ? forkPrev(stored) : before.hash;
      const expected = { prev, stream: stored.stream, version: before.version + 1 };
      const fault = verifyLink(sha256, expected, { ...stored, header: text }, header);
      if (fault !== null) note(fault);
      else if (!describes(header, stored)) note("type_mismatch");
      else if (Buffer.compare(idBytes(header.id), bytes(row["id"])) !== 0) note("id_mismatch");
    }
    heads.set(stored.stream, { version: stored.version, hash: stored.hash });
    events += 1;
  };

  /** A fork continues its parent's chain; once its data is erased only the stored hash is left to go by. */
  const forkPrev = (stored: EventColumns): Uint8Array => {
    if (stored.data === null) return stored.prev;
    const from = forkPoint(Buffer.from(stored.data).toString("utf8"));
    const found = from === null ? undefined : parentHash.get(from.stream, from.version);
    return found === undefined ? NO_PREV : bytes(found["hash"]);
  };

  /** A row of which not even the columns can be read is a problem like any other. */
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
  return { ok: problems.length === 0, events, streams: heads.size, problems };
}

/** SQLite's own check: the trees are sound, and each index knows exactly the rows of its table. */
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

/** Null also when the bytes are no JSON at all; then the data's hash has the last word. */
function forkPoint(data: string): { readonly stream: string; readonly version: number } | null {
  const from = member(parsed(data), "from");
  const stream = member(from, "stream");
  const version = member(from, "version");
  return typeof stream === "string" && typeof version === "number" ? { stream, version } : null;
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
