/** Text on its way: shown to whoever watches, never recorded. The log gets the whole when it is complete. */
export interface Frame {
  readonly sessionId: string;
  readonly turnId: string;
  readonly source: "message" | "stdout" | "stderr";
  readonly text: string;
}

export interface Frames {
  readonly send: (frame: Frame) => void;
  /** Returns the way to stop. A listener that is slow must drop frames itself; nobody waits for it. */
  readonly listen: (sessionId: string, listener: (frame: Frame) => void) => () => void;
}

export function createFrames(): Frames {
  const listeners = new Map<string, Set<(frame: Frame) => void>>();
  return {
    send: (frame) => {
      for (const listener of listeners.get(frame.sessionId) ?? []) listener(frame);
    },
    listen: (sessionId, listener) => {
      const all = listeners.get(sessionId) ?? new Set();
      listeners.set(sessionId, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0) listeners.delete(sessionId);
      };
    },
  };
}
