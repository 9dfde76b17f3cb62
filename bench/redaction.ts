import { createRedactor } from "../src/redaction/index.ts";
import { type Benchmark, interleave, median, seededRandom, timedMs } from "./harness.ts";
import { readSources } from "./redaction-text.ts";

const VALUES = 500;
const MANY_VALUES = 10_000;
const TEXT_BYTES = 16 * 1024 * 1024;
const EVENT_CHARS = 200;
/** The aim is a ratio of speeds, so the times are the other way round: a quarter of the speed is four times as long. */
const RATIO_MAX = 4;

/** Looking for 500 values in all encodings and for every shape, against looking for one needle in the same bytes. */
export const redactionBenchmark: Benchmark = {
  name: "redaction",
  run: async ({ quick }) => {
    const text = readSources(quick ? TEXT_BYTES / 8 : TEXT_BYTES);
    const bytes = Buffer.from(text, "latin1");
    const random = seededRandom(17);
    const values = Array.from({ length: VALUES }, (_, index) => makeValue(random, 16 + (index % 40)));
    const redactor = createRedactor({ fingerprintKey: new Uint8Array(32) });
    redactor.learn(values.map((value) => ({ value })));
    const needles = values.filter((_, index) => index % 50 === 0);
    const events = Array.from({ length: 2000 }, (_, index) => text.slice(index * 997, index * 997 + EVENT_CHARS));
    const many = Array.from({ length: quick ? 1000 : MANY_VALUES }, () => ({ value: makeValue(random, 32) }));
    const samples = await interleave(quick ? 5 : 25, {
      text: () => timedMs(async () => redactor.text(text)),
      bytes: () => timedMs(async () => redactor.bytes(bytes)),
      needle: () => timedMs(async () => needles.map((needle) => bytes.indexOf(needle))),
      events: () => timedMs(async () => events.map((event) => redactor.text(event))),
      needles: () => timedMs(async () => events.map((event) => event.indexOf("Zq7XkP0vT2mN"))),
      learn: () => timedMs(async () => createRedactor({ fingerprintKey: new Uint8Array(32) }).learn(many)),
      empty: () => timedMs(async () => createRedactor({ fingerprintKey: new Uint8Array(32) })),
    });
    const ofOne = { what: "Buffer.indexOf, one needle", value: median(samples.needle) / needles.length };
    const details = { values: VALUES, bytes: bytes.length };
    const aim = { ratioAtMost: RATIO_MAX };
    const each = (times: readonly number[]) => (median(times) * 1000) / events.length;
    return [
      {
        name: "redaction.text",
        what: `${VALUES} values and all shapes in a text`,
        unit: "ms",
        value: median(samples.text),
        baseline: ofOne,
        aim,
        details,
      },
      {
        name: "redaction.bytes",
        what: `${VALUES} values in bytes`,
        unit: "ms",
        value: median(samples.bytes),
        baseline: ofOne,
        aim,
        details,
      },
      {
        name: "redaction.event",
        what: `a string of ${EVENT_CHARS} characters`,
        unit: "us",
        value: each(samples.events),
        baseline: { what: "indexOf, one needle", value: each(samples.needles) },
        aim: { valueAtMost: 0.5 },
        details: { strings: events.length },
      },
      {
        name: "redaction.learn",
        what: `a new redactor learns ${many.length} values`,
        unit: "ms",
        value: median(samples.learn),
        baseline: { what: "a new redactor", value: median(samples.empty) },
        aim: { valueAtMost: 500 },
        details: { values: many.length },
      },
    ];
  },
};

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function makeValue(random: () => number, length: number): string {
  return Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join("");
}
