import { join } from "node:path";
import { writeFileAtomic } from "../files/atomic-file.ts";
import { readSmallFile } from "../files/small-file.ts";
import type { ObjectsHeld } from "./shared-objects.ts";

/** What is known of a worktree, stored beside its tree and out of its agent's reach. */
export interface WorktreeRecord {
  readonly format: 1;
  readonly id: string;
  readonly branch: string;
  /** The user's repository: the root of its files (null if bare) and its git dir. */
  readonly repository: { readonly root: string | null; readonly gitDir: string };
  /** The path from the root of the tree to where the session works. */
  readonly below: string;
  /** Null: the repository had no commit yet. */
  readonly base: string | null;
  /**
   * The user's own commit that it derives from: the base, or the `userBase` of the forked worktree. It decides whose
   * ignore rules and refs are the user's. Older records have none; then no rules or refs count as the user's.
   */
  readonly userBase?: string | null;
  readonly objectFormat: "sha1" | "sha256";
  readonly objects: ObjectsHeld;
  /** Object directories that its agent must be able to read, beside the tree. */
  readonly objectDirs: readonly string[];
  readonly createdAt: string;
  readonly carried: readonly Carried[];
  /** Files that a rule matched but that were not carried, and why. */
  readonly notCarried: readonly { readonly path: string; readonly reason: string }[];
}

export interface Carried {
  readonly path: string;
  /** The hash of a file, to detect changes; null for a folder. */
  readonly sha256: string | null;
  /** The hashes of a folder's files. Absent for dependencies or very many files, which can be rebuilt. */
  readonly files?: readonly { readonly path: string; readonly sha256: string | null }[];
}

/** Where everything of one worktree is. Only `tree` belongs to its agent. */
export interface WorktreePlace {
  readonly folder: string;
  readonly tree: string;
  readonly objects: string;
  /** The index as it was made, which no agent can change. */
  readonly index: string;
  /** The user's refs at the start, for forks too. What they reach is not the session's work. */
  readonly refs: string;
  /** The user's ignore rules from outside the tree. */
  readonly exclude: string;
  readonly record: string;
}

export function placeIn(folder: string): WorktreePlace {
  const at = (name: string) => join(folder, name);
  return {
    folder,
    tree: at("tree"),
    objects: at("objects"),
    index: at("index"),
    refs: at("refs"),
    exclude: at("exclude"),
    record: at("worktree.json"),
  };
}

/** It lists every carried file. */
const RECORD_BYTES_MAX = 268_435_456;

export async function writeRecord({ record }: WorktreePlace, given: WorktreeRecord): Promise<void> {
  await writeFileAtomic(record, Buffer.from(`${JSON.stringify(given, null, 2)}\n`), { mode: 0o600 });
}

/** Null when there is no readable record: such a folder is not a worktree of ours and is never removed. */
export async function readRecord({ record }: WorktreePlace): Promise<WorktreeRecord | null> {
  const parsed = parse((await readSmallFile(record, RECORD_BYTES_MAX).catch(() => null)) ?? "");
  return isRecord(parsed) ? parsed : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

function isRecord(value: unknown): value is WorktreeRecord {
  return (
    typeof value === "object" && value !== null && "format" in value && value.format === 1 && "objectDirs" in value
  );
}
