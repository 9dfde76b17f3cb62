import { type Fact, sessionFact, sessionStream } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import type { OutputPage, OutputPiece, OutputQuery } from "../effects.ts";
import { loadText } from "./texts.ts";

export const PREVIEW_CHARS = 16_384;
const PIECES_MAX = 64;
const PAGE_BYTES_MAX = 1_048_576;
/** At most this many pages of the log are read per call: outputs of other effects are in between. */
const LOG_PAGES_MAX = 16;

export interface OutputSource {
  readonly store: Store;
  readonly sessionId: string;
  readonly turnId: string;
}

/** The recorded output of one effect, oldest first, from events and blobs. */
export async function readOutput(
  source: OutputSource,
  effectId: string,
  { after = 0, limit = PIECES_MAX }: OutputQuery,
): Promise<OutputPage> {
  const pieces: (OutputPiece & { readonly at: number })[] = [];
  const piecesMax = Math.min(Math.max(1, limit), PIECES_MAX);
  let bytes = 0;
  let cursor = after;
  for (let pages = 0; pages < LOG_PAGES_MAX; pages += 1) {
    const { found, next } = await logPage(source, effectId, cursor);
    for (const { at, data } of found) {
      pieces.push({ at, stream: data.stream, text: await loadText(source.store, data) });
      bytes += data.bytes;
      if (pieces.length >= piecesMax || bytes >= PAGE_BYTES_MAX) return { pieces, next: at };
    }
    if (next === null) return { pieces, next: null };
    cursor = next;
  }
  return { pieces, next: cursor };
}

/** All pieces in order; only one page is in memory. */
export async function* wholeOutput(source: OutputSource, effectId: string, after: number): AsyncGenerator<OutputPiece> {
  for (let from: number | null = after; from !== null; ) {
    const page: OutputPage = await readOutput(source, effectId, { after: from });
    yield* page.pieces;
    from = page.next;
  }
}

/** The beginning of an effect's output, and its size. */
export async function outputOf(
  source: OutputSource,
  effectId: string,
  after: number,
): Promise<{ readonly output: string; readonly outputBytes: number }> {
  let output = "";
  let outputBytes = 0;
  for (let from: number | null = after; from !== null; ) {
    const page: LogPage = await logPage(source, effectId, from);
    for (const { data } of page.found) {
      if (output.length < PREVIEW_CHARS)
        output = (output + (await loadText(source.store, data))).slice(0, PREVIEW_CHARS);
      outputBytes += data.bytes;
    }
    from = page.next;
  }
  return { output, outputBytes };
}

interface LogPage {
  readonly found: readonly { readonly at: number; readonly data: Fact<"effect.output@1">["data"] }[];
  readonly next: number | null;
}

async function logPage({ store, sessionId, turnId }: OutputSource, effectId: string, after: number): Promise<LogPage> {
  const query = { after, limit: PIECES_MAX, types: ["effect.output@1"], turnId };
  const { events, next } = await store.readStream(sessionStream(sessionId), query);
  const found = events.flatMap((event) => {
    const fact = sessionFact(event);
    return fact?.type === "effect.output@1" && fact.data.effectId === effectId
      ? [{ at: event.seq, data: fact.data }]
      : [];
  });
  return { found, next };
}
