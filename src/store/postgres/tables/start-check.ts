import { System, type SystemState } from "../../../domains/index.ts";
import { type Definitions, streamOf } from "../../../kernel/index.ts";
import { number } from "../../log/encoding.ts";
import { StoreError } from "../../port.ts";
import type { Connection } from "../connection/connection.ts";
import { inTransaction } from "../connection/transaction.ts";
import { foldStream } from "../reads/fold-stream.ts";
import { createPageReads } from "../reads/page-reads.ts";
import { verifyTail } from "../reads/verify.ts";

/** Enough to cover every write that a crash can have torn, few enough that a start does not wait for it. */
const TAIL_EVENTS = 1000;

/** What a start makes sure of before anything is written: the log ends well, and the fence is what the log says. */
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
