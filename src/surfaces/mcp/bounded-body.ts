export interface BodyBounds {
  /** What may wait for a reader before it is cut off. One piece of any size always may. */
  readonly waitingBytesMax: number;
  /** A reader that takes nothing for this long, while something waits, is cut off. */
  readonly stalledMs: number;
  /** Ends the connection: the reader sees a cut and not an end. */
  readonly cut: () => void;
  /** Called once, when nothing more will be taken from the source. */
  readonly over: () => void;
}

/**
 * A body whose writer never waits (the protocol library writes what it has) and whose reader may. What the reader does
 * not take is held here up to a limit, and then the connection is cut: its client comes back and asks again.
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
