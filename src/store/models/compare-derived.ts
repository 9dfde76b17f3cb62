import { blobsIn } from "../log/prepare-append.ts";
import type { CallEntry, Difference, Repair } from "../log/write-request.ts";
import type { EventPage, RecordedEvent } from "../port.ts";
import type { DerivedReads } from "./derived-reads.ts";

const PAGE = 1000;
const CAUSE = /^call:([0-9a-f]+):([0-9a-f]+)$/;

/** Compares data derived from single events: the calls that caused them, the blobs they name, and their indexes. */
export async function compareDerived(
  reads: DerivedReads,
): Promise<Pick<Repair, "calls" | "blobs" | "reindex" | "recount"> & { readonly differences: readonly Difference[] }> {
  const calls: CallEntry[] = [];
  const blobs: { blob: string; seq: number }[] = [];
  let asked: CallEntry | null = null;

  /** The events of one call are adjacent, so the call is complete when another event follows. */
  const noteCall = async (next: CallEntry | null): Promise<void> => {
    if (asked !== null && next?.key === asked.key) {
      asked = { ...asked, last: next.last };
      return;
    }
    if (asked !== null && !isKept(await reads.call(asked.key), asked)) calls.push(asked);
    asked = next;
  };

  let cursor: number | null = 0;
  while (cursor !== null) {
    const page: EventPage = await reads.all({ after: cursor, limit: PAGE });
    for (const event of page.events) {
      const call = callOf(event);
      if (call !== null || asked !== null) await noteCall(call);
      for (const blob of blobsIn(event.data))
        if (!(await reads.isBlobNoted(blob, event.seq))) blobs.push({ blob, seq: event.seq });
    }
    cursor = page.next;
  }
  await noteCall(null);
  const broken = await reads.brokenIndexes();
  const miscounted = await reads.usageProblems();
  const differences = [
    ...calls.map(({ key }): Difference => ({ model: "call", id: key, what: "differs" })),
    ...blobs.map(({ blob, seq }): Difference => ({ model: "event_blob", id: `${blob}@${seq}`, what: "missing" })),
    ...broken.map((line): Difference => ({ model: "index", id: line, what: "differs" })),
    ...miscounted.map((id): Difference => ({ model: "usage", id, what: "differs" })),
  ];
  return { calls, blobs, reindex: broken.length > 0, recount: miscounted.length + blobs.length > 0, differences };
}

/** An event with its own cause does not name the call, so the stored range may reach further. */
function isKept(kept: CallEntry | null, asked: CallEntry): boolean {
  return kept !== null && kept.request === asked.request && kept.first <= asked.first && kept.last >= asked.last;
}

function callOf(event: RecordedEvent): CallEntry | null {
  const [, key, request] = CAUSE.exec(event.cause ?? "") ?? [];
  return key === undefined || request === undefined ? null : { key, request, first: event.seq, last: event.seq };
}
