import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { makeTestHome } from "../../../../test/support/store-home.ts";
import { StoreError } from "../../port.ts";
import { isBusy, isConstraint, leavesNothing, openForReading, openForWriting, translate } from "./schema.ts";

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

/** As node:sqlite throws it. */
const failed = (errcode: number) => Object.assign(new Error("it failed"), { code: "ERR_SQLITE_ERROR", errcode });

proves("LOG-13", "the writer goes on only after a full disk or a foreign lock; any other failure ends it", () => {
  const codes = { full: 13, busy: 5, busySnapshot: 5 | (2 << 8), io: 10, ioFsync: 10 | (4 << 8), corrupt: 11 };
  const said = Object.entries({ ...codes, readOnly: 8, cantOpen: 14, tooBig: 18, notADatabase: 26, unknown: 1 }).map(
    ([name, code]) => {
      const error = translate(failed(code), { at: "commit" });
      return `${name} ${error.code} ${leavesNothing(error)}`;
    },
  );
  expect(said).toEqual([
    "full disk_full true",
    "busy overloaded true",
    "busySnapshot overloaded true",
    "io store_failed false",
    "ioFsync store_failed false",
    "corrupt log_corrupt false",
    "readOnly store_read_only false",
    "cantOpen store_read_only false",
    "tooBig log_corrupt false",
    "notADatabase log_corrupt false",
    "unknown store_failed false",
  ]);
  expect(translate(failed(10), { at: "commit" }).details).toMatchObject({
    at: "commit",
    sqlite: 10,
    reason: "it failed",
  });
  const known = new StoreError("disk_full");
  expect(translate(known)).toBe(known);
  expect(translate("odd")).toMatchObject({ code: "store_failed", details: { reason: "odd", sqlite: null } });
  expect([isConstraint(failed(19 | (5 << 8))), isConstraint(failed(13)), isConstraint(new Error("x"))]).toEqual([
    ...[true, false, false],
  ]);
  expect([isBusy(failed(5)), isBusy(failed(6)), isBusy(null)]).toEqual([true, false, false]);
});
