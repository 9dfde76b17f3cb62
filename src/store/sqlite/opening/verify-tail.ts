import type { DatabaseSync } from "node:sqlite";
import { createTailCheck } from "../../log/chain-check.ts";
import { columnsOf, EVENT_COLUMNS, EVENT_SOURCE, number } from "../../log/encoding.ts";
import { type LogProblem, StoreError } from "../../port.ts";
import { createStatements, type Row } from "../tables/statements.ts";

/** A start checks only the end of the log, where a torn write would show. */
export function verifyTail(db: DatabaseSync, events: number): readonly LogProblem[] {
  const sql = createStatements(db);
  const rows = sql(`SELECT ${EVENT_COLUMNS} FROM ${EVENT_SOURCE} ORDER BY e.seq DESC LIMIT ?`).all(events).toReversed();
  const problemOf = createTailCheck();
  const problems: LogProblem[] = [];
  let lastSeq = 0;
  for (const row of rows) {
    const stored = columnsOf(row);
    const { stream, version, seq } = stored;
    const problem = problemOf(stored);
    if (problem !== null) problems.push({ stream, version, seq, problem });
    lastSeq = seq;
  }
  return [...problems, ...misplaced(db, events), ...beyondEnd(db, lastSeq, events)];
}

/** Appends use the index of places. If it has lost an event, the stream would be continued at a wrong version. */
function misplaced(db: DatabaseSync, events: number): readonly LogProblem[] {
  const found = createStatements(db)(
    "SELECT s.name AS stream, t.version, t.seq FROM (SELECT seq, stream, version FROM events ORDER BY seq DESC LIMIT ?) t LEFT JOIN events p INDEXED BY events_place ON p.stream = t.stream AND p.version = t.version LEFT JOIN streams s ON s.no = t.stream WHERE p.seq IS NOT t.seq LIMIT 1",
  ).all(events);
  return found.map((row) => ({
    stream: String(row["stream"]),
    version: number(row["version"]),
    seq: number(row["seq"]),
    problem: "missing in the index of places",
  }));
}

/** Indexes are stored separately: an event found only in an index existed and is lost. */
function beyondEnd(db: DatabaseSync, lastSeq: number, events: number): readonly LogProblem[] {
  const sql = createStatements(db);
  const newest = sql(
    "SELECT max(seq) AS seq FROM (SELECT seq FROM events INDEXED BY events_id ORDER BY id DESC LIMIT ?)",
  ).get(events);
  const seq = newest?.["seq"] ?? 0;
  return number(seq) > lastSeq ? [placeInIndex(db, number(seq), "missing")] : [];
}

/** Describes an event that the table cannot show, by its entry in the index of places. */
export function placeInIndex(db: DatabaseSync, seq: number, problem: string): LogProblem {
  const found = lookUp(db, seq);
  const { stream, version } = found ?? {};
  return {
    stream: typeof stream === "string" ? stream : "",
    version: typeof version === "number" ? version : 0,
    seq,
    problem,
  };
}

function lookUp(db: DatabaseSync, seq: number): Row | undefined {
  try {
    return createStatements(db)(
      "SELECT s.name AS stream, e.version AS version FROM events e INDEXED BY events_place LEFT JOIN streams s ON s.no = e.stream WHERE +e.seq = ?",
    ).get(seq);
  } catch (cause) {
    if (cause instanceof StoreError && cause.code === "log_corrupt") return undefined;
    throw cause;
  }
}
