import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { compareTrees } from "./diff/compare.ts";
import { type DiffOptions, diffChanges, type FileDiff, filesIn, kindOfChange } from "./diff/file-diffs.ts";
import { openObjects } from "./packs/objects.ts";
import { decodeRecord, encodeRecord, type SnapshotRecord } from "./packs/record.ts";
import { markLive, mergeSmallPacks, type Swept, sweepPacks } from "./packs/sweep.ts";
import { refuseLarge } from "./restore/restore-bounds.ts";
import { isSameTop } from "./restore/restore-plan.ts";
import { restoreTree, type WalkOf } from "./restore/restore-tree.ts";
import type { OnBytes, Restored, RestoreLimits, TreeSpec } from "./tree-spec.ts";
import type { ByteName } from "./walk/byte-path.ts";
import { shownName } from "./walk/byte-path.ts";
import { entryAt } from "./walk/known-tree.ts";
import { type KnownTrees, openKnownTrees } from "./walk/known-trees.ts";
import { leaveOutRule } from "./walk/leave-out.ts";
import { CHUNK_BYTES } from "./walk/read-content.ts";
import { type Walked, walk } from "./walk/walk.ts";

export interface Taken {
  readonly id: string;
  readonly files: number;
  readonly directories: number;
  readonly bytes: number;
  /** The bytes this snapshot added on disk. */
  readonly storedBytes: number;
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
  readonly leftOutCount: number;
  readonly special: readonly string[];
  readonly unsettled: readonly string[];
  readonly tookMs: number;
}

export interface SnapshotStore {
  readonly take: (tree: TreeSpec, onBytes?: OnBytes) => Generator<void, Taken>;
  readonly restore: (
    tree: TreeSpec,
    to: string,
    bwrapPath: string,
    limits?: RestoreLimits,
    onBytes?: OnBytes,
  ) => AsyncGenerator<void, Restored>;
  /**
   * Restores into a new, empty directory that nobody else knows. The daemon itself may set the mode and owner of its
   * top.
   */
  readonly grow: SnapshotStore["restore"];
  readonly changes: (from: string | null, to: string, max: number) => Generator<void, ChangeList>;
  /** The changed files with mode and change time from the last walk. No directories. */
  readonly times: (tree: TreeSpec, from: string, to: string, max: number) => Generator<void, readonly ChangeTime[]>;
  /** Contents of files by their names; null where there is no file, or a larger one. */
  readonly read: (
    of: string,
    names: readonly ByteName[],
    bytesMax: number,
  ) => Generator<void, readonly (Buffer | null)[]>;
  readonly diff: (from: string | null, to: string, options: DiffOptions) => Generator<void, readonly FileDiff[]>;
  readonly sweep: (ids: readonly string[], dryRun: boolean) => Generator<void, Swept>;
  /** Whether everything that these snapshots need exists. Contents are not read. */
  readonly check: (ids: readonly string[]) => Generator<void, SnapshotsChecked>;
  /** Merges small packs; true if there were any. */
  readonly tidy: () => Generator<void, boolean>;
  readonly save: () => void;
  readonly status: () => { readonly bytes: number; readonly packs: number; readonly damaged: readonly string[] };
  readonly close: () => void;
}

export interface SnapshotsChecked {
  readonly packs: number;
  readonly bytes: number;
  /** Unreadable packs. */
  readonly damaged: readonly string[];
  /** Snapshots whose listing cannot be read. */
  readonly broken: readonly string[];
  /** How many contents are missing. */
  readonly missing: number;
  /** How many snapshots are missing completely, as after a restore of a home from a backup. */
  readonly gone: number;
}

export interface ChangeTime {
  readonly name: ByteName;
  readonly ctimeMs: number;
  readonly mode: number;
}

export interface ChangeList {
  readonly changes: readonly TreeChange[];
  readonly more: boolean;
  /** Left out since then, but not by a rule: what happened to it is unknown. */
  readonly unseen: readonly string[];
  /** Whether the top itself has another mode or owner. */
  readonly isTopChanged: boolean;
}

/** An entry whose kind changed appears twice: as deleted and as added. */
export interface TreeChange {
  /** For people; `name` is exact. */
  readonly path: string;
  readonly name: ByteName;
  readonly what: "added" | "changed" | "deleted" | "mode";
  readonly isDirectory: boolean;
}

/** How long a caller has to record a snapshot in the log before a sweep may remove it. */
const ANSWERED_KEPT_MS = 3_600_000;

/** Everything runs in the caller's thread in small steps: run each generator to its end, with pauses as you like. */
export function openSnapshotStore(folder: string): SnapshotStore {
  const objects = openObjects(folder);
  const known: KnownTrees = openKnownTrees(join(folder, "known"));
  // Objects that they count as stored may be in the damaged pack.
  if (objects.damaged.length > 0) known.retain(() => false);
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** When this process returned each snapshot: its caller may be about to record it in the log. */
  const answered = new Map<string, number>();

  const recordOf = (id: string): SnapshotRecord => decodeRecord(objects.get(id), id);

  const keyOf = ({ root, leaveOut }: TreeSpec): string => `${root}\0${leaveOut.join("\0")}`;
  const walkOf: WalkOf = (tree, batch, onRead = () => undefined, last = known.get(keyOf(tree))) =>
    walk({ ...tree, isLeftOut: leaveOutRule(tree), known: last, batch, buffer, nowMs: Date.now(), onRead });
  const remember = (tree: TreeSpec, { tree: found, record }: Walked): void =>
    known.set(keyOf(tree), found, record.files + record.directories);

  function* take(tree: TreeSpec, onBytes?: OnBytes): Generator<void, Taken> {
    const startMs = performance.now();
    const batch = objects.batch();
    let read = 0;
    const walked = yield* walkOf(tree, batch, (more) => {
      read += more;
      onBytes?.(read, null);
    });
    const { record } = walked;
    const id = batch.put(encodeRecord(record));
    const storedBytes = batch.flush();
    remember(tree, walked);
    answered.set(id, performance.now());
    const { files, directories, bytes, leftOutCount } = record;
    return {
      ...{ id, files, directories, bytes, storedBytes, leftOutCount },
      leftOut: record.leftOut.map(({ path, why }) => ({ path: shownName(path), why })),
      special: record.special.map(shownName),
      unsettled: record.unsettled.map(shownName),
      tookMs: Math.round((performance.now() - startMs) * 10) / 10,
    };
  }

  const restore: SnapshotStore["restore"] = (tree, to, bwrapPath, limits = {}, onBytes = () => undefined) =>
    restoreTree({ objects, recordOf, walkOf, remember, buffer, onBytes }, tree, to, bwrapPath, limits);

  const status = () => ({ bytes: objects.bytes(), packs: objects.packs().length, damaged: objects.damaged });

  return {
    take,
    restore,
    grow: async function* (tree, to, bwrapPath, limits, onBytes) {
      const record = recordOf(to);
      refuseLarge(record, tree);
      const { mode, uid, gid } = record;
      mkdirSync(tree.root, { mode: 0o700 });
      if (process.getuid?.() === 0) chownSync(tree.root, uid, gid);
      chmodSync(tree.root, mode);
      return yield* restore(tree, to, bwrapPath, limits, onBytes);
    },
    changes: function* (from, to, max) {
      const changes: TreeChange[] = [];
      const unseen: string[] = [];
      const [before, after] = [from === null ? null : recordOf(from), recordOf(to)];
      const isTopChanged = before !== null && !isSameTop(before, after, process.getuid?.() === 0);
      for (const change of compareTrees(objects, before?.listing ?? null, after.listing)) {
        if (changes.length + unseen.length >= max) return { changes, more: true, unseen, isTopChanged };
        if (change.after?.kind === "left-out") {
          unseen.push(shownName(change.path));
          continue;
        }
        const isDirectory = (change.after ?? change.before)?.kind === "directory";
        changes.push({ path: shownName(change.path), name: change.path, what: kindOfChange(change), isDirectory });
        yield;
      }
      return { changes, more: false, unseen, isTopChanged };
    },
    times: function* (tree, from, to, max) {
      const top = known.get(keyOf(tree))?.top ?? null;
      const found: ChangeTime[] = [];
      for (const { path, after } of compareTrees(objects, recordOf(from).listing, recordOf(to).listing)) {
        const entry = top === null || after === null || after.kind === "directory" ? null : entryAt(top, path);
        if (entry !== null) found.push({ name: path, ctimeMs: entry.ctimeMs, mode: entry.mode });
        if (found.length === max) break;
        yield;
      }
      return found;
    },
    read: (of, names, bytesMax) => filesIn(objects, recordOf(of).listing, names, bytesMax),
    diff: function* (from, to, options) {
      const before = from === null ? null : recordOf(from).listing;
      return yield* diffChanges(objects, compareTrees(objects, before, recordOf(to).listing), options);
    },
    sweep: function* (ids, dryRun) {
      for (const [id, atMs] of answered) if (performance.now() - atMs > ANSWERED_KEPT_MS) answered.delete(id);
      const { live, broken, gone } = yield* markLive(objects, [...ids, ...answered.keys()]);
      // An unreadable snapshot or pack may need any object, so nothing is removed.
      const isDry = dryRun || broken.length + objects.damaged.length > 0;
      const swept = yield* sweepPacks(objects, (name) => live.has(name), isDry);
      if (!isDry) known.retain((listing) => live.has(listing));
      return { ...swept, broken, gone };
    },
    check: function* (ids) {
      const { live, broken, gone } = yield* markLive(objects, ids);
      let missing = 0;
      for (const name of live) {
        if (!objects.has(name)) missing += 1;
        yield;
      }
      return { ...status(), broken, missing, gone: gone.length };
    },
    tidy: () => mergeSmallPacks(objects),
    save: known.save,
    status,
    close: () => {
      known.save();
      objects.close();
    },
  };
}
