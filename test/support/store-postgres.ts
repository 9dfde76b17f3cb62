import { zstdDecompressSync } from "node:zlib";
import { HOUSE } from "../../src/store/definitions.ts";
import type { Store } from "../../src/store/index.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { recordedList } from "../../src/store/postgres/tables/lists.ts";
import { listsBefore } from "../../src/store/postgres/tables/lists-before-4.ts";
import type { OpenedStore } from "../contract/store/describe-store.ts";
import { onPostgres, type TestSchema, testSchema } from "./postgres.ts";
import { throwOnFatal } from "./store-sqlite.ts";

/** A PostgreSQL store in its own schema. */
export async function openPostgresTestStore(given: string | null = null): Promise<OpenedStore> {
  const schema = await testSchema();
  let definitions = given;
  const openStore = (): Promise<Store> => openPostgresStore({ url: schema.url, onFatal: throwOnFatal, definitions });
  let store = await openStore();
  return {
    get store() {
      return store;
    },
    reopen: async (other = definitions) => {
      await store.close();
      definitions = other;
      store = await openStore();
      return store;
    },
    tracesOf: (bytes) => tracesIn(schema, bytes),
    damageBlob: async (sha256) => {
      await onPostgres(schema.url, (client) =>
        client.query(
          `UPDATE "${schema.name}".blobs SET packed = set_byte(packed, octet_length(packed) / 2, get_byte(packed, octet_length(packed) / 2) # 16) WHERE blob = $1`,
          [Buffer.from(sha256, "hex")],
        ),
      );
    },
    tamper: async (...statements) => {
      await store.close();
      await onPostgres(schema.url, async (client) => {
        await client.query(`SET search_path TO "${schema.name}"`);
        for (const statement of statements) await client.query(statement);
      });
      store = await openStore();
      return store;
    },
    unfilled: () =>
      onPostgres(schema.url, async (client) => {
        const text = `SELECT name FROM "${schema.name}".lists WHERE filled = 0 ORDER BY name`;
        return (await client.query<{ name: string }>(text)).rows.map(({ name }) => name);
      }),
    downgrade: (version) => [
      ...(version === 4
        ? []
        : ["DROP TABLE cursors", "ALTER TABLE search_docs RENAME COLUMN stream TO session", ...listsAsBefore(version)]),
      ...(version === 1 ? ["DROP TABLE usage", "DROP TABLE blob_sizes"] : []),
      `UPDATE meta SET version = ${version}`,
    ],
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await schema[Symbol.asyncDispose]();
    },
  };
}

/** Lists of earlier versions, with their old columns; newer lists, and the record of lists, are left out. */
function listsAsBefore(version: number): readonly string[] {
  const before = new Map(listsBefore(version));
  return [
    "DROP TABLE lists",
    ...HOUSE.lists.flatMap(({ name, table }) => {
      const made = before.get(name);
      if (made === undefined) return [`DROP TABLE "${table}"`];
      const columns = [...recordedList(name, made).columns.keys()].join(", ");
      return [
        `CREATE TEMP TABLE kept AS SELECT ${columns} FROM "${table}"`,
        `DROP TABLE "${table}"`,
        made,
        `INSERT INTO "${table}"(${columns}) SELECT ${columns} FROM kept`,
        "DROP TABLE kept",
      ];
    }),
  ];
}

/** Tables that still hold these bytes in a readable row, also compressed. */
async function tracesIn(schema: TestSchema, bytes: string): Promise<readonly string[]> {
  return onPostgres(schema.url, async (client) => {
    const tables = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = $1",
      [schema.name],
    );
    const found: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM "${schema.name}"."${name}"`);
      if (rows.some((row) => Object.values(row).some((value) => holds(value, bytes, name === "blobs"))))
        found.push(name);
    }
    return found;
  });
}

function holds(value: unknown, bytes: string, mayBePacked: boolean): boolean {
  if (!(value instanceof Uint8Array)) return String(value).includes(bytes);
  const raw = Buffer.from(value);
  return raw.includes(bytes) || (mayBePacked && isPacked(raw) && zstdDecompressSync(raw).includes(bytes));
}

function isPacked(raw: Buffer): boolean {
  return raw.length > 4 && raw.readUInt32LE(0) === 0xfd2fb528;
}
