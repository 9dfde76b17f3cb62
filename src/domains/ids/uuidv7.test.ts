import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { isUuid } from "../../kernel/index.ts";
import { uuidv7Maker } from "./uuidv7.ts";

const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
/** A realistic clock: it stops, runs and jumps, also back. */
const clock = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 ** 48 - 10_000 }), fc.integer({ min: 1, max: 20 })), {
  minLength: 1,
  maxLength: 20,
});

proves("K28", "ids strictly rise, also within one millisecond and when the clock jumps back", () => {
  fc.assert(
    fc.property(clock, fc.infiniteStream(bytes), (times, random) => {
      const ids = idsAt(times, () => random.next().value);
      expect(ids).toEqual([...new Set(ids)].toSorted());
    }),
  );
});

proves("K28", "an id has the form of RFC 9562 version 7 and contains its millisecond", () => {
  fc.assert(
    fc.property(clock, fc.infiniteStream(bytes), (times, random) => {
      const ids = idsAt(times, () => random.next().value);
      let newest = 0;
      let n = 0;
      for (const [nowMs, count] of times) {
        newest = Math.max(newest, nowMs);
        for (let made = 0; made < count; made += 1) {
          const id = ids[n] ?? "";
          n += 1;
          expect(isUuid(id)).toBe(true);
          expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(newest);
        }
      }
    }),
  );
});

proves("K28", "more ids than fit into a millisecond continue in the next one", () => {
  const make = uuidv7Maker({ nowMs: () => 1, random: () => new Uint8Array(10).fill(255) });
  const ids = Array.from({ length: 20_000 }, make);
  expect(ids).toEqual([...new Set(ids)].toSorted());
  expect(ids.every(isUuid)).toBe(true);
  const [first, second, last, next] = [ids[0], ids[1], ids[0xfff - 1023], ids[0xfff - 1023 + 1]];
  expect([first, second, last, next].map((id) => id?.slice(0, 18))).toEqual([
    "00000000-0001-73ff",
    "00000000-0001-7400",
    "00000000-0001-7fff",
    "00000000-0002-7000",
  ]);
});

proves("K28", "time, counter and random bits are where RFC 9562 puts them", () => {
  const random = Uint8Array.from([1, 2, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89]);
  expect(uuidv7Maker({ nowMs: () => 0x0123456789ab, random: () => random })()).toBe(
    "01234567-89ab-7006-abcd-ef0123456789",
  );
  expect(uuidv7Maker({ nowMs: () => 0, random: () => random })()).toBe("00000000-0000-7001-abcd-ef0123456789");
});

function idsAt(times: readonly (readonly [number, number])[], random: () => Uint8Array): readonly string[] {
  let now = 0;
  const make = uuidv7Maker({ nowMs: () => now, random });
  return times.flatMap(([nowMs, count]) => {
    now = nowMs;
    return Array.from({ length: count }, make);
  });
}
