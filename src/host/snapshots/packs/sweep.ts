import { listed } from "../diff/compare.ts";
import { SnapshotError } from "../snapshot-error.ts";
import { decodeChunks } from "../walk/listing.ts";
import type { Objects } from "./objects.ts";
import type { PackReader } from "./pack-reader.ts";
import { decodeRecord } from "./record.ts";

export interface Swept {
  readonly objects: number;
  readonly bytes: number;
  /** Requested snapshots that are incomplete. */
  readonly broken: readonly string[];
  /** Requested snapshots of which nothing exists. */
  readonly gone: readonly string[];
}

/** The names of all objects that the snapshots need. */
export function* markLive(
  objects: Pick<Objects, "get" | "has">,
  ids: Iterable<string>,
): Generator<void, { readonly live: Set<string> } & Pick<Swept, "broken" | "gone">> {
  const live = new Set<string>();
  const broken: string[] = [];
  const gone: string[] = [];
  for (const id of ids) {
    if (live.has(id)) continue;
    if (!objects.has(id)) {
      gone.push(id);
      continue;
    }
    try {
      const { listing } = decodeRecord(objects.get(id), id);
      live.add(id);
      yield* markListing(objects, listing, live);
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      broken.push(id);
    }
  }
  return { live, broken, gone };
}

function* markListing(objects: Pick<Objects, "get">, listing: string, live: Set<string>): Generator<void> {
  if (live.has(listing)) return;
  const entries = listed(objects, listing);
  live.add(listing);
  yield;
  for (const { kind, object } of entries) {
    if (kind === "directory") yield* markListing(objects, object, live);
    else if (kind === "chunked" && !live.has(object))
      for (const chunk of decodeChunks(objects.get(object))) live.add(chunk);
    if (object !== "") live.add(object);
  }
}

/** A pack with a smaller share of live bytes is rewritten. */
const LIVE_SHARE_MIN = 0.6;

/** Removes objects that are not live. If it is interrupted at any point, every live object is still in a pack. */
export function* sweepPacks(
  objects: Objects,
  isLive: (name: string) => boolean,
  dryRun: boolean,
): Generator<void, Omit<Swept, "broken" | "gone">> {
  const before = objects.bytes();
  let [dead, deadBytes] = [0, 0];
  const poor: PackReader[] = [];
  for (const pack of objects.packs()) {
    let [liveBytes, allBytes, gone] = [0, 0, 0];
    for (const { name, bytes } of pack.entries()) {
      allBytes += bytes;
      if (isLive(name)) liveBytes += bytes;
      else gone += 1;
    }
    yield;
    if (gone === 0 || (liveBytes > 0 && liveBytes >= allBytes * LIVE_SHARE_MIN)) continue;
    dead += gone;
    deadBytes += Math.floor((pack.bytes * (allBytes - liveBytes)) / Math.max(1, allBytes));
    poor.push(pack);
  }
  if (dryRun || poor.length === 0) return { objects: dead, bytes: deadBytes };
  yield* rewritePacks(objects, poor, isLive);
  return { objects: dead, bytes: Math.max(0, before - objects.bytes()) };
}

/** Writes the live objects of several packs into one, then deletes the old packs. */
function* rewritePacks(
  objects: Objects,
  packs: readonly PackReader[],
  isLive: (name: string) => boolean,
): Generator<void, void> {
  const writer = objects.rewriting();
  try {
    for (const pack of packs) {
      for (const entry of pack.entries()) {
        if (!isLive(entry.name)) continue;
        writer.add(entry.name, pack.read(entry));
        yield;
      }
    }
    writer.finish();
  } catch (error) {
    writer.abandon();
    throw error;
  }
  objects.drop(packs);
}

const SMALL_BYTES = 8_388_608;
const SMALL_PACKS_MAX = 24;

/** Each snapshot starts as its own pack, and many small packs are slow to search. */
export function* mergeSmallPacks(objects: Objects): Generator<void, boolean> {
  const small = objects.packs().filter(({ bytes }) => bytes < SMALL_BYTES);
  if (small.length <= SMALL_PACKS_MAX) return false;
  yield* rewritePacks(objects, small, () => true);
  return true;
}
