import { listsBefore } from "./lists-before-4.ts";

/** Raised with every change of the tables. A schema of a higher version is refused. */
export const SCHEMA_VERSION = 5;

interface Table {
  readonly columns: Readonly<Record<string, string>>;
  readonly key: string;
  readonly indexes?: readonly string[];
  /**
   * Tables that are updated often leave free space in their pages, so that an update touches no index and no other
   * page.
   */
  readonly fillPercent?: number;
}

/**
 * Everything from outside is `bytea`: it compares byte by byte under any collation, may hold a NUL, and is stored
 * exactly as it was hashed. `sum` is the CRC-32 of the column before it. The tables of lists are not here: they are
 * derived from their definitions.
 */
export const TABLES: Readonly<Record<string, Table>> = {
  /** One row: the end of the log. An append locks it, so that positions follow the order of commits. */
  head: {
    columns: {
      single: "smallint NOT NULL CHECK (single = 1)",
      seq: "bigint NOT NULL",
      streams: "bigint NOT NULL",
      fence: "bigint NOT NULL",
    },
    key: "single",
    fillPercent: 10,
  },
  leases: {
    columns: {
      resource: "text NOT NULL",
      holder: "text",
      claim: "uuid",
      expires_at: "timestamp with time zone NOT NULL",
    },
    key: "resource",
    fillPercent: 10,
  },
  /** Since version 2: the usage of each stream; stream 0 is the whole log. A fork counts for its root's account. */
  usage: {
    columns: {
      stream: "bigint NOT NULL",
      account: "bigint NOT NULL",
      events: "bigint NOT NULL",
      bytes: "bigint NOT NULL",
      blob_bytes: "bigint NOT NULL",
      family_bytes: "bigint NOT NULL",
    },
    key: "stream",
    fillPercent: 50,
  },
  /** A blob counts once, for the stream that stored it first. */
  blob_sizes: { columns: { blob: "bytea NOT NULL", stream: "bigint NOT NULL", bytes: "bigint NOT NULL" }, key: "blob" },
  streams: { columns: { no: "bigint NOT NULL", name: "bytea NOT NULL UNIQUE" }, key: "no" },
  events: {
    columns: {
      seq: "bigint NOT NULL",
      stream: "bigint NOT NULL",
      version: "bigint NOT NULL",
      id: "uuid NOT NULL UNIQUE",
      type: "bytea NOT NULL",
      prev: "bytea NOT NULL",
      header: "bytea NOT NULL",
      hash: "bytea NOT NULL",
      salt: "bytea",
      data: "bytea",
    },
    key: "seq",
    indexes: ["CREATE UNIQUE INDEX events_place ON events(stream, version)"],
  },
  event_blobs: { columns: { blob: "bytea NOT NULL", seq: "bigint NOT NULL" }, key: "blob, seq" },
  calls: {
    columns: { key: "bytea NOT NULL", request: "bytea NOT NULL", first: "bigint NOT NULL", last: "bigint NOT NULL" },
    key: "key",
  },
  snapshots: {
    columns: { stream: "bigint NOT NULL", version: "bigint NOT NULL", state: "bytea NOT NULL", sum: "bigint NOT NULL" },
    key: "stream, version",
  },
  /**
   * Since version 4: the lists of this log, with the SQL that created their tables, and whether they hold the rows of
   * older events.
   */
  lists: { columns: { name: "text NOT NULL", made: "text NOT NULL", filled: "smallint NOT NULL" }, key: "name" },
  /** `put_at`: when the blob was last stored. */
  blobs: {
    columns: {
      blob: "bytea NOT NULL",
      packed: "bytea NOT NULL",
      put_at: "timestamp with time zone NOT NULL DEFAULT clock_timestamp()",
    },
    key: "blob",
  },
  /** Blobs that were erased and not stored again: no new event may name them. */
  gone_blobs: { columns: { blob: "bytea NOT NULL" }, key: "blob" },
  /** Since version 4: the cursor of each follower. */
  cursors: {
    columns: { name: "text NOT NULL", seq: "bigint NOT NULL", id: "text NOT NULL" },
    key: "name",
    fillPercent: 50,
  },
  search_cursor: {
    columns: { single: "smallint NOT NULL CHECK (single = 1)", seq: "bigint NOT NULL", id: "text NOT NULL" },
    key: "single",
    fillPercent: 10,
  },
  search_docs: {
    columns: {
      seq: "bigint NOT NULL",
      stream: "bytea NOT NULL",
      event: "uuid NOT NULL",
      words: "text NOT NULL",
      found_by: "tsvector NOT NULL",
    },
    key: "seq",
    indexes: ["CREATE INDEX search_docs_words ON search_docs USING gin(found_by)"],
  },
  /** Written last: if it exists, all other tables exist. */
  meta: { columns: { application: "text NOT NULL", version: "integer NOT NULL" }, key: "application" },
};

export const APPLICATION = "nomos";

/** The statements that create a log in an empty schema. */
export function createStatements(): readonly string[] {
  return [
    ...Object.keys(TABLES).flatMap(tableStatements),
    "INSERT INTO usage(stream, account, events, bytes, blob_bytes, family_bytes) VALUES (0, 0, 0, 0, 0, 0)",
    "ALTER TABLE blobs ALTER COLUMN packed SET STORAGE EXTERNAL",
    "INSERT INTO head(single, seq, streams, fence) VALUES (1, 0, 0, 0)",
    "INSERT INTO search_cursor(single, seq, id) VALUES (1, 0, '')",
    `INSERT INTO meta(application, version) VALUES ('${APPLICATION}', ${SCHEMA_VERSION})`,
  ];
}

/** The statements that upgrade an older log. Events do not change. */
export function upgradeStatements(found: number): readonly string[] {
  return [
    ...(found < 2 ? [PUT_AT, ...tablesSince(2).flatMap(tableStatements), ...RECOUNT] : []),
    ...(found < 4 ? [...tablesSince(4).flatMap(tableStatements), ...recordLists(found), ...SEARCH_STREAMS] : []),
    `UPDATE meta SET version = ${SCHEMA_VERSION}`,
  ];
}

/** The version in which a table or column was added; 1 if not listed. */
const SINCE: Readonly<Record<string, number>> = {
  usage: 2,
  blob_sizes: 2,
  "blobs.put_at": 2,
  lists: 4,
  cursors: 4,
};

export function sinceVersion(table: string, column?: string): number {
  return SINCE[column === undefined ? table : `${table}.${column}`] ?? 1;
}

function tablesSince(version: number): readonly string[] {
  return Object.keys(TABLES).filter((table) => sinceVersion(table) === version);
}

const PUT_AT =
  "ALTER TABLE blobs ADD COLUMN IF NOT EXISTS put_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()";

/** Records the lists of an older log. Lists that differ from their definitions are converted afterwards. */
function recordLists(found: number): readonly string[] {
  return listsBefore(found).map(
    ([name, made]) => `INSERT INTO lists(name, made, filled) VALUES ('${name}', '${made}', 1)`,
  );
}

/**
 * The older search index stored the session, not the stream. It is rebuilt in the background: rewriting every document
 * would delay the start.
 */
const SEARCH_STREAMS: readonly string[] = [
  "TRUNCATE search_docs",
  "UPDATE search_cursor SET seq = 0, id = ''",
  "ALTER TABLE search_docs RENAME COLUMN session TO stream",
];

/** The name of a column in an earlier version. */
export function nameAt(version: number, table: string, column: string): string {
  return version < 4 && table === "search_docs" && column === "stream" ? "session" : column;
}

/** Recounts the usage of each stream. */
export const RECOUNT: readonly string[] = [
  "DELETE FROM blob_sizes",
  "DELETE FROM usage",
  `INSERT INTO blob_sizes(blob, stream, bytes) SELECT n.blob, e.stream, octet_length(b.packed)
   FROM (SELECT blob, min(seq) AS seq FROM event_blobs GROUP BY blob) n
   JOIN events e ON e.seq = n.seq JOIN blobs b ON b.blob = n.blob`,
  `INSERT INTO usage(stream, account, events, bytes, blob_bytes, family_bytes)
   SELECT e.stream, e.stream, count(*), sum(length(e.header) + coalesce(length(e.data), 0)), coalesce(min(b.bytes), 0), 0
   FROM events e LEFT JOIN (SELECT stream, sum(bytes) AS bytes FROM blob_sizes GROUP BY stream) b ON b.stream = e.stream
   GROUP BY e.stream`,
  // Finds each session's account: follows a fork to its root, and a started session to its parent, up to the top.
  `WITH RECURSIVE rows AS MATERIALIZED (
     SELECT convert_from(id, 'UTF8') AS id, convert_from(row, 'UTF8')::json AS row FROM sessions),
   named AS MATERIALIZED (
     SELECT id, CASE WHEN row->>'root' <> id THEN row->>'root' ELSE row->>'parentSessionId' END AS other FROM rows),
   up AS (SELECT id, id AS at, 0 AS steps FROM named UNION ALL
     SELECT up.id, named.other, steps + 1 FROM up JOIN named ON named.id = up.at WHERE other IS NOT NULL AND steps < 256),
   roots AS (SELECT DISTINCT ON (id) id, at FROM up ORDER BY id, steps DESC)
   UPDATE usage u SET account = r.no FROM roots x, streams s, streams r WHERE u.stream = s.no
   AND s.name = convert_to('session/' || x.id, 'UTF8') AND r.name = convert_to('session/' || x.at, 'UTF8')`,
  `UPDATE usage u SET family_bytes = f.bytes
   FROM (SELECT account, sum(bytes + blob_bytes) AS bytes FROM usage GROUP BY account) f WHERE f.account = u.stream`,
  `INSERT INTO usage(stream, account, events, bytes, blob_bytes, family_bytes)
   SELECT 0, 0, coalesce(sum(events), 0), coalesce(sum(bytes), 0), coalesce(sum(blob_bytes), 0), 0 FROM usage`,
];

function tableStatements(name: string): readonly string[] {
  const { columns, key, indexes = [], fillPercent = 100 } = TABLES[name] ?? { columns: {}, key: "" };
  const members = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
  return [
    `CREATE TABLE ${name}(${members.join(", ")}, PRIMARY KEY(${key})) WITH (fillfactor = ${fillPercent})`,
    ...indexes,
  ];
}

/** A column's type without its constraints, as PostgreSQL names it. */
export function plainType(declared: string): string {
  return declared.replace(/ (NOT NULL|CHECK|UNIQUE).*$/, "");
}
