import type { Objects } from "../packs/objects.ts";
import type { ByteName } from "../walk/byte-path.ts";
import { decodeChunks, type Entry } from "../walk/listing.ts";
import type { RestorePlan, Setting } from "./restore-plan.ts";

/** Orders for the confined program. Each is followed by its bytes, if any. */
export type Order =
  | { readonly op: "begin"; readonly dev: number; readonly ino: number; readonly withOwner: boolean }
  | { readonly op: "remove"; readonly path: ByteName; readonly isDirectory: boolean; readonly seen: Seen | null }
  | { readonly op: "directory"; readonly path: ByteName }
  | ({ readonly op: "file"; readonly size: number; readonly seen: Seen | null } & Setting)
  /** The next piece of the previous file. */
  | { readonly op: "more"; readonly path: ByteName }
  | { readonly op: "link"; readonly path: ByteName; readonly target: ByteName; readonly seen: Seen | null }
  | { readonly op: "same"; readonly path: ByteName; readonly as: ByteName; readonly seen: Seen | null }
  | ({ readonly op: "fifo"; readonly seen: Seen | null } & Setting)
  | ({ readonly op: "setting" } & Setting)
  | { readonly op: "end" };

/**
 * What the walk found under a name; null: nothing. If something else is there now, somebody else put it there, and it
 * stays. The change time is not compared, because it changes when another hard link is removed.
 */
export interface Seen {
  readonly ino: number;
  readonly mtimeMs: number;
}

export interface Top {
  readonly dev: number;
  readonly ino: number;
}

/**
 * The plan as frames: length of the order, length of the bytes, order, bytes. Holds one piece of a file in memory at a
 * time.
 */
export function* restoreOrders(
  objects: Pick<Objects, "get">,
  plan: RestorePlan,
  top: Top,
  withOwner: boolean,
  seenAt: (path: ByteName) => Seen | null,
): Generator<Buffer> {
  const removed = new Set(plan.remove.map(({ path }) => path));
  const before = (path: ByteName): Seen | null => (removed.has(path) ? null : seenAt(path));
  yield frame({ op: "begin", dev: top.dev, ino: top.ino, withOwner });
  for (const { path, isDirectory } of plan.remove)
    yield frame({ op: "remove", path, isDirectory, seen: isDirectory ? null : seenAt(path) });
  for (const { path, entry } of plan.create) yield* createOrders(objects, path, entry, before(path));
  for (const { path, as } of plan.same) yield frame({ op: "same", path, as, seen: before(path) });
  for (const setting of plan.settings) yield frame({ op: "setting", ...setting });
  yield frame({ op: "end" });
}

function* createOrders(
  objects: Pick<Objects, "get">,
  path: ByteName,
  entry: Entry,
  seen: Seen | null,
): Generator<Buffer> {
  const { kind, mode, uid, gid, size, object, target } = entry;
  const setting = { path, mode, uid, gid };
  if (kind === "directory") yield frame({ op: "directory", path });
  if (kind === "link") yield frame({ op: "link", path, target, seen });
  if (kind === "fifo") yield frame({ op: "fifo", seen, ...setting });
  if (kind === "file") yield frame({ op: "file", size, seen, ...setting }, objects.get(object));
  if (kind !== "chunked") return;
  const [first = "", ...others] = decodeChunks(objects.get(object));
  yield frame({ op: "file", size, seen, ...setting }, objects.get(first));
  for (const chunk of others) yield frame({ op: "more", path }, objects.get(chunk));
}

function frame(order: Order, data: Uint8Array = new Uint8Array()): Buffer {
  const text = Buffer.from(JSON.stringify(order), "utf8");
  const head = Buffer.alloc(8);
  head.writeUInt32BE(text.length, 0);
  head.writeUInt32BE(data.length, 4);
  return Buffer.concat([head, text, data]);
}
