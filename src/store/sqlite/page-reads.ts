import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Model } from "../../kernel/index.ts";
import type { EventPage, EventQuery, RecordedEvent, RowQuery } from "../port.ts";
import { bytes, decodeRow, EVENT_COLUMNS, EVENT_SOURCE, idBytes, number, text } from "./encoding.ts";
import { TABLE_OF } from "./schema.ts";

/** Point reads and pages: what the main thread may do itself. No read transaction outlives a page. */
export interface PageReads {
  readonly stream: (name: string, query: EventQuery) => EventPage;
  /** By version instead of position: after the first, up to and with the second. */
  readonly versions: (name: string, after: number, upTo: number, limit: number) => readonly RecordedEvent[];
  readonly versionAt: (name: string, seq: number) => number;
  readonly all: (query: EventQuery) => EventPage;
  readonly event: (id: string) => RecordedEvent | null;
  readonly version: (name: string) => number;
  readonly lastSeq: () => number;
  readonly between: (first: number, last: number) => readonly RecordedEvent[];
  readonly call: (
    key: string,
  ) => { readonly request: Uint8Array; readonly first: number; readonly last: number } | null;
  readonly snapshot: (
    name: string,
    atOrBefore: number,
  ) => { readonly version: number; readonly state: Uint8Array } | null;
  readonly row: (model: Model, id: string) => string | null;
  readonly rows: (model: Model, query: RowQuery) => readonly string[];
  readonly sessionIdsLike: (nameOrPrefix: string) => readonly string[];
  readonly tokenBySecretHash: (secretHash: string) => string | null;
  /** Changes when another connection has committed: how another process notices news. */
  readonly dataVersion: () => number;
}

/** A filter that finds little may not read for ever: a page looks at no more events than this. */
const SCAN_MAX = 5000;
export function createPageReads(db: DatabaseSync): PageReads {
  const prepared = new Map<string, StatementSync>();
  const sql = (source: string): StatementSync => {
    const known = prepared.get(source) ?? db.prepare(source);
    prepared.set(source, known);
    return known;
  };

  const seqAt = (name: string, version: number): number =>
    number(
      sql("SELECT e.seq FROM events e JOIN streams s ON s.no = e.stream WHERE s.name = ? AND e.version = ?").get(
        name,
        version,
      )?.["seq"],
    );

  /** The version of the stream's last event at or before a global position: found by halving, since both only rise. */
  const versionAt = (name: string, seq: number): number => {
    let low = 0;
    let high = versionOf(name);
    if (seq <= 0 || high === 0) return 0;
    if (seqAt(name, high) <= seq) return high;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (seqAt(name, middle) <= seq) low = middle;
      else high = middle;
    }
    return low;
  };

  const versionOf = (name: string): number =>
    number(
      sql(
        "SELECT coalesce(max(version), 0) AS version FROM events WHERE stream = (SELECT no FROM streams WHERE name = ?)",
      ).get(name)?.["version"],
    );

  const page = (where: string, column: "version" | "seq", given: readonly string[], query: EventQuery): EventPage => {
    const filtered = query.types !== undefined || query.turnId !== undefined;
    const scan = filtered ? SCAN_MAX : query.limit;
    const order = query.descending === true ? "DESC" : "ASC";
    const low = query.after ?? 0;
    const high = query.before ?? Number.MAX_SAFE_INTEGER;
    const rows = sql(
      `SELECT ${EVENT_COLUMNS} FROM ${EVENT_SOURCE} WHERE ${where} e.${column} > ? AND e.${column} < ? ORDER BY e.${column} ${order} LIMIT ?`,
    ).all(...given, low, high, scan);
    const found: RecordedEvent[] = [];
    for (const [at, row] of rows.entries()) {
      if (wantsType(query, text(row["type"]))) {
        const event = decodeRow(row);
        if (query.turnId === undefined || turnOf(event) === query.turnId) found.push(event);
      }
      if (found.length === query.limit && at + 1 < rows.length) return { events: found, next: number(row["seq"]) };
    }
    const last = rows.at(-1);
    return { events: found, next: last !== undefined && rows.length === scan ? number(last["seq"]) : null };
  };

  const inVersions = (name: string, query: EventQuery): EventQuery => ({
    ...query,
    after: query.after === undefined ? 0 : versionAt(name, query.after),
    before: query.before === undefined ? Number.MAX_SAFE_INTEGER : versionAt(name, query.before - 1) + 1,
  });

  return {
    stream: (name, query) => page("s.name = ? AND ", "version", [name], inVersions(name, query)),
    versions: (name, after, upTo, limit) =>
      page("s.name = ? AND ", "version", [name], { after, before: upTo + 1, limit }).events,
    versionAt,
    all: (query) => page("", "seq", [], query),
    event: (id) => {
      const row = sql(`SELECT ${EVENT_COLUMNS} FROM ${EVENT_SOURCE} WHERE e.id = ?`).get(idBytes(id));
      return row === undefined ? null : decodeRow(row);
    },
    version: versionOf,
    lastSeq: () => number(sql("SELECT coalesce(max(seq), 0) AS seq FROM events").get()?.["seq"]),
    between: (first, last) =>
      sql(`SELECT ${EVENT_COLUMNS} FROM ${EVENT_SOURCE} WHERE e.seq BETWEEN ? AND ? ORDER BY e.seq`)
        .all(first, last)
        .map(decodeRow),
    call: (key) => {
      const row = sql("SELECT request, first, last FROM calls WHERE key = ?").get(Buffer.from(key, "hex"));
      if (row === undefined) return null;
      return { request: bytes(row["request"]), first: number(row["first"]), last: number(row["last"]) };
    },
    snapshot: (name, atOrBefore) => {
      const row = sql(
        "SELECT version, state FROM snapshots WHERE stream = (SELECT no FROM streams WHERE name = ?) AND version <= ? ORDER BY version DESC LIMIT 1",
      ).get(name, atOrBefore);
      return row === undefined ? null : { version: number(row["version"]), state: bytes(row["state"]) };
    },
    row: (model, id) => {
      const row = sql(`SELECT row FROM ${TABLE_OF[model]} WHERE id = ?`).get(id);
      return row === undefined ? null : text(row["row"]);
    },
    rows: (model, query) => {
      const { where, given } = rowFilter(model, query);
      const order = model === "session" ? "DESC" : "ASC";
      return sql(`SELECT row FROM ${TABLE_OF[model]} WHERE ${where} ORDER BY id ${order} LIMIT ?`)
        .all(...given, query.limit)
        .map((row) => text(row["row"]));
    },
    sessionIdsLike: (nameOrPrefix) =>
      sql("SELECT id FROM sessions WHERE name = ? UNION SELECT id FROM sessions WHERE id >= ? AND id < ? LIMIT 2")
        .all(nameOrPrefix, nameOrPrefix, `${nameOrPrefix}g`)
        .map((row) => text(row["id"])),
    tokenBySecretHash: (secretHash) => {
      const row = sql("SELECT row FROM tokens WHERE secret = ?").get(secretHash);
      return row === undefined ? null : text(row["row"]);
    },
    dataVersion: () => number(sql("PRAGMA data_version").get()?.["data_version"]),
  };
}

function rowFilter(model: Model, query: RowQuery): { readonly where: string; readonly given: readonly string[] } {
  const after = query.after === undefined ? [] : [query.after];
  if (model === "session") {
    if (query.active === true)
      return { where: query.after === undefined ? "active = 1" : "active = 1 AND id < ?", given: after };
    const open = query.open === true ? "alive = 1 AND shown = 1" : "shown = 1";
    return { where: query.after === undefined ? open : `${open} AND id < ?`, given: after };
  }
  const parts = query.after === undefined ? ["1 = 1"] : ["id > ?"];
  if (model !== "approval") return { where: parts.join(" AND "), given: after };
  if (query.open === true) parts.push("status = 'pending'");
  if (query.sessionId === undefined) return { where: parts.join(" AND "), given: after };
  return { where: [...parts, "session = ?"].join(" AND "), given: [...after, query.sessionId] };
}

function wantsType(query: EventQuery, type: string): boolean {
  return (
    query.types === undefined ||
    query.types.some((wanted) => wanted === type || `${wanted}@` === type.replace(/\d+$/, ""))
  );
}

function turnOf(event: RecordedEvent): unknown {
  return typeof event.data === "object" && event.data !== null && "turnId" in event.data ? event.data["turnId"] : null;
}
