import { join } from "node:path";
import { writeFileAtomic } from "../files/atomic-file.ts";
import { readSmallFile } from "../files/small-file.ts";
import type { ObjectsHeld } from "./shared-objects.ts";

/** What is known of a worktree, kept beside its tree and out of its agent's reach. */
export interface WorktreeRecord {
  readonly format: 1;
  readonly id: string;
  readonly branch: string;
  /** The user's repository: where its files are (null: it has none), and its git dir. */
  readonly repository: { readonly root: string | null; readonly gitDir: string };
  /** The way from the root of the tree down to where the session works. */
  readonly below: string;
  /** Null: the repository had no commit yet. */
  readonly base: string | null;
  /**
   * The user's own commit that it goes back to: the base, or that of the worktree it was forked from. Whose ignore rules and
   * refs are the user's is told by it; without one, in a record of before, nobody's are.
   */
  readonly userBase?: string | null;
  readonly objectFormat: "sha1" | "sha256";
  readonly objects: ObjectsHeld;
  /** What its agent has to be able to read, beside the tree. */
  readonly objectDirs: readonly string[];
  readonly createdAt: string;
  readonly carried: readonly Carried[];
  /** What a rule would have carried and what kept it from that. */
  readonly notCarried: readonly { readonly path: string; readonly reason: string }[];
}

export interface Carried {
  readonly path: string;
  /** Of a file, so that a change of it is seen; null for a folder. */
  readonly sha256: string | null;
  /** Of a folder, the same; none for one of dependencies or with very many files, which can be had again. */
  readonly files?: readonly { readonly path: string; readonly sha256: string | null }[];
}

/** Where everything of one worktree lies. Only `tree` is its agent's. */
export interface WorktreePlace {
  readonly folder: string;
  readonly tree: string;
  readonly objects: string;
  /** The index as it was made, which no agent has touched. */
  readonly index: string;
  /** The user's refs as they were at the start, of a fork too: what is reachable from them is not the session's work. */
  readonly refs: string;
  /** What the user's repository ignores beyond its own files. */
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

/** It names what was carried, file by file. */
const RECORD_BYTES_MAX = 268_435_456;

export async function writeRecord({ record }: WorktreePlace, given: WorktreeRecord): Promise<void> {
  await writeFileAtomic(record, Buffer.from(`${JSON.stringify(given, null, 2)}\n`), { mode: 0o600 });
}

/** Null when there is none that can be read: such a folder is nobody's worktree, and nothing ever removes it. */
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
