import type { DatabaseSync } from "node:sqlite";
import { NO_PREV, verifyLink } from "../../kernel/index.ts";
import type { LogProblem, Progress, VerifyReport } from "../port.ts";
import { bytes, columnsOf, EVENT_COLUMNS, EVENT_SOURCE, number, parseHeader, sha256 } from "./encoding.ts";

const PAGE = 2000;
const PROBLEMS_MAX = 100;

/** Reads the whole log in order and checks every byte: chain, place, data, order without gaps. Names what is wrong, goes on. */
export function verifyLog(db: DatabaseSync, progress: Progress): VerifyReport {
  const page = db.prepare(`SELECT ${EVENT_COLUMNS} FROM ${EVENT_SOURCE} WHERE e.seq > ? ORDER BY e.seq LIMIT ${PAGE}`);
  const of = number(db.prepare("SELECT coalesce(max(seq), 0) AS seq FROM events").get()?.["seq"]);
  const parentHash = db.prepare(
    "SELECT e.hash FROM events e JOIN streams s ON s.no = e.stream WHERE s.name = ? AND e.version = ?",
  );
  const heads = new Map<string, { version: number; hash: Uint8Array }>();
  const problems: LogProblem[] = [];
  let cursor = 0;
  let events = 0;

  const check = (row: Record<string, unknown>): void => {
    const stored = columnsOf(row);
    const note = (problem: string) =>
      problems.push({ stream: stored.stream, version: stored.version, seq: stored.seq, problem });
    if (stored.seq !== cursor + 1) note(`gap: ${stored.seq - cursor - 1} missing before it`);
    const before = heads.get(stored.stream) ?? { version: 0, hash: NO_PREV };
    const text = Buffer.from(stored.header).toString("utf8");
    const header = parseHeader(text);
    if (header === null) note("header_unreadable");
    else {
      const forked = header.version === 1 && header.type === "session.forked@1";
      const prev = forked ? forkPrev(stored.data, stored.prev) : before.hash;
      const expected = { prev, stream: stored.stream, version: before.version + 1 };
      const fault = verifyLink(sha256, expected, { ...stored, header: text }, header);
      if (fault !== null) note(fault);
      if (row["type"] !== header.type) note("type_mismatch");
    }
    heads.set(stored.stream, { version: stored.version, hash: stored.hash });
    cursor = stored.seq;
    events += 1;
  };

  /** A fork continues its parent's chain; once its data is erased only the stored hash is left to go by. */
  const forkPrev = (data: Uint8Array | null, stored: Uint8Array): Uint8Array => {
    if (data === null) return stored;
    const from = forkPoint(Buffer.from(data).toString("utf8"));
    const found = from === null ? undefined : parentHash.get(from.stream, from.version);
    return found === undefined ? NO_PREV : bytes(found["hash"]);
  };

  for (let rows = page.all(cursor); rows.length > 0 && problems.length < PROBLEMS_MAX; rows = page.all(cursor)) {
    for (const row of rows) check(row);
    progress(cursor, of);
  }
  return { ok: problems.length === 0, events, streams: heads.size, problems };
}

/** At start only the end of the log is checked: that is where a torn write would show. */
export function verifyTail(db: DatabaseSync, events: number): readonly LogProblem[] {
  const rows = db
    .prepare(`SELECT ${EVENT_COLUMNS} FROM ${EVENT_SOURCE} ORDER BY e.seq DESC LIMIT ?`)
    .all(events)
    .reverse();
  const heads = new Map<string, Uint8Array>();
  const problems: LogProblem[] = [];
  for (const row of rows) {
    const stored = columnsOf(row);
    const text = Buffer.from(stored.header).toString("utf8");
    const header = parseHeader(text);
    const expected = { prev: heads.get(stored.stream) ?? stored.prev, stream: stored.stream, version: stored.version };
    const fault =
      header === null ? "header_unreadable" : verifyLink(sha256, expected, { ...stored, header: text }, header);
    if (fault !== null)
      problems.push({ stream: stored.stream, version: stored.version, seq: stored.seq, problem: fault });
    heads.set(stored.stream, stored.hash);
  }
  return problems;
}

function forkPoint(data: string): { readonly stream: string; readonly version: number } | null {
  const parsed: unknown = JSON.parse(data);
  const from: unknown = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, "from") : null;
  if (typeof from !== "object" || from === null) return null;
  const stream: unknown = Reflect.get(from, "stream");
  const version: unknown = Reflect.get(from, "version");
  return typeof stream === "string" && typeof version === "number" ? { stream, version } : null;
}
