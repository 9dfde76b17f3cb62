import type { DatabaseSync } from "node:sqlite";
import { number, text } from "../../log/encoding.ts";
import type { Cursor } from "../../port.ts";
import { openForWriting, versionOf } from "../tables/schema.ts";
import { createStatements } from "../tables/statements.ts";

/** A log as a single file that no daemon uses, without a write-ahead log. Backups of either store contain it. */
export interface LogFile {
  readonly db: DatabaseSync;
  readonly blobNames: () => Iterable<string>;
  readonly lastSeq: () => number;
  readonly cursors: () => readonly (Cursor & { readonly name: string })[];
  /** Leaves one file without side files. Does not flush. */
  readonly close: () => void;
}

/** Creates the tables if the file is new. */
export function openLogFile(path: string): LogFile {
  const db = openForWriting(path);
  db.exec("PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF");
  const sql = createStatements(db);
  return {
    db,
    blobNames: function* () {
      let after = "";
      for (;;) {
        const page = sql("SELECT DISTINCT blob FROM event_blobs WHERE blob > ? ORDER BY blob LIMIT ?")
          .all(after, NAMES_A_TIME)
          .map((row) => text(row["blob"]));
        yield* page;
        after = page.at(-1) ?? "";
        if (page.length < NAMES_A_TIME) return;
      }
    },
    lastSeq: () => number(sql("SELECT coalesce(max(seq), 0) AS seq FROM events").get()?.["seq"]),
    cursors: () =>
      versionOf(db) < CURSORS_SINCE
        ? []
        : sql("SELECT name, seq, id FROM cursors")
            .all()
            .map((row) => ({ name: text(row["name"]), seq: number(row["seq"]), id: text(row["id"]) })),
    close: () => db.close(),
  };
}

const NAMES_A_TIME = 1000;
/** A backup may come from an earlier version. */
const CURSORS_SINCE = 4;
