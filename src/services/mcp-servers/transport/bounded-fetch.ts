/** The part of `fetch` that the MCP library uses. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface AnswerBounds {
  readonly bytesMax: number;
  readonly tooLarge: () => Error;
  /** Called for each event after the first of a stream, which is usually the answer. Null: it is let through. */
  readonly unasked: () => Error | null;
}

/**
 * A fetch whose answers are bounded: a body of JSON as a whole, a stream of events by event, because streams stay open.
 * A body that is too large fails where it is read.
 */
export function boundedFetch(fetch: Fetch, bounds: AnswerBounds): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const isStream = headers.get("content-type")?.includes("text/event-stream") === true;
    const counted = body.pipeThrough(countedBytes(bounds, isStream));
    const bounded = new Response(counted, { status, statusText, headers });
    Object.defineProperty(bounded, "url", { value: response.url });
    return bounded;
  };
}

const LINE_END = 10;
const RETURN = 13;

function countedBytes({ bytesMax, tooLarge, unasked }: AnswerBounds, isStream: boolean): TransformStream {
  let bytes = 0;
  let events = 0;
  /** Bytes of the current line: an empty line ends an event. */
  let line = 0;
  const count = (piece: Uint8Array): void => {
    let from = 0;
    for (let at = piece.indexOf(LINE_END); isStream && at >= 0; at = piece.indexOf(LINE_END, from)) {
      const isEmpty = line + (at - from) === 0 || (line + (at - from) === 1 && piece[at - 1] === RETURN);
      bytes = isEmpty ? 0 : bytes + (at - from);
      line = 0;
      from = at + 1;
      if (bytes > bytesMax) throw tooLarge();
      if (!isEmpty) continue;
      events += 1;
      const flood = events > 1 ? unasked() : null;
      if (flood !== null) throw flood;
    }
    line += piece.length - from;
    bytes += piece.length - from;
    if (bytes > bytesMax) throw tooLarge();
  };
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => {
      count(piece);
      controller.enqueue(piece);
    },
  });
}
