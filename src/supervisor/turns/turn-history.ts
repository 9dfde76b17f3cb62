import { type Fact, type SessionState, sessionFact, type TextOrBlob } from "../../kernel/index.ts";
import type { EventPage, RecordedEvent, Store } from "../../store/index.ts";
import { type LoadedEvent, loadText } from "../../turns/index.ts";
import { findPoint, partingOf, readPath, sessionAt } from "../life/lineage.ts";

/** What a prompt is made of. Everything else on the path is for people and for the ledger. */
const TYPES = [
  ...["turn.admitted", "turn.attached", "turn.started", "turn.ended", "turn.steered"],
  ...["message.completed", "tool.called", "tool.ended", "step.started", "step.ended"],
  ...[
    "effect.intended",
    "effect.settled",
    "context.composed",
    "context.compacted",
    "context.branched",
    "todo.replaced",
  ],
];
const PAGE_EVENTS = 500;

/**
 * The events of the current path that the prompt is made of, with whole texts: from the last compaction's cut on, or after
 * the given event.
 */
export async function historyOf(
  store: Store,
  state: SessionState,
  after: number | null = null,
): Promise<readonly LoadedEvent[]> {
  const events = await eventsAfter(store, state, after ?? (await cutOf(store, state)));
  return loadAll(store, [...(after === null ? await earlier(store, state, events) : []), ...events]);
}

/**
 * What a rewind left: the path that ended at this event, without what it has in common with the current one. As in
 * `historyOf`, a compaction stands for what was before it.
 */
export async function branchOf(store: Store, state: SessionState, from: string): Promise<readonly LoadedEvent[]> {
  const left = await sessionAt(store, await findPoint(store, state, from));
  const events = await eventsAfter(
    store,
    left,
    Math.max(await partingOf(store, left, state), await cutOf(store, left)),
  );
  return loadAll(store, [...(await promptsBefore(store, events)), ...events]);
}

/** The `seq` after which the last compaction kept everything. */
async function cutOf(store: Store, { view: { context } }: SessionState): Promise<number> {
  const first = context?.keptFrom === undefined ? null : await store.event(context.keptFrom);
  return first === null ? 0 : first.seq - 1;
}

async function eventsAfter(store: Store, state: SessionState, after: number): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let cursor: number | null = after; cursor !== null; ) {
    const page: EventPage = await readPath(store, state, { after: cursor, limit: PAGE_EVENTS, types: TYPES });
    events.push(...page.events);
    cursor = page.next;
  }
  return events;
}

async function loadAll(store: Store, events: readonly RecordedEvent[]): Promise<readonly LoadedEvent[]> {
  const loaded = await Promise.all(events.map((event) => loadEvent(store, event)));
  return loaded.filter((event) => event !== null);
}

/** The system prompt, and what else of the turns after the cut was recorded before it. */
async function earlier(
  store: Store,
  { view: { context = {} } }: SessionState,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const { composed, keptFrom } = context;
  const isElsewhere = composed !== undefined && !events.some(({ id }) => id === composed);
  const system = isElsewhere ? await store.event(composed) : null;
  const prompts = keptFrom === undefined ? [] : await promptsBefore(store, events);
  return [...(system === null ? [] : [system]), ...prompts].toSorted((x, y) => x.seq - y.seq);
}

/** Prompts, starts and steering of the events' turns that were recorded before the events. */
async function promptsBefore(store: Store, events: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> {
  const [first] = events;
  if (first === undefined) return [];
  const found: RecordedEvent[] = [];
  const facts = events.map((event) => ({ stream: event.stream, fact: sessionFact(event) }));
  const whole = new Set(facts.flatMap(({ fact }) => (fact?.type === "turn.admitted@1" ? [fact.data.turnId] : [])));
  const turns = new Map(
    facts.flatMap(({ stream, fact }): [string, string][] => {
      const isWork = fact?.type === "turn.started@1" || fact?.type === "step.started@1";
      return isWork && !whole.has(fact.data.turnId) ? [[fact.data.turnId, stream]] : [];
    }),
  );
  for (const [turnId, stream] of turns) {
    const types = ["turn.admitted", "turn.attached", "turn.started", "turn.steered"];
    found.push(...(await store.readStream(stream, { limit: PAGE_EVENTS, before: first.seq, types, turnId })).events);
  }
  return found.toSorted((x, y) => x.seq - y.seq);
}

/** The event with whole texts; null: erased, or none of a session. */
export async function loadEvent(store: Store, event: RecordedEvent): Promise<LoadedEvent | null> {
  const fact = sessionFact(event);
  if (fact === null) return null;
  const { id, seq, at } = event;
  const bytes = await bytesOf(store, fact);
  return { id, seq, at, fact: await withTexts(store, fact), ...(bytes === null ? {} : { bytes }) };
}

/** A text whose blob is gone stays as its beginning: a session must go on. */
async function whole<T extends TextOrBlob>(store: Store, stored: T): Promise<T> {
  if (stored.blob === null) return stored;
  return { ...stored, text: await loadText(store, stored).catch(() => stored.text) };
}

async function withTexts(store: Store, fact: Fact): Promise<Fact> {
  switch (fact.type) {
    case "turn.admitted@1": {
      const { prompt, blob, bytes } = fact.data;
      const { text } = await whole(store, { text: prompt, blob, bytes });
      return { ...fact, data: { ...fact.data, prompt: text } };
    }
    case "message.completed@1":
    case "turn.steered@1":
      return { ...fact, data: await whole(store, fact.data) } as Fact;
    case "tool.called@1":
      return fact.data.input === null
        ? fact
        : { ...fact, data: { ...fact.data, input: await whole(store, fact.data.input) } };
    case "tool.ended@1":
      return fact.data.output === null
        ? fact
        : { ...fact, data: { ...fact.data, output: await whole(store, fact.data.output) } };
    case "context.composed@1":
      return {
        ...fact,
        data: { ...fact.data, parts: await Promise.all(fact.data.parts.map((part) => whole(store, part))) },
      };
    case "context.compacted@1":
      return { ...fact, data: { ...fact.data, summary: await whole(store, fact.data.summary) } };
    case "context.branched@1":
      return { ...fact, data: { ...fact.data, summary: await whole(store, fact.data.summary) } };
    default:
      return fact;
  }
}

async function bytesOf(store: Store, fact: Fact): Promise<NonNullable<LoadedEvent["bytes"]> | null> {
  const blobs =
    fact.type === "turn.attached@1"
      ? fact.data.items.map(({ blob }) => blob)
      : fact.type === "tool.ended@1"
        ? (fact.data.images ?? []).map(({ blob }) => blob)
        : [];
  const named = blobs.filter((blob) => blob !== null);
  if (named.length === 0) return null;
  const loaded = await Promise.all(named.map(async (blob) => [blob, await store.blob(blob)] as const));
  return Object.fromEntries(
    loaded.flatMap(([blob, bytes]) => (bytes === null ? [] : [[blob, Buffer.from(bytes).toString("base64")]])),
  );
}
