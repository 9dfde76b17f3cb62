import type { LogEvent } from "../../src/client/index.ts";

export interface Anchor {
  readonly version: number;
  readonly seq: number;
}

interface Reads {
  /** The last events before a `seq`, oldest first. */
  readonly before: (seq: number) => Promise<readonly LogEvent[]>;
  /** The first events after a `seq`. */
  readonly after: (seq: number) => Promise<readonly LogEvent[]>;
}

/** Halving alone finds a place in a log of 2^40 events with as many. */
const GUESSES_MAX = 60;
/** Events that one page has at least. */
const PAGE_MIN = 100;

/**
 * The page of events that has a version. The log is read by `seq`, which all sessions share, so the place is guessed
 * between two known ones: by their distance, and by halves where that does not help.
 */
export async function findVersion(
  version: number,
  known: readonly Anchor[],
  { before, after }: Reads,
): Promise<readonly LogEvent[]> {
  let low: Anchor = { version: 0, seq: 0 };
  let high: Anchor | null = null;
  for (const anchor of known) {
    if (anchor.version <= version && anchor.version >= low.version) low = anchor;
    if (anchor.version >= version && (high === null || anchor.version < high.version)) high = anchor;
  }
  for (let guess = 0; guess < GUESSES_MAX && high !== null; guess += 1) {
    if (version - low.version < PAGE_MIN) break;
    const page = await before(guessed(version, low, high, guess % 2 === 0) + 1);
    const [first, last] = [page[0], page.at(-1)];
    if (first === undefined || last === undefined) break;
    if (first.version <= version && version <= last.version) return page;
    if (first.version > version) high = first;
    // Nothing stands between the last event and the guess.
    else low = { version: last.version, seq: Math.max(last.seq, guessed(version, low, high, guess % 2 === 0)) };
  }
  return after(Math.max(0, low.seq - 1));
}

function guessed(version: number, low: Anchor, high: Anchor, isByDistance: boolean): number {
  const share = isByDistance ? (version - low.version) / Math.max(1, high.version - low.version) : 0.5;
  return Math.min(high.seq, Math.max(low.seq + 1, Math.ceil(low.seq + share * (high.seq - low.seq))));
}
