/** Raised with every change of the tables; a schema of a higher version is refused, never guessed at. */
export const SCHEMA_VERSION = 1;

interface Table {
  readonly columns: Readonly<Record<string, string>>;
  readonly key: string;
  readonly indexes?: readonly string[];
  /** What is written over and over leaves room beside it, so that a change touches neither index nor other page. */
  readonly fillPercent?: number;
}

const ROW = { row: "bytea NOT NULL", sum: "bigint NOT NULL" };

/**
 * Everything that comes from outside is `bytea`: it is compared byte by byte whatever the database's collation, it may
 * hold a NUL, and what was hashed is what is stored. `sum` is the CRC-32 of what stands before it.
 */
export const TABLES: Readonly<Record<string, Table>> = {
  /** One row: the end of the log. Whoever appends holds its lock, so that positions follow the order of commits. */
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
  sessions: {
    columns: {
      id: "bytea NOT NULL",
      name: "bytea NOT NULL",
      alive: "smallint NOT NULL",
      shown: "smallint NOT NULL",
      active: "smallint NOT NULL",
      ...ROW,
    },
    key: "id",
    indexes: [
      "CREATE INDEX sessions_name ON sessions(name)",
      "CREATE INDEX sessions_alive ON sessions(alive, id)",
      "CREATE INDEX sessions_active ON sessions(id) WHERE active = 1",
    ],
    fillPercent: 50,
  },
  approvals: {
    columns: { id: "bytea NOT NULL", session: "bytea NOT NULL", status: "bytea NOT NULL", ...ROW },
    key: "id",
    indexes: ["CREATE INDEX approvals_status ON approvals(status, id)"],
  },
  agents: { columns: { id: "bytea NOT NULL", ...ROW }, key: "id" },
  tokens: {
    columns: { id: "bytea NOT NULL", secret: "bytea", ...ROW },
    key: "id",
    indexes: ["CREATE INDEX tokens_secret ON tokens(secret)"],
  },
  system: { columns: { id: "bytea NOT NULL", ...ROW }, key: "id", fillPercent: 50 },
  /** `put_at`: when somebody brought it last. */
  blobs: {
    columns: {
      blob: "bytea NOT NULL",
      packed: "bytea NOT NULL",
      put_at: "timestamp with time zone NOT NULL DEFAULT clock_timestamp()",
    },
    key: "blob",
  },
  /** Erased and not brought again: an event may no longer name them. */
  gone_blobs: { columns: { blob: "bytea NOT NULL" }, key: "blob" },
  search_cursor: {
    columns: { single: "smallint NOT NULL CHECK (single = 1)", seq: "bigint NOT NULL", id: "text NOT NULL" },
    key: "single",
    fillPercent: 10,
  },
  search_docs: {
    columns: {
      seq: "bigint NOT NULL",
      session: "bytea NOT NULL",
      event: "uuid NOT NULL",
      words: "text NOT NULL",
      found_by: "tsvector NOT NULL",
    },
    key: "seq",
    indexes: ["CREATE INDEX search_docs_words ON search_docs USING gin(found_by)"],
  },
  /** Written last: whoever finds it finds all the others. */
  meta: { columns: { application: "text NOT NULL", version: "integer NOT NULL" }, key: "application" },
};

export const APPLICATION = "nomos";

/** The statements that make a log out of an empty schema. */
export function createStatements(): readonly string[] {
  const tables = Object.entries(TABLES).flatMap(([name, { columns, key, indexes = [], fillPercent = 100 }]) => {
    const members = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
    return [
      `CREATE TABLE ${name}(${members.join(", ")}, PRIMARY KEY(${key})) WITH (fillfactor = ${fillPercent})`,
      ...indexes,
    ];
  });
  return [
    ...tables,
    "ALTER TABLE blobs ALTER COLUMN packed SET STORAGE EXTERNAL",
    "INSERT INTO head(single, seq, streams, fence) VALUES (1, 0, 0, 0)",
    "INSERT INTO search_cursor(single, seq, id) VALUES (1, 0, '')",
    `INSERT INTO meta(application, version) VALUES ('${APPLICATION}', ${SCHEMA_VERSION})`,
  ];
}

/** A column's type without what else is said of it, as PostgreSQL itself names it. */
export function plainType(declared: string): string {
  return declared.replace(/ (NOT NULL|CHECK|UNIQUE).*$/, "");
}
