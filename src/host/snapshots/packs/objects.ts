import { hash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errno, UNREACHABLE, unless } from "../../errno.ts";
import { SnapshotError } from "../snapshot-error.ts";
import { openPack, type PackReader } from "./pack-reader.ts";
import { createPackWriter, flushFolder, type PackWriter } from "./pack-writer.ts";

/** Bytes by their sha256, each stored once. */
export interface Objects {
  /** Verified against their name. */
  readonly get: (name: string) => Buffer;
  /** Collects objects that become durable and visible to others when the batch is flushed. */
  readonly batch: () => Batch;
  /** Writes a pack of objects that other packs already hold. */
  readonly rewriting: () => Pick<PackWriter, "add" | "finish" | "abandon">;
  readonly packs: () => readonly PackReader[];
  /** Removes these packs from the store and deletes them. */
  readonly drop: (packs: readonly PackReader[]) => void;
  readonly bytes: () => number;
  readonly has: (name: string) => boolean;
  /** Unreadable packs. They are kept; objects that only they hold are missing. */
  readonly damaged: readonly string[];
  readonly close: () => void;
}

export interface Batch {
  readonly has: (name: string) => boolean;
  readonly put: (bytes: Uint8Array) => string;
  /** For bytes whose hash is already known. */
  readonly putNamed: (name: string, bytes: Uint8Array) => void;
  /** Returns how many bytes were written to disk. */
  readonly flush: () => number;
  readonly abandon: () => void;
}

/** The folder belongs to the store. Incomplete packs that a killed process left are removed. */
export function openObjects(folder: string): Objects {
  const folders = { packs: join(folder, "packs"), temporary: join(folder, "tmp") };
  clearTemporary(folders.temporary);
  for (const path of [folder, folders.packs, folders.temporary]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const damaged: string[] = [];
  let packs = openPacks(folders.packs, damaged);

  const find = (name: string) => {
    // Searches the newest pack first: sessions mostly ask for recent objects.
    for (let n = packs.length - 1; n >= 0; n -= 1) {
      const pack = packs[n];
      const place = pack?.find(name) ?? null;
      if (pack !== undefined && place !== null) return { pack, place };
    }
    return null;
  };

  const batch = (): Batch => {
    const writer = createPackWriter(folders);
    const has = (name: string): boolean => writer.has(name) || find(name) !== null;
    const putNamed = (name: string, bytes: Uint8Array): void => {
      if (!has(name)) writer.add(name, bytes);
    };
    return {
      has,
      putNamed,
      put: (bytes) => {
        const name = hash("sha256", bytes);
        putNamed(name, bytes);
        return name;
      },
      flush: () => {
        const path = writer.finish();
        if (path === null) return 0;
        const pack = openPack(path);
        packs.push(pack);
        return pack.bytes;
      },
      abandon: writer.abandon,
    };
  };

  return {
    batch,
    rewriting: () => {
      const { add, finish, abandon } = createPackWriter(folders);
      const found = (path: string | null) => {
        if (path !== null) packs.unshift(openPack(path));
        return path;
      };
      return { add, abandon, finish: () => found(finish()) };
    },
    get: (name) => {
      const found = find(name);
      if (found === null) throw new SnapshotError("snapshot_missing", { object: name });
      const bytes = found.pack.read(found.place);
      if (hash("sha256", bytes) !== name)
        throw new SnapshotError("snapshot_damaged", { path: found.pack.path, object: name });
      return bytes;
    },
    packs: () => packs,
    drop: (dropped) => {
      packs = packs.filter((pack) => !dropped.includes(pack));
      for (const pack of dropped) {
        pack.close();
        rmSync(pack.path, { force: true });
      }
      if (dropped.length > 0) flushFolder(folders.packs);
    },
    has: (name) => find(name) !== null,
    bytes: () => packs.reduce((sum, pack) => sum + pack.bytes, 0),
    damaged,
    close: () => {
      for (const pack of packs) pack.close();
      packs = [];
    },
  };
}

/** Files that cannot be removed do no harm: new packs have other names. */
function clearTemporary(folder: string): void {
  unless([...UNREACHABLE, "EPERM", "ENOTEMPTY", "EBUSY"], () => rmSync(folder, { recursive: true, force: true }));
}

function openPacks(folder: string, damaged: string[]): PackReader[] {
  const packs: PackReader[] = [];
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      packs.push(openPack(path));
    } catch (error) {
      if (!(error instanceof SnapshotError) && errno(error) === undefined) throw error;
      damaged.push(path);
    }
  }
  return packs.toSorted((a, b) => a.modifiedMs - b.modifiedMs);
}
