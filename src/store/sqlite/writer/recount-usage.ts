import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { blobPath } from "../../files/blobs.ts";
import { number, text } from "../../log/encoding.ts";

/** Recounts the usage of each stream from the log and the blobs. Call inside a transaction. */
export function recountUsage(db: DatabaseSync, blobFolder: string): void {
  const bring = db.prepare("INSERT INTO blob_sizes(blob, stream, bytes) VALUES (?, ?, ?)");
  db.exec("DELETE FROM blob_sizes; DELETE FROM usage");
  for (const { blob, stream } of firstNamings(db)) {
    const size = statSync(blobPath(blobFolder, blob), { throwIfNoEntry: false })?.size;
    if (size !== undefined) bring.run(blob, stream, size);
  }
  db.exec(`INSERT INTO usage(stream, account, events, bytes, blob_bytes, family_bytes)
    SELECT e.stream, e.stream, count(*), sum(length(e.header) + coalesce(length(e.data), 0)), coalesce(b.bytes, 0), 0
    FROM events e LEFT JOIN (SELECT stream, sum(bytes) AS bytes FROM blob_sizes GROUP BY stream) b ON b.stream = e.stream
    GROUP BY e.stream`);
  db.exec(`UPDATE usage SET account = r.no FROM (${ROOTS}) x
    JOIN streams s ON s.name = 'session/' || x.id JOIN streams r ON r.name = 'session/' || x.at
    WHERE usage.stream = s.no`);
  db.exec(`UPDATE usage SET family_bytes = f.bytes
    FROM (SELECT account, sum(bytes + blob_bytes) AS bytes FROM usage GROUP BY account) f WHERE f.account = usage.stream`);
  db.exec(`INSERT INTO usage(stream, account, events, bytes, blob_bytes, family_bytes)
    SELECT 0, 0, coalesce(sum(events), 0), coalesce(sum(bytes), 0), coalesce(sum(blob_bytes), 0), 0 FROM usage`);
}

/**
 * Each session's account: follows a fork to its root, and a started session to its parent, up to the top. With `max`,
 * SQLite takes `at` from the last step.
 */
const ROOTS = `WITH RECURSIVE named(id, other) AS MATERIALIZED (
    SELECT id, CASE WHEN json_extract(row, '$.root') <> id THEN json_extract(row, '$.root')
      ELSE json_extract(row, '$.parentSessionId') END FROM sessions),
  up(id, at, steps) AS (SELECT id, id, 0 FROM named UNION ALL
    SELECT up.id, named.other, up.steps + 1 FROM up JOIN named ON named.id = up.at
    WHERE named.other IS NOT NULL AND up.steps < 256)
  SELECT id, at, max(steps) FROM up GROUP BY id`;

/**
 * Describes where the usage tables differ from the log. Short reads, so that the write-ahead log can be emptied between
 * them.
 */
export function usageProblems(db: DatabaseSync, blobFolder: string): readonly string[] {
  const problems: string[] = [];
  const ofStream = db.prepare(STREAM);
  for (const row of db.prepare("SELECT no, name FROM streams").all()) {
    const [no, name] = [number(row["no"]), text(row["name"])];
    if (ofStream.get(no)?.["same"] !== 1) problems.push(name);
  }
  for (const row of db.prepare(BLOBS).all()) problems.push(`blobs of ${text(row["name"])}`);
  for (const row of db.prepare(FAMILIES).all()) problems.push(`forks of ${text(row["name"])}`);
  if (db.prepare(HOME).get()?.["same"] !== 1) problems.push("home");
  const sizes = db.prepare("SELECT blob, bytes FROM blob_sizes WHERE blob > ? ORDER BY blob LIMIT 1000");
  for (let page = sizes.all(""); page.length > 0; page = sizes.all(text(page.at(-1)?.["blob"])))
    for (const row of page) {
      const size = statSync(blobPath(blobFolder, text(row["blob"])), { throwIfNoEntry: false })?.size;
      // Verification reports missing blobs.
      if (size !== undefined && size !== row["bytes"]) problems.push(`blob ${text(row["blob"])}`);
    }
  return problems;
}

const STREAM = `SELECT coalesce(u.events = t.events AND u.bytes = t.bytes, 0) AS same
  FROM (SELECT ?1 AS stream, count(*) AS events, coalesce(sum(length(header) + coalesce(length(data), 0)), 0) AS bytes
        FROM events WHERE stream = ?1) t LEFT JOIN usage u ON u.stream = t.stream`;
const BLOBS = `SELECT s.name FROM streams s LEFT JOIN usage u ON u.stream = s.no
  LEFT JOIN (SELECT stream, sum(bytes) AS bytes FROM blob_sizes GROUP BY stream) b ON b.stream = s.no
  WHERE coalesce(u.blob_bytes, 0) <> coalesce(b.bytes, 0)`;
const FAMILIES = `SELECT s.name FROM streams s LEFT JOIN usage u ON u.stream = s.no
  LEFT JOIN (SELECT account, sum(bytes + blob_bytes) AS bytes FROM usage WHERE stream <> 0 GROUP BY account) f
  ON f.account = s.no WHERE coalesce(u.family_bytes, 0) <> coalesce(f.bytes, 0)`;
const HOME = `SELECT coalesce(h.events = t.events AND h.bytes = t.bytes AND h.blob_bytes = t.blob_bytes, 0) AS same
  FROM (SELECT coalesce(sum(events), 0) AS events, coalesce(sum(bytes), 0) AS bytes, coalesce(sum(blob_bytes), 0) AS blob_bytes
        FROM usage WHERE stream <> 0) t LEFT JOIN usage h ON h.stream = 0`;

function firstNamings(db: DatabaseSync): readonly { readonly blob: string; readonly stream: number }[] {
  return db
    .prepare(
      "SELECT n.blob, e.stream FROM (SELECT blob, min(seq) AS seq FROM event_blobs GROUP BY blob) n JOIN events e ON e.seq = n.seq",
    )
    .all()
    .map((row) => ({ blob: text(row["blob"]), stream: number(row["stream"]) }));
}
