import { emptyFold, foldAll, type Placed, type RowChange } from "../../kernel/index.ts";
import { type NewEvent, StoreError } from "../port.ts";
import { placed } from "./folding.ts";
import type { Erasure } from "./messages.ts";
import type { PageReads } from "./page-reads.ts";
import { type Prepared, place, writeEvent } from "./preparing.ts";

/**
 * Erasure as one write: the data goes, the event that says so comes, and the stream's read models are folded anew,
 * so that nothing derived from the data stays in a list.
 */
export async function eraseRequest(
  reads: PageReads,
  stream: string,
  ids: readonly string[],
  event: NewEvent,
): Promise<Prepared & { readonly erase: Erasure }> {
  const version = reads.version(stream);
  const gone = new Set(ids);
  let folded = emptyFold(stream);
  const rows: RowChange[] = [];
  while (folded.state.version < version) {
    const events = reads.versions(stream, folded.state.version, version, ERASE_PAGE).map((read): Placed => {
      const seen = placed(read);
      return gone.has(read.id) ? { ...seen, fact: null } : seen;
    });
    if (events.length === 0)
      throw new StoreError("log_corrupt", { stream, version: folded.state.version + 1, problem: "missing" });
    const next = foldAll(stream, folded, events);
    folded = next.folded;
    rows.push(...next.rows);
    await new Promise((soon) => setImmediate(soon));
  }
  const last = foldAll(stream, folded, place(version, [event]));
  const part = { stream, expectedVersion: version, events: [event] };
  const write = {
    ...part,
    continues: null,
    events: [writeEvent(event)],
    rows: [...rows, ...last.rows],
    snapshot: JSON.stringify(last.folded),
  };
  const sessionId = folded.kind === "session" ? folded.state.id : null;
  return { part, write, after: last.folded, erase: { stream, sessionId, ids } };
}

const ERASE_PAGE = 500;
