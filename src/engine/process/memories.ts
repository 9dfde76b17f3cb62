import type { LoadedEvent } from "../../turns/index.ts";
import type { TurnOrder } from "../link/protocol.ts";
import { asked, type Link } from "../loop/link.ts";
import type { SessionMemory } from "../loop/turn-state.ts";
import { createPathLocks } from "../tools/index.ts";
import { pathEvent } from "../view/path-event.ts";
import { createTranscript } from "../view/transcript.ts";

const SESSIONS_MAX = 256;

/** What the engine remembers of its last sessions. A session that is not in here is read from the log again. */
export function createMemories() {
  const memories = new Map<string, SessionMemory>();
  return {
    /** Null when it is not there, or not as the order assumes. */
    take: (sessionId: string, pathKey: string, upTo: number): SessionMemory | null => {
      const memory = memories.get(sessionId);
      return memory !== undefined && memory.pathKey === pathKey && memory.upTo === upTo ? memory : null;
    },
    put: (sessionId: string, memory: SessionMemory): void => {
      memories.delete(sessionId);
      memories.set(sessionId, memory);
      const [oldest] = memories.keys();
      if (memories.size > SESSIONS_MAX && oldest !== undefined) memories.delete(oldest);
    },
    drop: (sessionId: string): void => void memories.delete(sessionId),
  };
}

/** What the engine has of the order's session, with the events that the order brings, or all of them. */
export async function recallSession(
  memories: ReturnType<typeof createMemories>,
  link: Link,
  order: TurnOrder,
): Promise<SessionMemory> {
  const known = order.after === null ? null : memories.take(order.sessionId, order.pathKey, order.after);
  const isAll = known !== null || order.after === null;
  const events = isAll ? order.events : await asked<readonly LoadedEvent[]>(link, { do: "history" });
  const memory = known ?? {
    transcript: createTranscript(),
    pathKey: order.pathKey,
    upTo: 0,
    own: new Set<string>(),
    locks: createPathLocks(),
  };
  for (const event of events) if (!isOwn(memory, event)) memory.transcript.add(pathEvent(event));
  memory.own.clear();
  memory.upTo = order.events.at(-1)?.seq ?? order.after ?? 0;
  memories.put(order.sessionId, memory);
  return memory;
}

/** Added by the loop itself while it ran, so the transcript has it. */
export function isOwn({ own }: SessionMemory, { id, fact }: LoadedEvent): boolean {
  return own.has(id) || (fact.type === "turn.steered@1" && own.has(fact.data.steerId));
}
