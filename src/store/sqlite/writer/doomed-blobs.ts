import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { blobPath } from "../../files/blobs.ts";
import { text } from "../../log/encoding.ts";
import { syncFolder } from "../opening/make-home.ts";

/**
 * Blobs that no event names any more. They are written down in the erasure's own transaction, so that a crash between
 * the flush and the removal of the files leaves a note, and the next start goes on from there.
 */
export interface DoomedBlobs {
  /** Inside a transaction. */
  readonly add: (blob: string) => void;
  /** Outside of one: removes the files for good, then the notes. */
  readonly remove: () => void;
  /** Erased since the start and not brought again: an event may no longer name it. */
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
