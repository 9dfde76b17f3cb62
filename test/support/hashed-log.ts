import { createHash } from "node:crypto";
import type { HashedLog } from "../../src/store/tree/log-tree.ts";

/** A log of hashes only. */
export interface MemoryLog extends HashedLog {
  readonly grow: (count: number) => void;
  readonly cut: (size: number) => void;
  /** Replaces an event by another. */
  readonly exchange: (seq: number) => void;
  readonly hashes: () => readonly Uint8Array[];
}

export function memoryLog(size = 0, kind = "event"): MemoryLog {
  const hashes: Uint8Array[] = [];
  const hashOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();
  const grow = (count: number): void => {
    for (let left = count; left > 0; left -= 1) hashes.push(hashOf(`${kind} ${hashes.length}`));
  };
  grow(size);
  return {
    grow,
    cut: (to) => {
      hashes.length = to;
    },
    exchange: (seq) => {
      hashes[seq - 1] = hashOf(`another ${seq}`);
    },
    hashes: () => hashes,
    lastSeq: async () => hashes.length,
    hashesAfter: async (seq, limit) => hashes.slice(seq, seq + limit).map((hash, at) => ({ seq: seq + at + 1, hash })),
  };
}
