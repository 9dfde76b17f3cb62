import { randomBytes } from "node:crypto";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  createRedactor,
  type Finding,
  findMarkers,
  type KnownValue,
  type LearningRedactor,
  type Marker,
  type RedactedStream,
  type Redactor,
  type Unread,
} from "../../src/redaction/index.ts";
import { proves } from "../support/proves.ts";
import { ENCODINGS } from "../support/secret-encodings.ts";
import { seededRandom } from "../support/storm-random.ts";

const KEY = new Uint8Array(32).fill(7);

describe("known values", () => {
  for (const [name, encode] of Object.entries(ENCODINGS))
    proves("RED-1", `a value written as ${name} is replaced, and nothing of it is left`, () => {
      const random = numbers(name.length);
      for (const value of values()) {
        const redactor = knowing(value);
        const written = encode(value, random);
        for (const [before, after] of SURROUNDINGS) {
          const out = redactor.text(`${before}${written}${after}`);
          expectHidden(out, value, written);
          expect(findMarkers(out).length, `${value} -> ${before}${written}${after} -> ${out}`).toBe(1);
        }
      }
    });

  proves("RED-2", "a value cut at any place between two chunks, in every encoding, is replaced", () => {
    const random = numbers(5);
    for (const value of values().slice(0, 5)) {
      const redactor = knowing(value, "another-value-0815");
      for (const [name, encode] of Object.entries(ENCODINGS)) {
        const text = `some text; ${encode(value, random)} and the rest`;
        const whole = redactor.text(text);
        for (let cut = 0; cut <= text.length; cut += 1) {
          const out = throughStream(redactor.stream(), [text.slice(0, cut), text.slice(cut)]);
          expect(out, `${name}, cut at ${cut}: ${text}`).toBe(whole);
        }
        expect(throughStream(redactor.stream(), text.split("")), `${name}, one by one: ${text}`).toBe(whole);
      }
    }
  });
});

describe("what a caller gets", () => {
  test("the same object when nothing is found", () => {
    const redactor: Redactor = knowing("hunter2-hunter2");
    const data = { a: ["b", { c: "nothing to see" }] };
    const bytes = Buffer.from("nothing to see");
    expect(redactor.data(data)).toBe(data);
    expect(redactor.bytes(bytes)).toBe(bytes);
  });

  test("values and names of members are replaced; two names that become one marker stay two", () => {
    const redactor = knowing("hunter2-hunter2");
    const marker = redactor.text("hunter2-hunter2");
    const data = { "hunter2-hunter2": [1, "x hunter2-hunter2"], aHVudGVyMi1odW50ZXIy: null };
    expect(redactor.data(data)).toEqual({ [marker]: [1, `x ${marker}`], [`${marker}#2`]: null });
  });

  test("a finding says kind, fingerprint and place; the same secret has one fingerprint in every encoding", () => {
    const redactor = knowing("hunter2-hunter2");
    const findings: readonly Finding[] = redactor.find("é hunter2-hunter2, aHVudGVyMi1odW50ZXIy");
    expect(findings.map(({ kind, at, length }) => ({ kind, at, length }))).toEqual([
      { kind: "vault", at: 2, length: 15 },
      { kind: "vault", at: 19, length: 20 },
    ]);
    expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(1);
    const markers: readonly Marker[] = findMarkers(redactor.text("hunter2-hunter2"));
    expect(markers).toEqual([{ kind: "vault", fingerprint: findings[0]?.fingerprint }]);
  });

  test.each<[string, Unread, Uint8Array]>([
    ["gzip", "gzip", gzipSync("hunter2-hunter2 ".repeat(99))],
    ["zstd", "zstd", zstdCompressSync("hunter2-hunter2 ".repeat(99))],
    ["zlib", "zlib", deflateSync("hunter2-hunter2 ".repeat(99))],
    ["UTF-16 with its mark", "utf-16", Buffer.from("\ufeffhunter2-hunter2", "utf16le")],
    ["UTF-16 without it", "utf-16", Buffer.from("hunter2-hunter2", "utf16le")],
    ["text", null, Buffer.from("plain text")],
    ["nothing", null, Buffer.alloc(0)],
  ])("%s: says what it could not read", (_name, unread, bytes) => {
    expect(knowing("hunter2-hunter2").look(bytes)).toEqual({ findings: [], unread });
  });

  test("a value that is too short or too long is refused", () => {
    for (const value of ["1234567", "x".repeat(65_537)]) expect(() => knowing(value)).toThrow(RangeError);
    expect(knowing("x".repeat(65_536)).text(`a${"x".repeat(65_536)}`)).toMatch(/^a?\[redacted:vault:[0-9a-f]{12}\]x?$/);
  });
});

const SURROUNDINGS = [
  ["", ""],
  ["token=", "&more=1"],
  ['{"a":"', '"}'],
  ["x".repeat(66_000), " y"],
  ["é — ", " 😀"],
] as const;

function values(): readonly string[] {
  return [
    "hunter2-hunter2",
    "p@$$w\"or'd&<>\\/%+ #1",
    "abcd efgh\nijkl mnop\n",
    "Ünïcödé-päßwörd-😀-key",
    "'quoted' \"twice\"",
    randomBytes(33).toString("base64"),
    `${randomBytes(600).toString("base64")}`,
    "12345678",
  ];
}

/** The same for each run. */
function numbers(seed: number): () => number {
  const { below } = seededRandom(seed);
  return () => below(1000) / 1000;
}

function knowing(...texts: readonly string[]): LearningRedactor {
  const redactor = createRedactor({ fingerprintKey: KEY });
  const values: readonly KnownValue[] = texts.map((value) => ({ value }));
  redactor.learn(values);
  return redactor;
}

function throughStream(stream: RedactedStream, chunks: readonly string[]): string {
  return chunks.map((chunk) => stream.push(chunk)).join("") + stream.end();
}

function expectHidden(out: string, value: string, written: string): void {
  expect(out).not.toContain(value);
  expect(out).not.toContain(written);
}
