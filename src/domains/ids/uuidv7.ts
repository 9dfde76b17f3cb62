import type { NewId } from "../../kernel/index.ts";

/** Makes ids that sort by creation. One maker per process keeps them strictly rising, also within a millisecond. */
interface IdSource {
  /** 10 random bytes per call. */
  readonly random: () => Uint8Array;
  readonly nowMs: () => number;
}

/** UUIDv7 (RFC 9562) with the 12-bit field as a counter; a clock that jumps back does not make ids go back. */
export function uuidv7Maker(source: IdSource): NewId {
  let lastMs = 0;
  let counter = 0;
  return () => {
    const nowMs = source.nowMs();
    const random = source.random();
    if (nowMs > lastMs) {
      lastMs = nowMs;
      counter = ((random[0] ?? 0) << 2) | ((random[1] ?? 0) & 3);
    } else if (counter === 0xfff) {
      lastMs += 1;
      counter = 0;
    } else counter += 1;
    return formatUuidv7(lastMs, counter, random.subarray(2));
  };
}

function formatUuidv7(ms: number, counter: number, random: Uint8Array): string {
  const time = ms.toString(16).padStart(12, "0");
  const tail = [...random.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = (8 | (Number.parseInt(tail.charAt(0), 16) & 3)).toString(16);
  return [
    time.slice(0, 8),
    time.slice(8),
    `7${counter.toString(16).padStart(3, "0")}`,
    `${variant}${tail.slice(1, 4)}`,
    tail.slice(4).padEnd(12, "0"),
  ].join("-");
}
