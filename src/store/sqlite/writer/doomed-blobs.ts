import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { blobPath } from "../../files/blobs.ts";
import { text } from "../../log/encoding.ts";
import { syncFolder } from "../opening/make-home.ts";

/**
 * Blobs that no event names any more. They are recorded in the erasure's transaction: if the process crashes before the
 * files are removed, the next start removes them.
 */
export interface DoomedBlobs {
  /** Call inside a transaction. */
  readonly add: (blob: string) => void;
  /** Call outside a transaction: removes the files, then the records. */
  readonly remove: () => void;
  /** Erased since the start and not stored again: no new event may name it. */
  readonly isGone: (blob: string) => boolean;
}

const GONE_KEPT = 10_000;

export function createDoomedBlobs(db: DatabaseSync, folder: string): DoomedBlobs {
  const note = db.prepare("INSERT OR IGNORE INTO doomed_blobs(blob) VALUES (?)");
  const noted = db.prepare(
    "SELECT blob, EXISTS (SELECT 1 FROM event_blobs e WHERE e.blob = d.blob) AS used FROM doomed_blobs d",
  );
  const clear = db.prepare("DELETE FROM doomed_blobs");
  const gone = new Set<string>();

  return {
    add: (blob) => {
      note.run(blob);
    },
    remove: () => {
      const found = noted.all();
      if (found.length === 0) return;
      for (const row of found) if (row["used"] === 0) removeBlob(blobPath(folder, text(row["blob"])));
      for (const row of found) if (row["used"] === 0) remember(gone, text(row["blob"]));
      clear.run();
    },
    isGone: (blob) => gone.has(blob) && !existsSync(blobPath(folder, blob)),
  };
}

function removeBlob(path: string): void {
  if (!existsSync(dirname(path))) return;
  rmSync(path, { force: true });
  syncFolder(dirname(path));
}

function remember(gone: Set<string>, blob: string): void {
  gone.add(blob);
  const oldest = gone.values().next().value;
  if (gone.size > GONE_KEPT && oldest !== undefined) gone.delete(oldest);
}
