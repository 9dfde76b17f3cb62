import type { SessionWire } from "../../contract/index.ts";
import { sessionStream } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import type { Frame } from "../../supervisor/index.ts";
import type { Context, StreamItem } from "../define.ts";
import { showSession } from "./answer.ts";
import { linesOf } from "./lines.ts";

/** What one reader may be behind before it is sent back to the log (events) or misses pieces (frames). */
const EVENTS_BEHIND_MAX = 256;
const FRAMES_BEHIND_MAX = 1000;
const FRAMES_BEHIND_CHARS_MAX = 1_048_576;
const PAGE = 100;
const ENDINGS: readonly string[] = ["session.exited@1", "session.killed@1", "session.failed@1"];
const STATUS_CHANGES = /^(session|turn|approval)\./;

/**
 * History after the cursor, then live. Live events come from memory, shared by all readers; a reader that falls behind
 * reads the log again from where it was. Frames that nobody fetched in time are dropped, and a `gap` says how many.
 */
async function* follow(
  context: Context<"store">,
  after: number,
  stream: string | undefined,
  frames: ((push: (frame: Frame) => void) => () => void) | null,
): AsyncGenerator<RecordedEvent | Frame | { readonly dropped: number }> {
  const { store } = context.services;
  const { signal } = context;
  let events: RecordedEvent[] = [];
  let pieces: Frame[] = [];
  let pieceChars = 0;
  let dropped = 0;
  let lost = true;
  let cursor = after;
  let wake: () => void = () => undefined;

  const stopEvents = store.onAppend((appended) => {
    for (const event of appended) {
      if (stream !== undefined && event.stream !== stream) continue;
      if (events.length >= EVENTS_BEHIND_MAX) {
        events = [];
        lost = true;
      }
      if (!lost) events.push(event);
    }
    wake();
  });
  const stopFrames = frames?.((frame) => {
    pieceChars += frame.text.length;
    if (pieces.length >= FRAMES_BEHIND_MAX || pieceChars > FRAMES_BEHIND_CHARS_MAX) dropped += 1;
    else pieces.push(frame);
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort);
  try {
    while (!signal.aborted) {
      while (lost && !signal.aborted) {
        lost = false;
        const page =
          stream === undefined
            ? await store.readAll({ after: cursor, limit: PAGE })
            : await store.readStream(stream, { after: cursor, limit: PAGE });
        for (const event of page.events) {
          cursor = event.seq;
          yield event;
        }
        if (page.next !== null) lost = true;
        if (lost) events = [];
      }
      const ready = events;
      events = [];
      for (const event of ready) {
        if (event.seq <= cursor) continue;
        cursor = event.seq;
        yield event;
      }
      const shown = pieces;
      pieces = [];
      pieceChars = 0;
      yield* shown;
      if (dropped > 0) {
        yield { dropped };
        dropped = 0;
      }
      if (events.length > 0 || pieces.length > 0 || lost || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    stopEvents();
    stopFrames?.();
  }
}

export async function* streamAll(context: Context<"store">, after: number): AsyncGenerator<StreamItem> {
  for await (const item of follow(context, after, undefined, null))
    if ("seq" in item) yield { event: "event", id: item.seq, data: item };
}

export async function* streamSession(
  context: Context<"bounds" | "frames" | "store">,
  id: string,
  after: number,
): AsyncGenerator<StreamItem> {
  const listen = (push: (frame: Frame) => void) => context.services.frames.listen(id, push);
  let shown = "";
  const status = async (): Promise<{ readonly item: StreamItem; readonly session: SessionWire } | null> => {
    const session = await showSession(context, id);
    const { state, status: aip, busy, queued, waitingFor } = session;
    const data = { id, state, status: aip, busy, queued, ...(waitingFor === undefined ? {} : { waitingFor }) };
    if (JSON.stringify(data) === shown) return null;
    shown = JSON.stringify(data);
    return { item: { event: "status", data }, session };
  };
  const first = await status();
  if (first !== null) yield first.item;
  const endSeq = first?.session.endedAt === undefined ? null : await lastSeqOf(context, id);
  if (endSeq !== null && after >= endSeq) {
    yield { event: "end", data: { id } };
    return;
  }

  for await (const item of follow(context, after, sessionStream(id), listen)) {
    if ("dropped" in item) yield { event: "gap", data: { dropped: item.dropped, of: "delta" } };
    else if ("source" in item)
      yield { event: "delta", data: { turnId: item.turnId, source: item.source, text: item.text } };
    else {
      for (const line of await linesOf(context.services.store, item)) yield { event: "line", data: line };
      yield { event: "event", id: item.seq, data: item };
      const changed = STATUS_CHANGES.test(item.type) ? await status().catch(() => null) : null;
      if (changed !== null) yield changed.item;
      if ((endSeq === null && ENDINGS.includes(item.type)) || (endSeq !== null && item.seq >= endSeq)) {
        yield { event: "end", data: { id } };
        return;
      }
    }
  }
}

/**
 * For whoever wants one kind only. A line takes the id of the event that it was made from, which is left out: so the
 * last line of each event is a place to come back to.
 */
export async function* onlyShown(
  items: AsyncIterable<StreamItem>,
  show: "all" | "lines" | "events",
): AsyncGenerator<StreamItem> {
  let held: StreamItem | null = null;
  for await (const item of items) {
    const isOther = (show === "lines" && item.event === "delta") || (show === "events" && item.event !== "event");
    if (show === "all" || (show === "events" && (!isOther || item.event === "end"))) yield item;
    if (show !== "lines" || isOther) continue;
    if (item.event === "event") {
      if (held !== null) yield { ...held, ...(item.id === undefined ? {} : { id: item.id }) };
      held = null;
    } else {
      if (held !== null) yield held;
      held = item.event === "line" ? item : null;
      if (held === null) yield item;
    }
  }
  if (held !== null) yield held;
}

async function lastSeqOf(context: Context<"store">, id: string): Promise<number> {
  const { store } = context.services;
  return store.seqAt(sessionStream(id), await store.version(sessionStream(id)));
}
