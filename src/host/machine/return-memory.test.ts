import { expect, test } from "vitest";
import { createVirtualClock } from "../../../test/sim/virtual-clock.ts";
import { returnMemoryWhenIdle } from "./return-memory.ts";

const MB = 1024 * 1024;

/** A process whose memory falls to `aliveMb` with each collection. */
function watched(aliveMb: number) {
  const at = { busy: 0, residentMb: aliveMb, collections: 0 };
  const clock = createVirtualClock();
  const stop = returnMemoryWhenIdle({
    clock,
    busyShare: () => at.busy,
    residentBytes: () => at.residentMb * MB,
    collect: () => {
      at.collections += 1;
      at.residentMb = aliveMb;
    },
  });
  return { at, stop, step: clock.step };
}

test("a daemon that idles after its start collects once, and again after it has grown", async () => {
  const { at, step } = watched(60);
  at.residentMb = 90;
  for (let looks = 0; looks < 5; looks += 1) await step();
  expect(at.collections).toBe(1);
  at.residentMb = 66;
  await step();
  expect(at.collections).toBe(1);
  at.residentMb = 80;
  await step();
  expect(at.collections).toBe(2);
});

test("a busy daemon is left alone until it idles", async () => {
  const { at, step } = watched(60);
  at.busy = 0.5;
  at.residentMb = 200;
  await step();
  expect(at.collections).toBe(0);
  at.busy = 0.01;
  await step();
  expect(at.collections).toBe(1);
});

test("memory that a collection cannot free is not collected again and again", async () => {
  const { at, step } = watched(300);
  for (let looks = 0; looks < 5; looks += 1) await step();
  expect(at.collections).toBe(1);
});

test("it ends with its owner", async () => {
  const { stop, step } = watched(60);
  stop();
  expect(await step()).toBe(false);
});
