import type { DatabaseSync } from "node:sqlite";
import { hashEvent, NO_PREV, sameBytes } from "../../../domains/index.ts";
import { parseHeader } from "../../log/encoding.ts";
import { sha256 } from "../../log/sha256.ts";
import { createRecent } from "../../recent.ts";

/** A stream's last event, to which the next one is linked. */
export interface Head {
  readonly no: number;
  readonly version: number;
  readonly hash: Uint8Array;
  /** Whether the head's bytes match its hash. A chain is never continued from a damaged event. */
  readonly isWhole: boolean;
}

export interface Heads {
  readonly of: (stream: string) => Head | null;
  readonly set: (stream: string, head: Head) => void;
  readonly clear: () => void;
}

const HEADS_KEPT = 20_000;

/** The most recently used heads, so that an append to an active stream reads nothing. */
export function createHeads(db: DatabaseSync): Heads {
  const kept = createRecent<string, Head>(HEADS_KEPT);
  const last = db.prepare(
    "SELECT s.no, e.version, e.prev, e.header, e.hash FROM streams s LEFT JOIN events e ON e.stream = s.no WHERE s.name = ? ORDER BY e.version DESC LIMIT 1",
  );

  return {
    of: (stream) => {
      const known = kept.get(stream);
      if (known !== undefined) return known;
      const found = last.get(stream);
      if (found === undefined) return null;
      const head = checked(stream, found) ?? { no: 0, version: 0, hash: NO_PREV, isWhole: false };
      kept.set(stream, head);
      return head;
    },
    set: kept.set,
    clear: kept.clear,
  };
}

function checked(stream: string, found: Record<string, unknown>): Head | null {
  const { no, version, prev, header, hash } = found;
  if (typeof no !== "number" || typeof version !== "number") return null;
  if (!(prev instanceof Uint8Array && header instanceof Uint8Array && hash instanceof Uint8Array)) return null;
  const text = Buffer.from(header).toString("utf8");
  const said = parseHeader(text);
  const isLinked = sameBytes(hashEvent(sha256, prev, text), hash);
  return { no, version, hash, isWhole: isLinked && said?.stream === stream && said.version === version };
}
