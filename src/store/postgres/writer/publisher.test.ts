import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { RecordedEvent } from "../../port.ts";
import { createPublisher } from "./publisher.ts";

test("own events are published at once; events of other writers in between are read from the log", async () => {
  const { publisher, log, told } = world(0);
  log(1, 2);
  publisher.own([event(1), event(2)]);
  expect(told()).toEqual([1, 2]);
  log(3, 4, 5, 6);
  publisher.own([event(5)]);
  publisher.own([event(6)]);
  expect(told()).toEqual([1, 2]);
  await sleep(5);
  expect(told()).toEqual([1, 2, 3, 4, 5, 6]);
  log(7);
  publisher.heard(7);
  publisher.own([event(7)]);
  await sleep(5);
  expect(told()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  await publisher.close();
});

test("events that cannot be read now are published with the next news, and none twice", async () => {
  const { publisher, log, told, fail } = world(10);
  log(11, 12);
  fail(true);
  publisher.heard(12);
  await sleep(5);
  expect(told()).toEqual([]);
  fail(false);
  publisher.heard(11);
  await sleep(5);
  publisher.own([event(12)]);
  log(13);
  publisher.own([event(13)]);
  await sleep(5);
  expect(told()).toEqual([11, 12, 13]);
  await publisher.close();
  publisher.own([event(14)]);
  expect(told()).toEqual([11, 12, 13]);
});

function world(after: number) {
  const written: number[] = [];
  const heard: number[] = [];
  let isFailing = false;
  const publisher = createPublisher({
    after,
    read: async (from, limit) => {
      await sleep(1);
      if (isFailing) throw new Error("away");
      return written
        .filter((seq) => seq > from)
        .slice(0, limit)
        .map(event);
    },
    listeners: { tell: (events) => heard.push(...events.map(({ seq }) => seq)) },
  });
  return {
    publisher,
    log: (...seqs: readonly number[]) => written.push(...seqs),
    told: () => heard,
    fail: (given: boolean) => {
      isFailing = given;
    },
  };
}

function event(seq: number): RecordedEvent {
  const nothing = { id: "", stream: "", version: 1, type: "", at: "", actor: "", cause: null, hash: "", prev: "" };
  return { ...nothing, seq, data: null };
}
