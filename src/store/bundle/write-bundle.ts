import type { BundleReport, RawEvent, SignedSize } from "../port.ts";
import { createLineEncoder } from "./encode-lines.ts";
import { eventAt, IS_ERASURE, partsOf, type RawPage } from "./raw-page.ts";
import type { BundleSink } from "./sink.ts";

/** The log as it is stored, byte for byte. */
export interface BundleSource {
  /** Events after a seq, in order. May return fewer than the limit when they are large. Empty at the end. */
  readonly rawAfter: (seq: number, limit: number) => Promise<RawPage>;
  readonly blob: (sha256: string) => Promise<Uint8Array | null>;
}

const PAGE_EVENTS = 1024;
/** How often an export may be extended to a later checkpoint, see below. */
const ROUNDS_MAX = 10;

/**
 * Writes the whole log up to a checkpoint while the log grows. Data erased meanwhile is missing from the bundle, and a
 * verifier then expects the event `data.erased@1`. So the bundle is extended to a later checkpoint that includes that
 * event.
 */
export async function writeBundle(
  source: BundleSource,
  sink: BundleSink,
  nextCheckpoint: () => Promise<SignedSize>,
  key: string,
): Promise<BundleReport> {
  const erased = new Set<string>();
  const blobs = new Set<string>();
  const missing = new Set<string>();
  const encodeLines = createLineEncoder();
  let checkpoint = await nextCheckpoint();
  let at = 0;

  /** False when a blob is missing. */
  const takeBlobs = async (names: readonly string[]): Promise<boolean> => {
    for (const name of names) {
      if (blobs.has(name)) continue;
      const bytes = await source.blob(name).catch(() => null);
      if (bytes === null) return false;
      await sink.blob(name, bytes);
      blobs.add(name);
    }
    return true;
  };
  /** The event, read again if it was erased between reading it and reading its blobs. */
  const settled = async (event: RawEvent): Promise<RawEvent> => {
    if (await takeBlobs(event.blobs)) return event;
    const { bytes, events } = await source.rawAfter(event.seq - 1, 1);
    const now = events[0] === undefined ? null : eventAt(bytes, 0, events[0]);
    if (now?.data === null) return now;
    for (const name of event.blobs) if (!blobs.has(name)) missing.add(name);
    return event;
  };
  const take = async (found: RawEvent): Promise<void> => {
    const event = await settled(found);
    if (event.data === null) erased.add(idOf(event));
    for (const id of erasedBy(event)) erased.delete(id);
    await sink.lines(Buffer.from(lineOf(event)));
  };

  for (let round = 0; ; round += 1) {
    while (at < checkpoint.size) {
      const page = await source.rawAfter(at, Math.min(PAGE_EVENTS, checkpoint.size - at));
      if (page.events.length === 0) break;
      for (const part of partsOf(page))
        await (part.kind === "plain" ? sink.lines(encodeLines(part)) : take(part.event));
      at += page.events.length;
    }
    if (erased.size === 0 || round >= ROUNDS_MAX) break;
    const later = await nextCheckpoint();
    if (later.size === checkpoint.size) break;
    checkpoint = later;
  }
  await sink.finish([
    ["checkpoint", checkpoint.note],
    ["key.pub", `${key}\n`],
  ]);
  return { size: checkpoint.size, blobs: blobs.size, missingBlobs: missing.size };
}

function lineOf({ seq, prev, header, hash, salt, data, blobs }: RawEvent): string {
  const head = `{"seq":${seq},"prev":"${hex(prev)}","header":${JSON.stringify(text(header))},"hash":"${hex(hash)}"`;
  const rest = `"salt":${salt === null ? null : `"${hex(salt)}"`},"data":${data === null ? null : `"${base64(data)}"`}`;
  const named = blobs.length === 0 || data === null ? "" : `,"blobs":${JSON.stringify(blobs)}`;
  return `${head},${rest}${named}}\n`;
}

function erasedBy({ header, data }: RawEvent): readonly string[] {
  if (data === null || !asBuffer(header).includes(IS_ERASURE)) return [];
  const { events }: { readonly events?: unknown } = JSON.parse(text(data));
  return Array.isArray(events) ? events.filter((id) => typeof id === "string") : [];
}

function idOf({ header }: RawEvent): string {
  const { id }: { readonly id?: unknown } = JSON.parse(text(header));
  return String(id);
}

const hex = (bytes: Uint8Array): string => asBuffer(bytes).toString("hex");
const base64 = (bytes: Uint8Array): string => asBuffer(bytes).toString("base64");
const text = (bytes: Uint8Array): string => asBuffer(bytes).toString("utf8");

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
