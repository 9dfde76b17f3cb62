import type { LeftOut, LeftOutWhy, SnapshotRecord } from "../packs/record.ts";
import { SnapshotError } from "../snapshot-error.ts";
import type { ByteName } from "./byte-path.ts";
import type { Folder } from "./folder.ts";
import type { KnownEntry } from "./known-tree.ts";

export interface FindingsOptions {
  readonly root: string;
  readonly filesMax: number;
  readonly bytesMax: number;
}

const LISTED_MAX = 100;

/** What was found in the tree as a whole. A directory that is read again withdraws its earlier findings. */
export interface Findings {
  readonly directory: () => void;
  readonly entry: (folder: Folder, entry: KnownEntry) => void;
  readonly unsettled: (path: ByteName) => void;
  /** Refuses a file that would exceed the limit before it is read. */
  readonly mayRead: (bytes: number) => void;
  readonly mark: () => readonly number[];
  readonly back: (mark: readonly number[]) => void;
  readonly summary: () => Omit<SnapshotRecord, "format" | "listing" | "mode" | "uid" | "gid">;
}

export function createFindings({ root, filesMax, bytesMax }: FindingsOptions): Findings {
  let [files, directories, bytes] = [0, 0, 0];
  const leftOut: LeftOut[] = [];
  const special: ByteName[] = [];
  const unsettled: ByteName[] = [];
  const linked: { readonly ino: number; readonly path: ByteName }[] = [];
  const lists = [leftOut, special, unsettled, linked];
  const bounded = (moreBytes: number): void => {
    if (files + directories + special.length + leftOut.length > filesMax)
      throw new SnapshotError("tree_too_large", { root, limit: "snapshotFilesMax", max: filesMax });
    if (bytes + moreBytes > bytesMax)
      throw new SnapshotError("tree_too_large", { root, limit: "snapshotBytesMax", max: bytesMax });
  };
  return {
    directory: () => {
      directories += 1;
      bounded(0);
    },
    mayRead: bounded,
    unsettled: (path) => void unsettled.push(path),
    entry: (folder, entry) => {
      const { kind, name, links, size, ino, why } = entry;
      if (kind === "file" || kind === "chunked") {
        files += 1;
        bytes += size;
        bounded(0);
        if (links < 2) return;
      } else if (kind === "link") {
        files += 1;
        bounded(0);
        return;
      }
      const path = folder.path === "" ? name : `${folder.path}/${name}`;
      if (kind === "left-out") leftOut.push({ path, why: why as LeftOutWhy });
      else if (kind === "file" || kind === "chunked") linked.push({ ino, path });
      else special.push(path);
      bounded(0);
    },
    mark: () => [files, directories, bytes, ...lists.map((list) => list.length)],
    back: ([f = 0, d = 0, b = 0, ...lengths]) => {
      [files, directories, bytes] = [f, d, b];
      for (const [n, list] of lists.entries()) list.length = lengths[n] ?? 0;
    },
    summary: () => ({
      files,
      directories,
      bytes,
      sameFiles: groups(linked),
      leftOut: leftOut.slice(0, LISTED_MAX),
      leftOutCount: leftOut.length,
      special: special.slice(0, LISTED_MAX),
      unsettled: unsettled.slice(0, LISTED_MAX),
    }),
  };
}

function groups(
  linked: readonly { readonly ino: number; readonly path: ByteName }[],
): readonly (readonly ByteName[])[] {
  const byFile = Map.groupBy(linked, ({ ino }) => ino);
  return [...byFile.values()].filter((names) => names.length > 1).map((names) => names.map(({ path }) => path));
}
