import { type Definitions, System, type SystemState } from "../../../domains/index.ts";
import { streamOf } from "../../../kernel/index.ts";
import { number } from "../../log/encoding.ts";
import { StoreError } from "../../port.ts";
import type { Connection } from "../connection/connection.ts";
import { inTransaction } from "../connection/transaction.ts";
import { foldStream } from "../reads/fold-stream.ts";
import { createPageReads } from "../reads/page-reads.ts";
import { verifyTail } from "../reads/verify.ts";

/** More than a crash can tear, and few enough for a fast start. */
const TAIL_EVENTS = 1000;

/** Checks before the first write that the end of the log is intact and that the fence matches the log. */
export async function inspectLog(connection: Connection, defined: Definitions): Promise<void> {
  const { query } = connection;
  const [problem] = await verifyTail(query, TAIL_EVENTS);
  if (problem !== undefined) throw new StoreError("log_corrupt", { ...problem });
  const reads = createPageReads(query);
  await inTransaction(connection, async () => {
    const [head] = await query("SELECT fence FROM head FOR UPDATE");
    if (head === undefined) throw new StoreError("log_corrupt", { problem: "the log has no head" });
    const stream = streamOf(System, "");
    const system = (await foldStream(defined, reads, stream, await reads.version(stream))).state as SystemState;
    const { lastFence } = system.lease;
    if (number(head["fence"]) !== lastFence) await query("UPDATE head SET fence = $1", lastFence);
  });
}
