import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { makeTestHome } from "../../../../test/support/store-home.ts";
import { openForReading, openForWriting } from "./schema.ts";

const FULL = 2;

proves(
  "LOG-12",
  "the writer flushes every commit and overwrites what it deletes; a reader changes nothing",
  async () => {
    await using home = await makeTestHome();
    const path = join(home.path, "log.db");
    const writer = openForWriting(path);
    const reader = openForReading(path);
    const setting = (db: typeof writer, name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(setting(writer, "journal_mode")).toBe("wal");
    expect(setting(writer, "synchronous")).toBe(FULL);
    expect(setting(writer, "secure_delete")).toBe(1);
    expect(setting(writer, "wal_autocheckpoint")).toBe(0);
    expect(() => reader.exec("CREATE TABLE other (id)")).toThrow();
    reader.close();
    writer.close();
  },
);
