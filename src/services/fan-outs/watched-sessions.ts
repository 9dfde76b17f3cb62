import { LANDING_EVENTS, LandingStream } from "../../domains/index.ts";
import { dataIn, idIn, Session } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";

/** Which fan-outs an append concerns, by their sessions and the landings of these. */
export interface Watched {
  readonly add: (id: string, sessions: readonly string[]) => void;
  readonly addLanding: (id: string, landingId: string) => void;
  readonly remove: (id: string) => void;
  readonly concerned: (events: readonly RecordedEvent[]) => ReadonlySet<string>;
}

/** After these a session may be ready to be judged, or be gone. */
const SESSION_TYPES = /^(turn\.ended|session\.(exited|killed|failed|forgotten)|quota\.)/;

export function createWatched(): Watched {
  const bySession = new Map<string, string>();
  const byLanding = new Map<string, string>();

  const concernedBy = (event: RecordedEvent): string | undefined => {
    const session = idIn(Session, event.stream);
    if (session !== null) return SESSION_TYPES.test(event.type) ? bySession.get(session) : undefined;
    const landing = idIn(LandingStream, event.stream);
    if (landing === null) return undefined;
    const queued = dataIn(LANDING_EVENTS, [event], "landing.queued@1");
    return queued === null ? byLanding.get(landing) : bySession.get(queued.sessionId);
  };

  return {
    add: (id, sessions) => {
      for (const sessionId of sessions) bySession.set(sessionId, id);
    },
    addLanding: (id, landingId) => void byLanding.set(landingId, id),
    remove: (id) => {
      for (const [session, of] of bySession) if (of === id) bySession.delete(session);
      for (const [landing, of] of byLanding) if (of === id) byLanding.delete(landing);
    },
    concerned: (events) => new Set(events.flatMap((event) => concernedBy(event) ?? [])),
  };
}
