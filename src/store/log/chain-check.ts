import { NO_PREV, verifyLink } from "../../domains/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { describes, type EventColumns, parseHeader } from "./encoding.ts";
import { sha256 } from "./sha256.ts";

/** Checks events one by one, in global order: chain, place, data, and that the columns agree with the header. */
export interface ChainCheck {
  /** `parentHash`: the hash of the event that a fork continues, found by `forkPointOf`. Null means no problem. */
  readonly problemOf: (stored: EventColumns & { readonly id: string }, parentHash: Uint8Array | null) => string | null;
  readonly streams: () => number;
}

export function createChainCheck(): ChainCheck {
  const heads = new Map<string, { readonly version: number; readonly hash: Uint8Array }>();
  return {
    problemOf: (stored, parentHash) => {
      const before = heads.get(stored.stream) ?? { version: 0, hash: NO_PREV };
      heads.set(stored.stream, { version: stored.version, hash: stored.hash });
      const text = Buffer.from(stored.header).toString("utf8");
      const header = parseHeader(text);
      if (header === null) return "header_unreadable";
      const isFork = header.version === 1 && header.type === FORKED;
      // When a fork's data is erased, only the stored hash is left to compare with.
      const forkPrev = stored.data === null ? stored.prev : (parentHash ?? NO_PREV);
      const prev = isFork ? forkPrev : before.hash;
      const expected = { prev, stream: stored.stream, version: before.version + 1 };
      const fault = verifyLink(sha256, expected, { ...stored, header: text }, header);
      if (fault !== null) return fault;
      if (!describes(header, stored)) return "type_mismatch";
      return header.id === stored.id ? null : "id_mismatch";
    },
    streams: () => heads.size,
  };
}

/**
 * Checks the end of the log, where a torn write would show: each event, and the chain between events of one stream. The
 * link of each stream's first event here is trusted.
 */
export function createTailCheck(): (stored: EventColumns) => string | null {
  const heads = new Map<string, { readonly version: number; readonly hash: Uint8Array }>();
  let seqBefore: number | null = null;
  return (stored) => {
    const { stream, version, seq, hash } = stored;
    const isGap = seqBefore !== null && seq !== seqBefore + 1;
    seqBefore = seq;
    const before = heads.get(stream) ?? { version: version - 1, hash: stored.prev };
    heads.set(stream, { version, hash });
    if (isGap) return "gap";
    const text = Buffer.from(stored.header).toString("utf8");
    const header = parseHeader(text);
    if (header === null) return "header_unreadable";
    const expected = { prev: before.hash, stream, version: before.version + 1 };
    const fault = verifyLink(sha256, expected, { ...stored, header: text }, header);
    return fault ?? (describes(header, stored) ? null : "type_mismatch");
  };
}

/** The event that a fork's first event continues. Null when it is no fork or its data is unreadable. */
export function forkPointOf(stored: EventColumns): { readonly stream: string; readonly version: number } | null {
  if (stored.version !== 1 || stored.type !== FORKED || stored.data === null) return null;
  const from = memberOf(parsed(Buffer.from(stored.data).toString("utf8")), "from");
  const stream = memberOf(from, "stream");
  const version = memberOf(from, "version");
  return typeof stream === "string" && typeof version === "number" ? { stream, version } : null;
}

const FORKED = "session.forked@1";

/** Undefined for data that is not JSON; the check of the data's hash reports it. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}
