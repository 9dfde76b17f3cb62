import { describe, expect, test } from "vitest";
import { readFirstWords } from "./first-words.ts";

const HANDSHAKE = 0x16;
const CLIENT_HELLO = 1;
const HOST_NAME = 0;
const SERVER_NAME = 0;
const OTHER_EXTENSION = 0x2b;

const two = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const sized = (bytes: Buffer): Buffer => Buffer.concat([two(bytes.length), bytes]);
const record = (bytes: Buffer, type = HANDSHAKE, major = 3): Buffer =>
  Buffer.concat([Buffer.from([type, major, 1]), sized(bytes)]);
const extension = (type: number, bytes: Buffer): Buffer => Buffer.concat([two(type), sized(bytes)]);
const entry = (name: string, type = HOST_NAME): Buffer =>
  Buffer.concat([Buffer.from([type]), sized(Buffer.from(name))]);
const named = (...entries: Buffer[]): Buffer => extension(SERVER_NAME, sized(Buffer.concat(entries)));

/** The handshake message, with a session id, two ciphers and one compression method. */
function message(body: Buffer, type = CLIENT_HELLO): Buffer {
  const fixed = Buffer.concat([Buffer.alloc(34, 3), Buffer.from([32]), Buffer.alloc(32, 7)]);
  const whole = Buffer.concat([fixed, sized(Buffer.from([19, 1, 19, 2])), Buffer.from([1, 0]), body]);
  return Buffer.concat([Buffer.from([type, 0]), two(whole.length), whole]);
}
const hello = (...extensions: Buffer[]): Buffer => message(sized(Buffer.concat(extensions)));
const A = { is: "tls", name: "a.org" };
const UNCLEAR = { is: "unclear" };

describe("the name in a TLS hello", () => {
  test("is found among other extensions, and is null without one", () => {
    const other = extension(OTHER_EXTENSION, Buffer.from([2, 3, 4]));
    expect(readFirstWords(record(hello(named(entry("a.org")))))).toEqual(A);
    expect(readFirstWords(record(hello(other, named(entry("a.org")), other)))).toEqual(A);
    for (const none of [hello(), hello(other), message(Buffer.alloc(0))])
      expect(readFirstWords(record(none))).toEqual({ is: "tls", name: null });
  });

  test("is found in a hello that spans several records", () => {
    const whole = hello(named(entry("a.org")));
    for (const at of [1, 3, 40, whole.length - 1])
      expect(readFirstWords(Buffer.concat([record(whole.subarray(0, at)), record(whole.subarray(at))]))).toEqual(A);
  });

  test("is waited for until the hello is complete", () => {
    const whole = record(hello(named(entry("a.org"))));
    for (let bytes = 1; bytes < whole.length; bytes += 1)
      expect([bytes, readFirstWords(whole.subarray(0, bytes))]).toEqual([bytes, { is: "more needed" }]);
    const [first, second] = [whole.subarray(5, 30), whole.subarray(30)];
    expect(readFirstWords(record(first))).toEqual({ is: "more needed" });
    expect(readFirstWords(Buffer.concat([record(first), record(second)]))).toEqual(A);
  });
});

describe("a hello that a server may read differently is unclear", () => {
  const good = hello(named(entry("a.org")));
  const odd: Readonly<Record<string, Buffer>> = {
    "two names in one list": record(hello(named(entry("a.org"), entry("b.org")))),
    "two lists of names": record(hello(named(entry("a.org")), named(entry("b.org")))),
    "a name of another type": record(hello(named(entry("a.org", 1)))),
    "a list that says it is longer": record(hello(extension(SERVER_NAME, Buffer.concat([two(9), entry("a.org")])))),
    "a list that says it is shorter": record(hello(extension(SERVER_NAME, Buffer.concat([two(7), entry("a.org")])))),
    "a name shorter than its list": record(
      hello(extension(SERVER_NAME, sized(Buffer.concat([entry("a.org"), Buffer.from("x")])))),
    ),
    "an empty extension of the name": record(hello(extension(SERVER_NAME, Buffer.alloc(0)))),
    "bytes after the extensions": record(message(Buffer.concat([sized(named(entry("a.org"))), Buffer.from([0])]))),
    "an extension that ends after them": record(
      message(sized(Buffer.concat([named(entry("a.org")), two(OTHER_EXTENSION), two(9), Buffer.from([1])]))),
    ),
    "a length beyond the end": record(message(two(900))),
    "another handshake message": record(message(sized(named(entry("a.org"))), 2)),
    "a record of another type in between": Buffer.concat([record(good.subarray(0, 9)), record(good.subarray(9), 0x17)]),
    "a record of another version": record(good, HANDSHAKE, 2),
    "an empty record of another version": record(Buffer.alloc(0), HANDSHAKE, 4),
  };

  test.each(Object.entries(odd))("%s", (_name, bytes) => {
    expect(readFirstWords(bytes)).toEqual(UNCLEAR);
  });
});
