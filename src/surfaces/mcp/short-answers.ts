import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  type Transport,
  type WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

/** The library's transport, but a request that is answered soon gets plain JSON instead of an event stream. */
export interface ShortAnswers {
  /** Connect the server to this one. */
  readonly transport: Transport;
  /** A response of the library, or the message to answer with. */
  readonly handle: (request: Request, body: unknown) => Promise<Response | JSONRPCMessage>;
}

/** A request that takes longer gets an event stream, which is kept alive and can be resumed. */
const SOON_MS = 50;

interface Asked {
  readonly wake: () => void;
  answer: JSONRPCMessage | null;
  /** It took too long: its stream is being opened. */
  isLate: boolean;
}

export function createShortAnswers(
  streams: WebStandardStreamableHTTPServerTransport,
  versions: readonly string[],
): ShortAnswers {
  const asked = new Map<RequestId, Asked>();
  const transport: Transport = {
    start: () => streams.start(),
    close: () => streams.close(),
    setSupportedProtocolVersions: (supported) => streams.setSupportedProtocolVersions(supported),
    send: async (message, { relatedRequestId } = {}) => {
      const waiting = "method" in message ? undefined : asked.get(idOf(message));
      if (waiting === undefined)
        return streams.send(message, relatedRequestId === undefined ? {} : { relatedRequestId });
      waiting.answer = message;
      waiting.wake();
    },
  };
  streams.onclose = () => transport.onclose?.();
  streams.onerror = (error) => transport.onerror?.(error);
  streams.onmessage = (message, extra) => {
    const begun = "method" in message ? asked.get(idOf(message)) : undefined;
    if (begun?.isLate !== true) return transport.onmessage?.(message, extra);
    // The server has this request already. From here on its answer goes to the stream.
    asked.delete(idOf(message));
    if (begun.answer !== null) streams.send(begun.answer).catch((error) => transport.onerror?.(error));
  };

  const soon = async (request: Request, body: JSONRPCRequest): Promise<JSONRPCMessage | null> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting: Asked = { wake: resolve, answer: null, isLate: false };
    asked.set(body.id, waiting);
    const timer = setTimeout(resolve, SOON_MS);
    transport.onmessage?.(body, { request });
    await promise;
    clearTimeout(timer);
    waiting.isLate = waiting.answer === null;
    if (!waiting.isLate) asked.delete(body.id);
    return waiting.answer;
  };
  return {
    transport,
    handle: async (request, body) => {
      const short = isJSONRPCRequest(body) && mayBeShort(request, body, versions) && !asked.has(body.id) ? body : null;
      const answer = short === null ? null : await soon(request, short);
      if (answer !== null) return answer;
      try {
        return await streams.handleRequest(request, body === undefined ? {} : { parsedBody: body });
      } finally {
        if (short !== null) asked.delete(short.id);
      }
    },
  };
}

/** The handshake, progress, and what the library refuses are left to the library. */
function mayBeShort({ headers }: Request, { method, params }: JSONRPCRequest, versions: readonly string[]): boolean {
  const version = headers.get("mcp-protocol-version");
  const accept = headers.get("accept") ?? "";
  return (
    method !== "initialize" &&
    params?._meta?.progressToken === undefined &&
    (version === null || versions.includes(version)) &&
    accept.includes("application/json") &&
    accept.includes("text/event-stream")
  );
}

/** Empty for a message without an id. */
function idOf(message: JSONRPCMessage): RequestId {
  return ("id" in message ? message.id : undefined) ?? "";
}
