import { describe, expect, test } from "vitest";
import { proves } from "../../test/support/proves.ts";
import { sampled } from "../../test/support/sampled.ts";
import { ENCODINGS } from "../../test/support/secret-encodings.ts";
import { type Random, seededRandom } from "../../test/support/storm-random.ts";
import { createRedactor, findMarkers } from "./index.ts";

const KEY = new Uint8Array(32).fill(3);

describe("looking for a text that survives", () => {
  proves("RED-2", "random values in random encodings within random text and random chunks: none survives", () => {
    let redactor = createRedactor({ fingerprintKey: KEY });
    for (let seed = 1; seed <= sampled(200_000, 600); seed += 1) {
      const random = seededRandom(seed);
      const value = makeValue(random);
      const [name, encode] = random.pick(Object.entries(ENCODINGS)) ?? ["plain", (text: string) => text];
      const written = encode(value, () => random.below(1000) / 1000);
      const text = `${makeText(random)} ${written} ${makeText(random)}`;
      if (seed % 50 === 0) redactor = createRedactor({ fingerprintKey: KEY });
      redactor.learn([{ value }, { value: makeValue(random) }]);
      const whole = redactor.text(text);
      const clue = `seed ${seed}, ${name}: ${JSON.stringify(value)} in ${JSON.stringify(text)} gives ${JSON.stringify(whole)}`;
      expect(findMarkers(whole).length, clue).toBeGreaterThan(0);
      expect(whole.includes(value) || whole.includes(written), clue).toBe(false);
      const stream = redactor.stream();
      let out = "";
      for (let at = 0; at < text.length; ) {
        const size = 1 + random.below(random.chance(0.5) ? 3 : 40);
        out += stream.push(text.slice(at, at + size));
        at += size;
      }
      expect(out + stream.end(), clue).toBe(whole);
      expect(redactor.text(whole), clue).toBe(whole);
      expect(Buffer.from(redactor.bytes(Buffer.from(text))).includes(written), clue).toBe(false);
    }
  });

  test("a stream lets text go that cannot be the beginning of a secret", () => {
    const redactor = createRedactor({ fingerprintKey: KEY });
    redactor.learn([{ value: "correct horse battery" }]);
    const stream = redactor.stream();
    expect(stream.push("no secret here. ")).toBe("no secret here. ");
    expect(stream.push("it is correct hors")).toBe("it is ");
    expect(stream.push("es that count")).toBe("correct horses that count");
  });
});

describe("markers", () => {
  proves("RED-5", "what is hidden stays as it is when it is looked at again", () => {
    const redactor = createRedactor({ fingerprintKey: KEY });
    redactor.learn(
      ["redacted", "redacted:vault", "[redacted", "github-token", "a-vault-value"].map((value) => ({ value })),
    );
    for (const text of ["x a-vault-value y", "github-token", "[redacted:vault:0123456789ab]"]) {
      const once = redactor.text(text);
      expect(redactor.text(once)).toBe(once);
      const stream = redactor.stream();
      expect([...once].map((one) => stream.push(one)).join("") + stream.end()).toBe(once);
    }
  });

  proves("RED-5", "a secret in the form of a marker is replaced", () => {
    const redactor = createRedactor({ fingerprintKey: KEY });
    redactor.learn([{ value: "my-secret-value" }, { value: "0123456789ab" }]);
    for (const text of ["[redacted:my-secret-value:0123456789cd]", "[redacted:vault:0123456789ab]"]) {
      const out = redactor.text(text);
      expect(out).not.toContain("my-secret-value");
      expect(out).not.toContain("0123456789ab");
    }
  });
});

describe("time", () => {
  proves("RED-6", "the worst texts take no longer than a multiple of their length", () => {
    const redactor = createRedactor({ fingerprintKey: KEY });
    const values = [
      "a".repeat(65_536),
      "ab".repeat(5000),
      "x%41".repeat(900),
      `${"k".repeat(300)}end`,
      "\\\\n\\\\u0041-value",
    ];
    redactor.learn(values.map((value) => ({ value })));
    for (const unit of WORST) {
      const text = unit.repeat(Math.ceil(TEXT_CHARS / unit.length));
      const before = process.cpuUsage();
      redactor.text(text);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000, `ms for ${JSON.stringify(unit.slice(0, 40))}`).toBeLessThan(TEXT_MAX_MS);
    }
  });
});

/** Linear, this takes milliseconds; what compares from each place again takes minutes. */
const TEXT_CHARS = 262_144;
const TEXT_MAX_MS = 3000;

/** What makes a careless matcher slow. */
const WORST = [
  "a",
  "ab",
  "\\",
  "%25",
  "%",
  "&amp;",
  "\\u0061",
  "'",
  `'"'"'`,
  "eyJ-",
  "eyJ.",
  "-----BEGIN RSA PRIVATE KEY-----",
  "sk-",
  "https://a:",
  "postgres://a:b",
  "[redacted:vault:",
  "[redacted:vault:0123456789ab]",
  "Bearer ",
  "api_token=",
  "xoxb-1-",
  `${"k".repeat(299)} `,
  `${"a".repeat(250)}b`,
  "YWFh",
  "6161",
  "61:61:",
  "\n",
  "é",
  "\u{1f600}",
  `a${" ".repeat(300)}`,
];

const ALPHABETS = [
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  "0123456789",
  "abc-_.~+/=",
  " !\"#$'()*,:;<>?@[]^`{|}éß漢😀",
];

/** No `%`, `\` and `&`: a value that looks escaped itself is compared as far as its escapes can be told from the text's. */
function makeValue(random: Random): string {
  const length = 8 + random.below(random.chance(0.1) ? 300 : 40);
  const letters = Array.from({ length }, () => [...(random.pick(ALPHABETS.slice(0, 1 + random.below(4))) ?? "a")]);
  const value = letters
    .map((some) => random.pick(some))
    .join("")
    .trim();
  return value.length >= 12 ? value : `${value}-secret-value`;
}

const WORDS = [
  "the",
  "session",
  "wrote",
  "a\nfile",
  '{"key":',
  "\\n",
  "%20",
  "&quot;",
  "'",
  '"',
  "é",
  "C:\\dir",
  "100%",
  "=",
  "0x41",
  "[redacted:",
];

function makeText(random: Random): string {
  return Array.from({ length: random.below(12) }, () => random.pick(WORDS)).join(random.chance(0.5) ? " " : "");
}
