import type { Definitions } from "../../domains/index.ts";
import type { Placed } from "../../kernel/index.ts";
import type { Awaitable } from "../awaitable.ts";
import type { DerivedReads } from "../models/derived-reads.ts";
import { emptyFold, placed } from "../models/fold-events.ts";
import { mergeRow, type RowWrite, rowWrite } from "../models/rows.ts";
import { type NewEvent, type RecordedEvent, StoreError } from "../port.ts";
import { accountOf, blobsIn, type NewSalt, type Prepared, place, writeEvent } from "./prepare-append.ts";
import type { Erasure } from "./write-request.ts";

type ErasureReads = Pick<DerivedReads, "version" | "versions"> & {
  readonly event: (id: string) => Awaitable<RecordedEvent | null>;
};

/**
 * Prepares an erasure as one write: it deletes the data, appends `data.erased@1`, and folds the stream's read models
 * again, so that no list keeps anything derived from the data.
 */
export async function eraseRequest(
  defined: Definitions,
  reads: ErasureReads,
  stream: string,
  ids: readonly string[],
  event: NewEvent,
  newSalt: NewSalt,
): Promise<Prepared & { readonly erase: Erasure; readonly seqs: readonly number[] }> {
  const version = await reads.version(stream);
  const gone: RecordedEvent[] = [];
  for (const id of ids) {
    const found = await reads.event(id);
    if (found === null || found.stream !== stream) throw new StoreError("event_not_found", { stream, id });
    gone.push(found);
  }
  const goneIds = new Set(ids);
  let before = emptyFold(defined, stream);
  let folded = before;
  const rowsBefore = new Map<string, RowWrite>();
  const rows = new Map<string, RowWrite>();
  while (folded.state.version < version) {
    const events = (await reads.versions(stream, folded.state.version, version, ERASE_PAGE)).map((event) =>
      placed(defined, event),
    );
    const then = defined.foldAll(stream, before, events);
    const now = defined.foldAll(
      stream,
      folded,
      events.map((seen): Placed => (goneIds.has(seen.id) ? { ...seen, fact: null } : seen)),
    );
    before = then.folded;
    folded = now.folded;
    for (const change of then.rows) mergeRow(rowsBefore, rowWrite(change));
    for (const change of now.rows) mergeRow(rows, rowWrite(change));
    await new Promise((soon) => setImmediate(soon));
  }
  const last = defined.foldAll(stream, folded, place(version, [event]));
  for (const change of last.rows) mergeRow(rows, rowWrite(change));
  const write = {
    stream,
    expectedVersion: version,
    continues: null,
    account: accountOf(defined, stream, last.folded),
    events: [writeEvent(defined, event, stream, version + 1, newSalt)],
    rows: [...rows.values()],
    snapshot: JSON.stringify(last.folded),
  };
  const erase = {
    stream,
    events: gone.map(({ id, data }) => ({ id, blobs: blobsIn(data) })),
    rows: [...rowsBefore.values()].map(({ list, id }) => ({ list, id })),
  };
  const part = { stream, expectedVersion: version, events: [event] };
  return { part, write, after: last.folded, erase, seqs: gone.map(({ seq }) => seq) };
}

const ERASE_PAGE = 500;
