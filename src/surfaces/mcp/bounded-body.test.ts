import { expect, test, vi } from "vitest";
import { boundedBody } from "./bounded-body.ts";

function bodyWith(bounds: { readonly waitingBytesMax?: number; readonly stalledMs?: number } = {}) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const cancelled = vi.fn();
  const source = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: cancelled,
  });
  const cut = vi.fn();
  const over = vi.fn();
  const body = boundedBody(source, { waitingBytesMax: 100, stalledMs: 10_000, cut, over, ...bounds });
  return {
    reader: body.getReader(),
    write: (bytes: number) => controller?.enqueue(new Uint8Array(bytes)),
    end: () => controller?.close(),
    cut,
    over,
    cancelled,
  };
}

test("the reader gets what was written, and then the end", async () => {
  const { reader, write, end, cut, over } = bodyWith();
  write(3);
  write(4);
  end();
  expect((await reader.read()).value).toHaveLength(3);
  expect((await reader.read()).value).toHaveLength(4);
  expect((await reader.read()).done).toBe(true);
  expect(over).toHaveBeenCalledOnce();
  expect(cut).not.toHaveBeenCalled();
});

test("one piece of any size passes", async () => {
  const { reader, write, cut } = bodyWith({ waitingBytesMax: 10 });
  write(1000);
  expect((await reader.read()).value).toHaveLength(1000);
  expect(cut).not.toHaveBeenCalled();
});

test("a reader that lets too much wait is cut off, and the source is told", async () => {
  const { write, cut, over, cancelled } = bodyWith();
  for (let count = 0; count < 5; count += 1) write(60);
  await vi.waitFor(() => expect(cut).toHaveBeenCalledOnce());
  expect(over).toHaveBeenCalledOnce();
  expect(cancelled).toHaveBeenCalledOnce();
});

test("a reader that reads nothing for too long is cut off, also after everything was written", async () => {
  const { write, end, cut } = bodyWith({ stalledMs: 20 });
  write(1);
  end();
  await vi.waitFor(() => expect(cut).toHaveBeenCalledOnce());
});

test("a reader that waits for data is not cut off", async () => {
  const { reader, write, cut } = bodyWith({ stalledMs: 20 });
  const next = reader.read();
  await new Promise((resolve) => setTimeout(resolve, 60));
  write(1);
  expect((await next).value).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(cut).not.toHaveBeenCalled();
});

test("a reader that goes away ends the source", async () => {
  const { reader, over, cancelled } = bodyWith();
  await reader.cancel();
  expect(over).toHaveBeenCalledOnce();
  expect(cancelled).toHaveBeenCalledOnce();
});
