import { type Clock, isAlive } from "../../host/index.ts";

/** Watches agents that somebody else started: checks their process every second and reports when it is gone. */
export interface ExternalWatch {
  readonly add: (sessionId: string, identity: { readonly pid: number; readonly startTime: string }) => void;
  readonly remove: (sessionId: string) => void;
  readonly stop: () => void;
}

const LOOK_EVERY_MS = 1000;

export function createExternalWatch(clock: Clock, onDeath: (sessionId: string) => void): ExternalWatch {
  const watched = new Map<string, { readonly pid: number; readonly startTime: string }>();
  const look = (): void => {
    for (const [sessionId, identity] of watched) {
      if (isAlive(identity)) continue;
      watched.delete(sessionId);
      onDeath(sessionId);
    }
    cancel = clock.after(LOOK_EVERY_MS, look);
  };
  let cancel = clock.after(LOOK_EVERY_MS, look);
  return {
    add: (sessionId, identity) => watched.set(sessionId, identity),
    remove: (sessionId) => watched.delete(sessionId),
    stop: () => cancel(),
  };
}
