import { setTimeout } from "node:timers/promises";
import type { Definitions } from "../../../domains/index.ts";
import { eraseRequest } from "../../log/erase-data.ts";
import type { Listeners } from "../../log/listeners.ts";
import { createSalts, type Prepared, prepare, recorded, withCause } from "../../log/prepare-append.ts";
import type { Turns } from "../../log/shared-or-alone.ts";
import { conditionsOf, NOTHING } from "../../log/write-request.ts";
import type { FoldCache } from "../../models/fold-cache.ts";
import { type RecordedEvent, type Store, StoreError, type StoreErrorCode } from "../../port.ts";
import type { ReaderClient } from "../reader/reader-client.ts";
import type { Folds } from "../reads/folds.ts";
import type { PageReads } from "../reads/page-reads.ts";
import type { WriterClient } from "./writer-client.ts";

export interface LogWritesDeps {
  readonly defined: Definitions;
  readonly reads: PageReads;
  readonly folds: Folds;
  readonly cache: FoldCache;
  readonly writer: Pick<WriterClient, "write">;
  readonly reader: Pick<ReaderClient, "forget">;
  readonly listeners: Pick<Listeners, "tell">;
  /** Keeps sweeps from running while a blob is stored. */
  readonly bringing: Turns;
}

const SCRUB_TRIES = 20;
const SCRUB_AGAIN_MS = 100;
const UNSCRUBBED = {
  reason: "the data is erased, but its bytes stay in the files until there is space and no reader is active",
};

/** Prepares appends and erasures here, has the writer thread flush them, then notifies the listeners. */
export function createLogWrites(deps: LogWritesDeps): Pick<Store, "append" | "erase"> {
  const { defined, reads, folds, cache, writer, reader, listeners, bringing } = deps;
  const newSalt = createSalts();

  const publish = (events: readonly RecordedEvent[]): readonly RecordedEvent[] => {
    listeners.tell(events);
    return events;
  };

  /** Retries while slow readers block the scrub. Waiting here delays no other write. */
  const scrub = async (unscrubbed: StoreErrorCode | null, fence: number, ids: readonly string[]): Promise<void> => {
    let left = unscrubbed;
    for (let tries = 0; left !== null && tries < SCRUB_TRIES; tries += 1) {
      await setTimeout(SCRUB_AGAIN_MS);
      left = (await writer.write({ ...NOTHING, fence, scrub: true })).unscrubbed;
    }
    if (left !== null) throw new StoreError(left, { erased: ids, ...UNSCRUBBED });
  };

  return {
    append: async (parts, given) => {
      const prepared = parts.map((part, at): Prepared => {
        const { stream, expectedVersion } = part;
        const before = part.before ?? folds.at(stream, expectedVersion);
        const isTwice = parts.findIndex((other) => other.stream === stream) !== at;
        if (before.state.version !== expectedVersion || isTwice || cache.isSuspended(stream))
          throw new StoreError("stale_version", { stream, expected: expectedVersion, found: before.state.version });
        return prepare(defined, part, before, given.call ?? null, newSalt);
      });
      const reply = await writer.write({
        ...NOTHING,
        ...conditionsOf(given),
        parts: prepared.map((entry) => entry.write),
      });
      for (const { write, after } of prepared) cache.set(write.stream, after);
      return publish(recorded(prepared, reply.ok));
    },
    erase: async (stream, ids, event, given) => {
      const caused = withCause(event, given.call ?? null);
      const { seqs, ...prepared } = await eraseRequest(defined, reads, stream, ids, caused, newSalt);
      if (cache.isSuspended(stream))
        throw new StoreError("stale_version", { stream, reason: "an erasure of this stream is running" });
      cache.suspend(stream);
      const { write: part, erase } = prepared;
      const write = { ...NOTHING, ...conditionsOf(given), parts: [part], erase, scrub: true };
      const { events, unscrubbed } = await bringing.alone(async () => {
        try {
          const reply = await writer.write(write);
          // In the same tick as the reply, as in `append`: listeners are notified in commit order.
          cache.resume(stream);
          cache.set(stream, prepared.after);
          return { events: publish(recorded([prepared], reply.ok)), unscrubbed: reply.unscrubbed };
        } finally {
          cache.resume(stream);
        }
      });
      await reader.forget(seqs);
      await scrub(unscrubbed, given.fence, ids);
      return events;
    },
  };
}
