import { NomosError } from "../../contract/index.ts";
import { type SessionState, sessionFact } from "../../kernel/index.ts";
import type { EventPage, RecordedEvent, Store } from "../../store/index.ts";
import { loadEvent, pointNamed, readPath, sessionAt } from "../../supervisor/index.ts";
import type { LoadedEvent } from "../../turns/index.ts";

/** The current path of a session as a replay needs it. */
export interface RecordedPath {
  /** The session at the end of the path. */
  readonly state: SessionState;
  readonly events: readonly LoadedEvent[];
  /** Positions of events whose data was erased. */
  readonly erased: readonly number[];
}

/** What is replayed and judged. Printed output is in the results already. */
const TYPES = [
  ...["turn.admitted", "turn.attached", "turn.started", "turn.ended", "turn.steered", "turn.resumed"],
  ...["message.completed", "tool.called", "tool.ended", "step.started", "step.ended", "usage.reported"],
  ...["effect.intended", "effect.settled", "approval.requested", "gate.allowed", "gate.denied"],
  ...["context.composed", "context.compacted", "context.branched", "todo.replaced", "quota.reached", "quota.reset"],
  ...["driver.configured", "driver.switched"],
];
const PAGE_EVENTS = 500;

/** All of it is in memory while it is replayed. */
const REPLAY_LIMITS = { eventsMax: 200_000, charsMax: 256 * 1024 * 1024 };

/** `until`: an event or a label; the path that led to it. */
export async function readRecorded(
  store: Store,
  now: SessionState,
  until: string | undefined,
  signal: AbortSignal,
): Promise<RecordedPath> {
  const state = until === undefined ? now : await sessionAt(store, await pointNamed(store, now, until));
  const events: LoadedEvent[] = [];
  const erased: number[] = [];
  let chars = 0;
  for (let cursor: number | null = 0; cursor !== null; ) {
    signal.throwIfAborted();
    const page: EventPage = await readPath(store, state, { after: cursor, limit: PAGE_EVENTS, types: TYPES });
    for (const event of page.events) {
      const loaded = await loadEvent(store, event);
      if (loaded === null) {
        if (isErased(event)) erased.push(event.seq);
        continue;
      }
      events.push(loaded);
      chars += charsOf(loaded);
    }
    if (events.length > REPLAY_LIMITS.eventsMax || chars > REPLAY_LIMITS.charsMax)
      throw new NomosError("replay_too_large", { id: now.id, ...REPLAY_LIMITS });
    cursor = page.next;
  }
  return { state, events, erased };
}

function isErased(event: RecordedEvent): boolean {
  return event.data === null && sessionFact(event) === null;
}

function charsOf({ fact: { data }, bytes = {} }: LoadedEvent): number {
  const pictures = Object.values(bytes).reduce((sum, base64) => sum + base64.length, 0);
  return pictures + ("bytes" in data && typeof data.bytes === "number" ? data.bytes : 0);
}
