export interface BodyBounds {
  /** Bytes that may wait for a reader before it is cut off. A single chunk of any size may wait. */
  readonly waitingBytesMax: number;
  /** A reader that takes nothing for this long while bytes wait is cut off. */
  readonly stalledMs: number;
  /** Ends the connection without a regular end, so that the reader notices the cut. */
  readonly cut: () => void;
  /** Called once, when nothing more is read from the source. */
  readonly over: () => void;
}

/**
 * A body for a slow reader whose writer never waits: the protocol library writes without back-pressure. Unread bytes are
 * held up to a limit, then the connection is cut; the client can reconnect and ask again.
 */
export function boundedBody(source: ReadableStream<Uint8Array>, bounds: BodyBounds): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let isOver = false;
  let wake: () => void = () => undefined;
  let stalled: NodeJS.Timeout | null = null;

  const over = (): void => {
    if (isOver) return;
    isOver = true;
    bounds.over();
    wake();
  };
  const cutOff = (): void => {
    waiting.length = 0;
    reader.cancel("the reader is too slow").catch(() => undefined);
    over();
    bounds.cut();
  };
  const watchReader = (): void => {
    if (stalled !== null) clearTimeout(stalled);
    stalled = waiting.length === 0 ? null : setTimeout(cutOff, bounds.stalledMs);
  };
  const fill = async (): Promise<void> => {
    while (!isOver) {
      const { done, value } = await reader.read();
      if (done) return over();
      if (waitingBytes > bounds.waitingBytesMax) return cutOff();
      waiting.push(value);
      waitingBytes += value.length;
      if (stalled === null) watchReader();
      wake();
    }
  };
  fill().catch(cutOff);
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        while (waiting.length === 0 && !isOver)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        const piece = waiting.shift();
        watchReader();
        if (piece === undefined) return controller.close();
        waitingBytes -= piece.length;
        controller.enqueue(piece);
      },
      cancel: (reason) => {
        waiting.length = 0;
        watchReader();
        over();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
