import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

const MESSAGES_MAX = 500;
const BYTES_MAX = 524_288;

interface Kept {
  readonly id: string;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

/** Keeps messages for clients that reconnect. The oldest are dropped first; a client that needs those must ask again. */
export function createEventStore(): EventStore {
  const kept: Kept[] = [];
  let bytes = 0;
  let count = 0;
  return {
    storeEvent: async (stream, message) => {
      const one: Kept = { id: `${++count}`, stream, message, bytes: JSON.stringify(message).length };
      kept.push(one);
      bytes += one.bytes;
      while (kept.length > MESSAGES_MAX || bytes > BYTES_MAX) bytes -= kept.shift()?.bytes ?? 0;
      return one.id;
    },
    getStreamIdForEventId: async (id) => kept.find((one) => one.id === id)?.stream,
    replayEventsAfter: async (lastId, { send }) => {
      const at = kept.findIndex((one) => one.id === lastId);
      const stream = kept[at]?.stream ?? "";
      const missed = kept.slice(at + 1).filter((one) => one.stream === stream);
      for (const { id, message } of missed) if ("jsonrpc" in message) await send(id, message);
      return stream;
    },
  };
}
