import { hash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { KnownTree } from "./known-tree.ts";

/**
 * The known trees, kept between walks and between runs. They only save reading: without them a walk reads everything.
 */
export interface KnownTrees {
  readonly get: (key: string) => KnownTree | null;
  readonly set: (key: string, tree: KnownTree, entries: number) => void;
  /** Keeps those whose listing is still in the store. */
  readonly retain: (isKept: (listing: string) => boolean) => void;
  readonly save: () => void;
}

/** For all trees together. An entry takes about 300 bytes of memory. */
const ENTRIES_MAX = 300_000;
/** A smaller tree is read again faster than its file is written. */
const WORTH_SAVING = 500;
const FILE = /^([0-9a-f]{64})-([0-9a-f]{64})\.known$/;

interface Held {
  readonly tree: KnownTree;
  readonly entries: number;
  isSaved: boolean;
}

export function openKnownTrees(folder: string): KnownTrees {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const held = new Map<string, Held>();

  const filesOf = (key: string): string[] => {
    const name = hash("sha256", key);
    return readdirSync(folder).filter((file) => file.startsWith(name));
  };
  const save = (key: string, one: Held): void => {
    if (one.isSaved) return;
    one.isSaved = true;
    const old = filesOf(key);
    const name = `${hash("sha256", key)}-${one.tree.top.listing}.known`;
    if (one.entries >= WORTH_SAVING) {
      const bytes = Buffer.from(JSON.stringify({ key, tree: one.tree }), "utf8");
      const temporary = join(folder, `${name}.tmp`);
      writeFileSync(temporary, zstdCompressSync(bytes), { mode: 0o600 });
      renameSync(temporary, join(folder, name));
    }
    for (const file of old)
      if (file !== name || one.entries < WORTH_SAVING) rmSync(join(folder, file), { force: true });
  };
  const load = (key: string): KnownTree | null => {
    for (const file of filesOf(key)) {
      const tree = parse(join(folder, file), key);
      if (tree !== null) return tree;
      rmSync(join(folder, file), { force: true });
    }
    return null;
  };

  return {
    get: (key) => {
      const found = held.get(key);
      if (found === undefined) return load(key);
      // Moves it to the end: the least recently used tree is dropped first.
      held.delete(key);
      held.set(key, found);
      return found.tree;
    },
    set: (key, tree, entries) => {
      const before = held.get(key);
      held.delete(key);
      held.set(key, { tree, entries, isSaved: before?.isSaved === true && before.tree.top === tree.top });
      let total = [...held.values()].reduce((sum, one) => sum + one.entries, 0);
      for (const [name, one] of held) {
        if (total <= ENTRIES_MAX || name === key) break;
        save(name, one);
        held.delete(name);
        total -= one.entries;
      }
    },
    retain: (isKept) => {
      for (const [key, one] of held) if (!isKept(one.tree.top.listing)) held.delete(key);
      for (const file of readdirSync(folder)) {
        const listing = FILE.exec(file)?.[2];
        if (listing === undefined || !isKept(listing)) rmSync(join(folder, file), { force: true });
      }
    },
    save: () => {
      for (const [key, one] of held) save(key, one);
    },
  };
}

/** Null for a file that a crash cut short or that describes another tree. */
function parse(path: string, key: string): KnownTree | null {
  try {
    const saved = JSON.parse(zstdDecompressSync(readFileSync(path)).toString("utf8")) as {
      key: string;
      tree: KnownTree;
    };
    return saved.key === key ? saved.tree : null;
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}
