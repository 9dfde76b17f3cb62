import { hash } from "node:crypto";
import { statfsSync } from "node:fs";
import type { Objects } from "../packs/objects.ts";
import type { SnapshotRecord } from "../packs/record.ts";
import { SnapshotError } from "../snapshot-error.ts";
import { decodeChunks, type Entry } from "../walk/listing.ts";
import { CHUNK_BYTES } from "../walk/read-content.ts";
import type { RestorePlan } from "./restore-plan.ts";

export interface RestoreBounds {
  readonly root: string;
  readonly filesMax: number;
  readonly bytesMax: number;
}

/** A tree above today's limits is not restored either: each fork is a whole copy, and there can be many. */
export function refuseLarge({ files, directories, bytes }: SnapshotRecord, bounds: RestoreBounds): void {
  const { root, filesMax, bytesMax } = bounds;
  if (files + directories > filesMax)
    throw new SnapshotError("tree_too_large", { root, limit: "snapshotFilesMax", max: filesMax });
  if (bytes > bytesMax) throw new SnapshotError("tree_too_large", { root, limit: "snapshotBytesMax", max: bytesMax });
}

/** Checks before the first write, because a full disk would affect others. */
export function refuseFull(objects: Pick<Objects, "get">, { create }: RestorePlan, root: string): void {
  const { bavail, bsize } = statfsSync(root);
  const free = bavail * bsize;
  let needed = 0;
  for (const { entry } of create) {
    needed += writtenBytes(objects, entry);
    if (needed > free) throw new SnapshotError("disk_full", { root, needed, free });
  }
}

/** Holes of a large file stay holes. */
function writtenBytes(objects: Pick<Objects, "get">, { kind, size, object }: Entry): number {
  if (kind !== "chunked") return kind === "file" ? size : 0;
  return decodeChunks(objects.get(object)).filter((name) => name !== HOLE).length * CHUNK_BYTES;
}

const HOLE = hash("sha256", Buffer.alloc(CHUNK_BYTES));
