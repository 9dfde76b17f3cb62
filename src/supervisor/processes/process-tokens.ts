/** The tokens of sessions' processes, by hash. In memory only: they end with their process and with the daemon. */
export interface ProcessTokens {
  readonly add: (secretHash: string, sessionId: string) => void;
  readonly end: (secretHash: string) => void;
  readonly sessionOf: (secretHash: string) => string | null;
  /** Calls `ended` when a session has no token left; at once if it has none. Returns a function that stops it. */
  readonly whenNone: (sessionId: string, ended: () => void) => () => void;
}

export function createProcessTokens(): ProcessTokens {
  const sessions = new Map<string, string>();
  const waiting = new Map<string, Set<() => void>>();
  const hasNone = (sessionId: string): boolean => ![...sessions.values()].includes(sessionId);
  return {
    add: (secretHash, sessionId) => void sessions.set(secretHash, sessionId),
    end: (secretHash) => {
      const sessionId = sessions.get(secretHash);
      sessions.delete(secretHash);
      if (sessionId === undefined || !hasNone(sessionId)) return;
      const told = waiting.get(sessionId) ?? [];
      waiting.delete(sessionId);
      for (const tell of told) tell();
    },
    sessionOf: (secretHash) => sessions.get(secretHash) ?? null,
    whenNone: (sessionId, ended) => {
      if (hasNone(sessionId)) {
        queueMicrotask(ended);
        return () => undefined;
      }
      const mine = waiting.get(sessionId) ?? new Set();
      waiting.set(sessionId, mine.add(ended));
      return () => {
        mine.delete(ended);
        if (mine.size === 0 && waiting.get(sessionId) === mine) waiting.delete(sessionId);
      };
    },
  };
}
