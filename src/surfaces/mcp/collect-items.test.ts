import { expect, test } from "vitest";
import type { StreamItem } from "../../syscalls/index.ts";
import { collectItems } from "./collect-items.ts";

const line = (text: string): StreamItem => ({ event: "line", data: { line: text, stream: "stdout" } });
const event = (id: number): StreamItem => ({ event: "event", id, data: { id } });

function collect(items: readonly StreamItem[], { limit = 100, goesOn = false } = {}) {
  const stop = new AbortController();
  let returned = false;
  const stream = (async function* () {
    try {
      yield* items;
      if (goesOn) await new Promise((resolve) => stop.signal.addEventListener("abort", resolve));
    } finally {
      returned = true;
    }
  })();
  const collected = collectItems(stream, { limit, waitMs: 20, signal: stop.signal, progress: () => undefined });
  return { collected, stop, wasReturned: () => returned };
}

test("a stream that ends is collected whole", async () => {
  const { collected } = collect([line("a"), event(1), { event: "end", data: {} }]);
  expect(await collected).toMatchObject({ cursor: 1, ended: true, items: { length: 3 } });
});

test("a stream that goes on is answered with the items so far", async () => {
  const { collected, stop, wasReturned } = collect([line("a"), event(1)], { goesOn: true });
  expect(await collected).toMatchObject({ cursor: 1, ended: false, items: { length: 2 } });
  stop.abort();
  await expect.poll(wasReturned).toBe(true);
});

test("collecting stops after an event, so that no line is shown twice", async () => {
  const { collected } = collect([line("a"), line("b"), event(1), line("c"), event(2)], { limit: 2 });
  expect(await collected).toMatchObject({ cursor: 1, ended: false, items: { length: 3 } });
});

test("lines whose event has not come yet are left for the next call", async () => {
  const { collected, stop } = collect([event(1), line("a")], { goesOn: true });
  expect(await collected).toMatchObject({ cursor: 1, items: { length: 1 } });
  stop.abort();
});
