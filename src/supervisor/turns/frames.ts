/** A piece of an unfinished message: streamed to watchers, never recorded. The log gets the complete message. */
export interface Frame {
  readonly sessionId: string;
  readonly turnId: string;
  readonly source: "message" | "thought" | "stdout" | "stderr";
  readonly text: string;
}

export interface Frames {
  readonly send: (frame: Frame) => void;
  /** Returns a function that stops it. A slow listener must drop frames itself. */
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
