import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { HOUSE } from "../../src/store/definitions.ts";
import { logPath, openSqliteStore, type Store, type StoreError } from "../../src/store/index.ts";
import { listsBefore } from "../../src/store/sqlite/tables/lists-before-4.ts";
import type { OpenedStore } from "../contract/store/describe-store.ts";
import { makeTestHome } from "./store-home.ts";

/** A SQLite store in its own folder. A failed flush fails the test, because this disk is not faulty. */
export async function openSqliteTestStore(given: string | null = null): Promise<OpenedStore> {
  const home = await makeTestHome();
  let definitions = given;
  const openStore = (): Promise<Store> => openSqliteStore({ home: home.path, onFatal: throwOnFatal, definitions });
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
    tracesOf: (bytes) => tracesIn(home.path, bytes),
    damageBlob: async (sha256) => flipByte(join(home.path, "blobs", sha256.slice(0, 2), `${sha256}.zst`)),
    tamper: async (...statements) => {
      await store.close();
      const db = new DatabaseSync(logPath(home.path));
      for (const statement of statements) db.exec(statement);
      db.close();
      store = await openStore();
      return store;
    },
    unfilled: async () => {
      const db = new DatabaseSync(logPath(home.path), { readOnly: true });
      const found = db.prepare("SELECT name FROM lists WHERE filled = 0 ORDER BY name").all();
      db.close();
      return found.map((row) => String(row["name"]));
    },
    downgrade: asBefore,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** Turns a log into one of an earlier version. */
export function asBefore(version: 1 | 2 | 3 | 4): readonly string[] {
  return [
    ...(version === 4 ? [] : ["DROP TABLE cursors", ...listsAsBefore(version)]),
    ...(version === 1 ? ["DROP TABLE usage", "DROP TABLE blob_sizes"] : []),
    `PRAGMA user_version=${version}`,
  ];
}

/** Lists of earlier versions, with their old columns; newer lists, and the record of lists, are left out. */
function listsAsBefore(version: number): readonly string[] {
  const before = new Map(listsBefore(version));
  return [
    "DROP TABLE lists",
    ...HOUSE.lists.flatMap(({ name, table }) => {
      const made = before.get(name);
      if (made === undefined) return [`DROP TABLE "${table}"`];
      const [, columns = ""] = /^CREATE TABLE \w+\((.+?)\) STRICT/.exec(made) ?? [];
      const names = columns.split(", ").map((column) => column.split(" ")[0]);
      return [
        `CREATE TEMP TABLE kept AS SELECT ${names.join(", ")} FROM "${table}"`,
        `DROP TABLE "${table}"`,
        made,
        `INSERT INTO "${table}" SELECT * FROM kept`,
        "DROP TABLE kept",
      ];
    }),
  ];
}

export function throwOnFatal(error: StoreError): never {
  throw error;
}

/** Files that hold these bytes, also compressed. */
async function tracesIn(folder: string, bytes: string): Promise<readonly string[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const found: string[] = [];
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    const raw = await readFile(path);
    if (raw.includes(bytes) || (path.endsWith(".zst") && zstdDecompressSync(raw).includes(bytes)))
      found.push(file.name);
  }
  return found;
}

async function flipByte(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    const { size } = await file.stat();
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, size >> 1);
    await file.write(Buffer.of((byte[0] ?? 0) ^ 0x10), 0, 1, size >> 1);
  } finally {
    await file.close();
  }
}
