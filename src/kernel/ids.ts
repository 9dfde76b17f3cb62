/** Makes ids that sort by creation. One maker per process keeps them strictly rising, also within a millisecond. */
export interface IdSource {
  /** 10 random bytes per call. */
  readonly random: () => Uint8Array;
  readonly nowMs: () => number;
}

export type NewId = () => string;

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

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text);
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

/** A session's name: two words and two hex digits, from three random bytes. */
export function sessionName(random: Uint8Array): string {
  const pick = (words: readonly string[], at: number) => words[(random[at] ?? 0) % words.length] ?? "";
  return `${pick(FIRST_WORDS, 0)}-${pick(SECOND_WORDS, 1)}-${(random[2] ?? 0).toString(16).padStart(2, "0")}`;
}

const FIRST_WORDS = (
  "amber brave brisk calm clear civil cosy deft early eager fair firm fleet frank glad grand green happy hardy honest " +
  "jolly keen kind light lively lucid merry mild mighty neat noble patient plain prime proud quick quiet rapid ready " +
  "royal sharp silent sober solid steady stout sunny swift tidy true vivid warm wise witty young zesty bold bright crisp " +
  "gentle golden humble loyal"
).split(" ");
const SECOND_WORDS = (
  "acorn anchor aspen badger beacon birch bison brook canyon cedar cliff comet coral crane delta dune eagle ember falcon " +
  "fern finch fjord forest glade grove harbor hawk heron hill island ivy lake lark lemur lily lynx maple marsh meadow " +
  "mesa moose oak orchid osprey otter owl peak pebble pine plum pond poplar quartz raven reef ridge river robin sage " +
  "spruce summit tiger valley willow"
).split(" ");
