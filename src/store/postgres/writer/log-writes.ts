import type { Definitions } from "../../../domains/index.ts";
import { eraseRequest } from "../../log/erase-data.ts";
import { createSalts, type Prepared, prepare, recorded, withCause } from "../../log/prepare-append.ts";
import { conditionsOf, NOTHING } from "../../log/write-request.ts";
import type { FoldCache } from "../../models/fold-cache.ts";
import { type AppendPart, type RecordedEvent, type Store, StoreError } from "../../port.ts";
import type { Folds } from "../reads/folds.ts";
import type { PageReads } from "../reads/page-reads.ts";
import type { Lease } from "./lease.ts";
import type { Publisher } from "./publisher.ts";
import type { Writer } from "./writer.ts";

export interface LogWritesDeps {
  readonly defined: Definitions;
  readonly reads: PageReads;
  readonly folds: Folds;
  readonly cache: FoldCache;
  readonly writer: Pick<Writer, "write">;
  readonly lease: Pick<Lease, "holdFence"> | null;
  readonly publisher: Pick<Publisher, "own">;
}

/** Prepares appends and erasures, has the writer commit them, then notifies the listeners. */
export function createLogWrites(deps: LogWritesDeps): Pick<Store, "append" | "erase"> {
  const { defined, reads, folds, cache, writer, lease, publisher } = deps;
  const newSalt = createSalts();

  /** Called in commit order. */
  const publish = (prepared: readonly Prepared[], places: Parameters<typeof recorded>[1]): readonly RecordedEvent[] => {
    for (const { write, after } of prepared) cache.set(write.stream, after);
    const events = recorded(prepared, places);
    publisher.own(events);
    return events;
  };

  return {
    append: async (parts, given) => {
      const prepared: Prepared[] = [];
      for (const part of parts) {
        const { stream, expectedVersion } = part;
        const before = part.before ?? (await folds.at(stream, expectedVersion));
        if (before.state.version !== expectedVersion || isTwice(parts, part) || cache.isSuspended(stream))
          throw new StoreError("stale_version", { stream, expected: expectedVersion, found: before.state.version });
        prepared.push(prepare(defined, part, before, given.call ?? null, newSalt));
      }
      const write = { ...NOTHING, ...conditionsOf(given), parts: prepared.map((entry) => entry.write) };
      return writer.write(write, ({ ok }) => {
        const taken = write.parts.flatMap(({ events }) => events).findLast(({ takesFence }) => takesFence !== null);
        if (taken?.takesFence != null) lease?.holdFence(taken.takesFence);
        return publish(prepared, ok);
      });
    },
    erase: async (stream, ids, event, given) => {
      const caused = withCause(event, given.call ?? null);
      const { seqs: _, ...prepared } = await eraseRequest(defined, reads, stream, ids, caused, newSalt);
      if (cache.isSuspended(stream))
        throw new StoreError("stale_version", { stream, reason: "an erasure of this stream is running" });
      cache.suspend(stream);
      folds.distrust();
      const { erase, write: part } = prepared;
      const write = { ...NOTHING, ...conditionsOf(given), parts: [part], erase };
      try {
        return await writer.write(write, ({ ok }) => {
          cache.resume(stream);
          return publish([prepared], ok);
        });
      } finally {
        cache.resume(stream);
        folds.distrust();
      }
    },
  };
}

function isTwice(parts: readonly AppendPart[], part: AppendPart): boolean {
  return parts.find(({ stream }) => stream === part.stream) !== part;
}
