import type { RecordedEvent } from "../port.ts";
import type { CallEntry, Difference, Repair } from "./messages.ts";
import type { PageReads } from "./page-reads.ts";
import { blobsIn } from "./preparing.ts";
import type { Statement } from "./statements.ts";

const PAGE = 1000;
const CAUSE = /^call:([0-9a-f]+):([0-9a-f]+)$/;

/** What is derived from events one by one: who asked for them, which blobs they name, and the indexes to find them by. */
export function compareDerived(
  sql: (source: string) => Statement,
  reads: PageReads,
): Pick<Repair, "calls" | "blobs" | "reindex"> & { readonly differences: readonly Difference[] } {
  const calls: CallEntry[] = [];
  const blobs: { blob: string; seq: number }[] = [];
  const named = sql("SELECT 1 AS known FROM event_blobs WHERE blob = ? AND seq = ?");
  let asked: CallEntry | null = null;

  /** The events of one call stand side by side, so that the call is complete when another event comes. */
  const noteCall = (next: CallEntry | null): void => {
    if (asked !== null && next?.key === asked.key) {
      asked = { ...asked, last: next.last };
      return;
    }
    if (asked !== null && !isKept(reads.call(asked.key), asked)) calls.push(asked);
    asked = next;
  };

  let cursor: number | null = 0;
  while (cursor !== null) {
    const page = reads.all({ after: cursor, limit: PAGE });
    for (const event of page.events) {
      noteCall(callOf(event));
      for (const blob of blobsIn(event.data))
        if (named.get(blob, event.seq) === undefined) blobs.push({ blob, seq: event.seq });
    }
    cursor = page.next;
  }
  noteCall(null);
  const broken = sql("PRAGMA integrity_check(20)")
    .all()
    .map((row) => String(row["integrity_check"]))
    .filter((line) => line !== "ok");
  const differences = [
    ...calls.map(({ key }): Difference => ({ model: "call", id: key, what: "differs" })),
    ...blobs.map(({ blob, seq }): Difference => ({ model: "event_blob", id: `${blob}@${seq}`, what: "missing" })),
    ...broken.map((line): Difference => ({ model: "index", id: line, what: "differs" })),
  ];
  return { calls, blobs, reindex: broken.length > 0, differences };
}

/** An event that had a cause of its own does not name the call, so that what is kept may reach further. */
function isKept(kept: CallEntry | null, asked: CallEntry): boolean {
  return kept !== null && kept.request === asked.request && kept.first <= asked.first && kept.last >= asked.last;
}

function callOf(event: RecordedEvent): CallEntry | null {
  const [, key, request] = CAUSE.exec(event.cause ?? "") ?? [];
  return key === undefined || request === undefined ? null : { key, request, first: event.seq, last: event.seq };
}
