import { hash } from "node:crypto";
import type { Batch, Objects } from "../packs/objects.ts";

/**
 * Examines a tree without storing it: hashes are computed, listings stay in memory for the comparison, contents are
 * dropped. Nothing is written, so that a restore can be undone even on a full disk.
 */
export function createSurvey(objects: Pick<Objects, "get">): {
  readonly batch: Batch;
  readonly objects: Pick<Objects, "get">;
} {
  const held = new Map<string, Buffer>();
  const put = (bytes: Uint8Array): string => {
    const name = hash("sha256", bytes);
    held.set(name, Buffer.from(bytes));
    return name;
  };
  return {
    batch: {
      has: (name) => held.has(name),
      put,
      putNamed: () => undefined,
      flush: () => 0,
      abandon: () => held.clear(),
    },
    objects: { get: (name) => held.get(name) ?? objects.get(name) },
  };
}
