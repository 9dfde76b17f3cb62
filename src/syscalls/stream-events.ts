import { setImmediate } from "node:timers/promises";
import type { SessionWire } from "../contract/index.ts";
import { sessionStream } from "../kernel/index.ts";
import type { RecordedEvent } from "../store/index.ts";
import type { Frame } from "../supervisor/index.ts";
import type { Context, StreamItem } from "./define.ts";
import { showSession } from "./session/answer.ts";
import { linesOf } from "./session/lines.ts";

/** How many frames wait for a slow reader; later ones are dropped. */
const FRAMES_BEHIND_MAX = 1000;
const FRAMES_BEHIND_CHARS_MAX = 1_048_576;
const ENDINGS: readonly string[] = ["session.exited@1", "session.killed@1", "session.failed@1"];
const STATUS_CHANGES = /^(session|turn|approval)\./;

type Listen = (push: (frame: Frame) => void) => () => void;

/** Events of the log and frames together. An event comes before frames that arrived after it. */
async function* follow(
  context: Context<"store">,
  after: number,
  stream: string | undefined,
  listen: Listen,
): AsyncGenerator<RecordedEvent | Frame | { readonly dropped: number }> {
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  let wake: () => void = () => undefined;
  const pieces = createPieces(listen, () => wake());
  const query = { after, signal, ...(stream === undefined ? {} : { stream }) };
  const batches = context.services.store.tail(query)[Symbol.asyncIterator]();
  let hasCome = false;
  const fetch = (): Promise<IteratorResult<readonly RecordedEvent[]>> => {
    hasCome = false;
    const come = () => {
      hasCome = true;
      wake();
    };
    const fetching = batches.next();
    fetching.then(come, come);
    return fetching;
  };
  let batch = fetch();
  try {
    for (;;) {
      if (!hasCome && pieces.isEmpty())
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      // Gives an event that was just appended time to arrive.
      if (!hasCome) await setImmediate();
      if (hasCome) {
        const { done, value } = await batch;
        if (done === true) return;
        yield* value;
        batch = fetch();
      }
      yield* pieces.take();
    }
  } finally {
    stop.abort();
    pieces.stop();
  }
}

interface Pieces {
  readonly isEmpty: () => boolean;
  /** All frames since the last call, and how many were dropped. */
  readonly take: () => readonly (Frame | { readonly dropped: number })[];
  readonly stop: () => void;
}

function createPieces(listen: Listen, news: () => void): Pieces {
  let kept: Frame[] = [];
  let chars = 0;
  let dropped = 0;
  const stop = listen((frame) => {
    chars += frame.text.length;
    if (kept.length >= FRAMES_BEHIND_MAX || chars > FRAMES_BEHIND_CHARS_MAX) dropped += 1;
    else kept.push(frame);
    news();
  });
  return {
    isEmpty: () => kept.length === 0 && dropped === 0,
    take: () => {
      const taken = dropped === 0 ? kept : [...kept, { dropped }];
      [kept, chars, dropped] = [[], 0, 0];
      return taken;
    },
    stop,
  };
}

const NO_PIECES: Listen = () => () => undefined;

export async function* streamAll(
  context: Context<"store">,
  after: number,
  shown: (event: RecordedEvent) => RecordedEvent,
): AsyncGenerator<StreamItem> {
  for await (const item of follow(context, after, undefined, NO_PIECES))
    if ("seq" in item) yield { event: "event", id: item.seq, data: shown(item) };
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
    const { state, status: aip, busy, queued, waitingFor, waitingUntil } = session;
    const waiting =
      waitingFor === undefined ? {} : { waitingFor, ...(waitingUntil === undefined ? {} : { waitingUntil }) };
    const data = { id, state, status: aip, busy, queued, ...waiting };
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
 * Filters for readers that want only lines or only events. A line takes the id of its omitted event, so that the last line
 * of each event is a valid cursor.
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
