import { hash } from "node:crypto";
import { tmpdir } from "node:os";
import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { type Entry, encodeChunks } from "../walk/listing.ts";
import { CHUNK_BYTES } from "../walk/read-content.ts";
import { refuseFull, refuseLarge } from "./restore-bounds.ts";
import type { RestorePlan } from "./restore-plan.ts";

const NOTHING: RestorePlan = { remove: [], create: [], same: [], settings: [], cannot: [] };
const FILE: Entry = { kind: "file", name: "f", mode: 0o644, uid: 0, gid: 0, size: 1e15, object: "o", target: "" };

proves("SN-24", "what the disk has no room for is refused before anything is written; holes need none", () => {
  const hole = hash("sha256", Buffer.alloc(CHUNK_BYTES));
  const objects = { get: () => encodeChunks(Array.from({ length: 1000 }, () => hole)) };
  const plan = (entry: Entry): RestorePlan => ({ ...NOTHING, create: [{ path: "f", entry }] });
  expect(() => refuseFull(objects, plan(FILE), tmpdir())).toThrow(
    expect.objectContaining({ code: "disk_full", details: expect.objectContaining({ needed: 1e15 }) }),
  );
  expect(() => refuseFull(objects, plan({ ...FILE, kind: "chunked" }), tmpdir())).not.toThrow();
});

proves("SN-24", "a snapshot of more than today's limits is refused with the limit that it was", () => {
  const top = { format: 1, listing: "", mode: 0o755, uid: 0, gid: 0 } as const;
  const found = { sameFiles: [], leftOut: [], leftOutCount: 0, special: [], unsettled: [] };
  const record = { ...top, ...found, files: 10, directories: 5, bytes: 1000 };
  const bounds = { root: "/work", filesMax: 15, bytesMax: 1000 };
  expect(() => refuseLarge(record, bounds)).not.toThrow();
  for (const [less, limit] of [
    [{ filesMax: 14 }, "snapshotFilesMax"],
    [{ bytesMax: 999 }, "snapshotBytesMax"],
  ] as const)
    expect(() => refuseLarge(record, { ...bounds, ...less })).toThrow(
      expect.objectContaining({ code: "tree_too_large", details: expect.objectContaining({ limit }) }),
    );
});
