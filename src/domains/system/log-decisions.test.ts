import { describe, expect, test } from "vitest";
import { type Decision, fact } from "../../kernel/index.ts";
import {
  beginCall,
  finishCall,
  recordApplied,
  recordBackup,
  recordCollection,
  recordExport,
  recordScan,
  recordSystemDenial,
  recordUnownedRemoval,
} from "./log-decisions.ts";
import type { Scanned } from "./scan-events.ts";
import { NEW_SYSTEM, type SystemState } from "./system.ts";

const HELD: SystemState = { ...NEW_SYSTEM, lease: { at: "held", version: 1, lastFence: 3, holder: "daemon" } };
const FREE: SystemState = { ...NEW_SYSTEM, lease: { at: "free", version: 2, lastFence: 3 } };

const backup = { path: "/b", size: 7, root: "r", blobs: 1, missingBlobs: 0, bytes: 9 };
const collection = { maxAgeDays: 30, sessions: [], events: 0, bytes: 0, blobs: 0, blobBytes: 0, more: false };
const file = { path: "a", change: "added" } as const;
const applied = { worktreeId: "w", sessionId: "s", repository: "/r", files: [file], more: 0 };
const scan: Scanned = {
  ...{ sessionId: null, all: true, erase: false, vault: "open", count: 0, moreSecrets: 0, moreFiles: 0, more: false },
  looked: { events: 7, blobs: 0, files: 0, bytes: 9 },
  ...{ secrets: [], places: [], next: null, files: [], unread: [], erased: { events: 0, streams: 0 }, left: [] },
};
const denial = { verb: "session.end", resource: "session/1", rules: ["role"] };

const DECISIONS: readonly [string, (state: SystemState) => Decision, object][] = [
  ["log.exported@1", (state) => recordExport(state, { path: "/e", size: 7 }), { path: "/e", size: 7 }],
  ["log.backed_up@1", (state) => recordBackup(state, backup), backup],
  ["log.collected@1", (state) => recordCollection(state, collection), collection],
  ["log.scanned@1", (state) => recordScan(state, scan), scan],
  ["call.begun@1", (state) => beginCall(state, "sandbox.run"), { syscall: "sandbox.run" }],
  ["call.made@1", (state) => finishCall(state, "sandbox.run"), { syscall: "sandbox.run" }],
  ["gate.denied@1", (state) => recordSystemDenial(state, denial), { ...denial, turnId: null }],
  ["worktree.applied@1", (state) => recordApplied(state, applied), applied],
  ["worktree.removed@1", (state) => recordUnownedRemoval(state, "w", []), { worktreeId: "w" }],
];

test("the last snapshot of an unowned worktree is recorded with its removal", () => {
  const skipped = fact("snapshot.skipped@1", { turnId: null, code: "c", reason: "r" });
  expect(recordUnownedRemoval(HELD, "w", [skipped])).toEqual([
    skipped,
    fact("worktree.removed@1", { worktreeId: "w" }),
  ]);
});

describe.each(DECISIONS)("%s", (type, decide, data) => {
  test("is recorded while the home's lease is held", () => {
    expect(decide(HELD)).toEqual([{ type, data }]);
  });

  test("is refused when the lease was given back", () => {
    expect(decide(FREE)).toEqual({ refused: "stale_fence", details: { fence: 3, current: 3 } });
  });
});
