import type { DatabaseSync } from "node:sqlite";
import { type Definitions, System, type SystemState } from "../../../domains/index.ts";
import { streamOf } from "../../../kernel/index.ts";
import { number } from "../../log/encoding.ts";
import { StoreError } from "../../port.ts";
import { foldStream } from "../reads/fold-stream.ts";
import { createPageReads } from "../reads/page-reads.ts";
import { verifyTail } from "./verify-tail.ts";

/** More than a crash can tear, and few enough for a fast start. */
const TAIL_EVENTS = 1000;

/**
 * Checks before the first write that streams are found by name, that the end of the log is intact, and that the fence
 * matches the log. A stream that cannot be found would be started a second time.
 */
export function inspectLog(db: DatabaseSync, defined: Definitions): void {
  const names = db.prepare("PRAGMA integrity_check(streams)").get()?.["integrity_check"];
  if (names !== "ok") throw new StoreError("log_corrupt", { problem: `structure: ${String(names)}` });
  const [problem] = verifyTail(db, TAIL_EVENTS);
  if (problem !== undefined) throw new StoreError("log_corrupt", { ...problem });
  const reads = createPageReads(db);
  const stream = streamOf(System, "");
  const system = foldStream(defined, reads, stream, reads.version(stream)).state as SystemState;
  const { lastFence } = system.lease;
  const kept = number(db.prepare("SELECT value FROM fence").get()?.["value"]);
  if (kept !== lastFence) db.prepare("UPDATE fence SET value = ?").run(lastFence);
}
