import { createChainCheck, createTailCheck, forkPointOf } from "../../log/chain-check.ts";
import { bytes, EVENT_COLUMNS, EVENT_SOURCE, type EventColumns, number } from "../../log/encoding.ts";
import { type LogProblem, type Progress, StoreError, type VerifyReport } from "../../port.ts";
import type { Row } from "../connection/connection.ts";
import { eventColumns } from "../connection/decode.ts";
import type { Sql } from "./event-pages.ts";

const PAGE = 500;
const PAGE_BYTES_MAX = 16 * 1024 * 1024;
const PROBLEMS_MAX = 100;

/** Reads the whole log in order and checks every byte: chain, place, data, no gaps. Reports problems and continues. */
export async function verifyLog(sql: Sql, progress: Progress): Promise<VerifyReport> {
  const chain = createChainCheck();
  const problems: LogProblem[] = [];
  const note = (problem: string, place: Partial<LogProblem> = {}) =>
    problems.push({ stream: "", version: 0, seq: null, ...place, problem });
  let events = 0;
  let seq = 0;

  const check = async (row: Row): Promise<void> => {
    const stored = readable(row);
    if (stored === null) {
      note("columns_unreadable", { seq });
      return;
    }
    const { stream, version } = stored;
    const problem = chain.problemOf({ ...stored, id: String(row["id"]) }, await parentHash(stored));
    if (problem !== null) note(problem, { stream, version, seq });
    events += 1;
  };
  const parentHash = async (stored: EventColumns): Promise<Uint8Array | null> => {
    const from = forkPointOf(stored);
    if (from === null) return null;
    const [found] = await sql(
      "SELECT e.hash FROM events e JOIN streams s ON s.no = e.stream WHERE s.name = $1 AND e.version = $2",
      Buffer.from(from.stream),
      from.version,
    );
    return found === undefined ? null : bytes(found["hash"]);
  };

  const end = await ends(sql);
  while (seq < end.lastSeq && problems.length < PROBLEMS_MAX) {
    const rows = await sql(NEXT_PAGE, seq, end.lastSeq, PAGE);
    if (rows.length === 0) break;
    for (const row of rows) {
      for (seq += 1; seq < number(row["seq"]) && problems.length < PROBLEMS_MAX; seq += 1) note("missing", { seq });
      seq = number(row["seq"]);
      await check(row);
    }
    progress(seq, end.lastSeq);
  }
  if (end.headSeq !== end.lastSeq) note(`structure: the head is at ${end.headSeq}, the log at ${end.lastSeq}`);
  if (end.headStreams !== end.streams)
    note(`structure: the head counts ${end.headStreams} streams, there are ${end.streams}`);
  return { ok: problems.length === 0, events, streams: chain.streams(), problems };
}

/** A start checks only the end of the log. */
export async function verifyTail(sql: Sql, events: number): Promise<readonly LogProblem[]> {
  const rows = await sql(`SELECT ${EVENT_COLUMNS} FROM ${EVENT_SOURCE} ORDER BY e.seq DESC LIMIT $1`, events);
  const problemOf = createTailCheck();
  return rows.toReversed().flatMap((row): readonly LogProblem[] => {
    const stored = eventColumns(row);
    const { stream, version, seq } = stored;
    const problem = problemOf(stored);
    return problem === null ? [] : [{ stream, version, seq, problem }];
  });
}

/** Limits a page by number and by size. */
const NEXT_PAGE = `
  SELECT * FROM (
    SELECT p.*, sum(octet_length(p.data)) OVER (ORDER BY p.seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM (SELECT ${EVENT_COLUMNS}, e.id FROM ${EVENT_SOURCE} WHERE e.seq > $1 AND e.seq <= $2 ORDER BY e.seq LIMIT $3) p
  ) e WHERE coalesce(e.before, 0) < ${PAGE_BYTES_MAX} ORDER BY e.seq`;

/** Reads the head row and the actual end of the log in one moment. */
async function ends(sql: Sql) {
  const [row] = await sql(
    `SELECT h.seq AS head_seq, h.streams AS head_streams, (SELECT coalesce(max(seq), 0) FROM events) AS last_seq,
       (SELECT count(*) FROM streams) AS streams FROM head h`,
  );
  if (row === undefined) throw new StoreError("log_corrupt", { problem: "the log has no head" });
  return {
    headSeq: number(row["head_seq"]),
    headStreams: number(row["head_streams"]),
    lastSeq: number(row["last_seq"]),
    streams: number(row["streams"]),
  };
}

function readable(row: Row): EventColumns | null {
  try {
    return eventColumns(row);
  } catch (cause) {
    if (cause instanceof StoreError && cause.code === "log_corrupt") return null;
    throw cause;
  }
}
