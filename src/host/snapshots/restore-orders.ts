import type { ByteName } from "./byte-path.ts";
import { decodeChunks, type Entry } from "./listing.ts";
import type { Objects } from "./objects.ts";
import type { RestorePlan, Setting } from "./restore-plan.ts";

/** What the confined program is told, one after another. Each goes out with bytes of its own, which may be none. */
export type Order =
  | { readonly op: "begin"; readonly dev: number; readonly ino: number; readonly withOwner: boolean }
  | { readonly op: "remove"; readonly path: ByteName; readonly isDirectory: boolean }
  | { readonly op: "directory"; readonly path: ByteName }
  | ({ readonly op: "file"; readonly size: number } & Setting)
  /** The next piece of the file before. */
  | { readonly op: "more"; readonly path: ByteName }
  | { readonly op: "link"; readonly path: ByteName; readonly target: ByteName }
  | { readonly op: "same"; readonly path: ByteName; readonly as: ByteName }
  | ({ readonly op: "fifo" } & Setting)
  | ({ readonly op: "setting" } & Setting)
  | { readonly op: "end" };

export interface Top {
  readonly dev: number;
  readonly ino: number;
}

/** The plan as frames: length of the order, length of the bytes, order, bytes. One piece of a file in memory at a time. */
export function* restoreOrders(
  objects: Pick<Objects, "get">,
  plan: RestorePlan,
  top: Top,
  withOwner: boolean,
): Generator<Buffer> {
  yield frame({ op: "begin", dev: top.dev, ino: top.ino, withOwner });
  for (const { path, isDirectory } of plan.remove) yield frame({ op: "remove", path, isDirectory });
  for (const { path, entry } of plan.create) yield* createOrders(objects, path, entry);
  for (const { path, as } of plan.same) yield frame({ op: "same", path, as });
  for (const setting of plan.settings) yield frame({ op: "setting", ...setting });
  yield frame({ op: "end" });
}

function* createOrders(objects: Pick<Objects, "get">, path: ByteName, entry: Entry): Generator<Buffer> {
  const { kind, mode, uid, gid, size, object, target } = entry;
  const setting = { path, mode, uid, gid };
  if (kind === "directory") yield frame({ op: "directory", path });
  if (kind === "link") yield frame({ op: "link", path, target });
  if (kind === "fifo") yield frame({ op: "fifo", ...setting });
  if (kind === "file") yield frame({ op: "file", size, ...setting }, objects.get(object));
  if (kind !== "chunked") return;
  const [first = "", ...others] = decodeChunks(objects.get(object));
  yield frame({ op: "file", size, ...setting }, objects.get(first));
  for (const chunk of others) yield frame({ op: "more", path }, objects.get(chunk));
}

function frame(order: Order, data: Uint8Array = new Uint8Array()): Buffer {
  const text = Buffer.from(JSON.stringify(order), "utf8");
  const head = Buffer.alloc(8);
  head.writeUInt32BE(text.length, 0);
  head.writeUInt32BE(data.length, 4);
  return Buffer.concat([head, text, data]);
}
