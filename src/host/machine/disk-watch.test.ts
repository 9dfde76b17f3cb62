import { expect } from "vitest";
import { createVirtualClock } from "../../../test/sim/virtual-clock.ts";
import { proves } from "../../../test/support/proves.ts";
import { type DiskState, spaceAt, watchDisk } from "./disk-watch.ts";

const GB = 1_000_000_000;

proves("Q6", "low, scarce and enough follow the free space without flapping", async () => {
  const clock = createVirtualClock();
  let freeBytes = 10 * GB;
  let readable = true;
  const changes: DiskState["level"][] = [];
  const watch = await watchDisk({
    read: async () => {
      if (!readable) throw new Error("no such disk");
      return { freeBytes, totalBytes: 20 * GB };
    },
    clock,
    limitBytes: () => GB,
    onChange: ({ level }) => changes.push(level),
  });
  expect(watch.state()).toEqual({ freeBytes: 10 * GB, totalBytes: 20 * GB, level: "enough" });
  for (const [free, level] of [
    [0.9 * GB, "low"],
    [0.2 * GB, "scarce"],
    [0.5 * GB, "low"],
    [1.01 * GB, "low"],
    [1.1 * GB, "enough"],
    [1.01 * GB, "enough"],
  ] as const) {
    freeBytes = free;
    expect(await watch.look()).toMatchObject({ level });
  }
  expect(changes).toEqual(["low", "scarce", "low", "enough"]);
  readable = false;
  expect(await watch.look()).toMatchObject({ level: "enough", freeBytes: 1.01 * GB });
  watch.stop();
});

proves("Q6", "the free space is that of the file system that holds the home", async () => {
  const { freeBytes, totalBytes } = await spaceAt(import.meta.dirname)();
  expect(freeBytes).toBeGreaterThan(0);
  expect(totalBytes).toBeGreaterThan(freeBytes);
});
