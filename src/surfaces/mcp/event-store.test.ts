import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { createEventStore } from "./event-store.ts";

const note = (text: string): JSONRPCMessage => ({ jsonrpc: "2.0", method: "note", params: { text } });

async function replayed(store: ReturnType<typeof createEventStore>, after: string) {
  const seen: unknown[] = [];
  const stream = await store.replayEventsAfter(after, {
    send: async (_id, message) => {
      seen.push(Reflect.get(message, "params"));
    },
  });
  return { stream, seen };
}

test("messages after an id are sent again, of the same stream only", async () => {
  const store = createEventStore();
  const first = await store.storeEvent("a", note("1"));
  await store.storeEvent("b", note("other"));
  await store.storeEvent("a", note("2"));
  expect(await replayed(store, first)).toEqual({ stream: "a", seen: [{ text: "2" }] });
  expect(await store.getStreamIdForEventId?.(first)).toBe("a");
});

test("with too many messages the oldest is dropped, and its id becomes unknown", async () => {
  const store = createEventStore();
  const first = await store.storeEvent("a", note("1"));
  for (let count = 0; count < 500; count += 1) await store.storeEvent("a", note("x"));
  expect(await store.getStreamIdForEventId?.(first)).toBeUndefined();
});

test("a message too large to store is not stored", async () => {
  const store = createEventStore();
  const large = await store.storeEvent("a", note("y".repeat(5_000_000)));
  expect(await store.getStreamIdForEventId?.(large)).toBeUndefined();
});
