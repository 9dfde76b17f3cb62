import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  type Header,
  hashData,
  hashEvent,
  headerText,
  hex,
  NO_PREV,
  SALT_BYTES,
  verifyLink,
} from "../src/domains/index.ts";
import { canonicalJson, isUuid } from "../src/kernel/index.ts";
import { HOUSE } from "../src/store/definitions.ts";
import { sha256 } from "./support/node-sha256.ts";
import { proves } from "./support/proves.ts";
import { type EventVector, type LogVectors, logVectors } from "./vectors/log-format.ts";

const DOC = readFileSync(join(import.meta.dirname, "../docs/reference/log-format.md"), "utf8");
const FILE = readFileSync(join(import.meta.dirname, "vectors/log-format.json"), "utf8");
const VECTORS: LogVectors = JSON.parse(FILE);

proves("K32", "the vectors equal an independent computation", () => {
  expect(VECTORS).toEqual(logVectors());
});

proves("K32", "the vectors printed on the page equal those in the file", () => {
  expect(DOC.match(/```json\n(.*?)```/s)?.[1]).toBe(FILE);
});

proves("K32", "the kernel writes every vector exactly: header, data hash, hash", () => {
  for (const { header, prev, hash, salt, data } of VECTORS.events) {
    const parsed = parsedHeader(header);
    expect(headerText(parsed)).toBe(header);
    expect(hashData(sha256, bytesOf(salt, "hex"), bytesOf(data, "base64"))).toBe(parsed.dataHash);
    expect(hex(hashEvent(sha256, Buffer.from(prev, "hex"), header))).toBe(hash);
  }
});

proves("K32", "the kernel verifies the vectors as chains, including the fork and the erased one", () => {
  const heads = new Map<string, EventVector>();
  for (const vector of [...VECTORS.events, VECTORS.erased]) {
    const header = parsedHeader(vector.header);
    const before = vector === VECTORS.erased ? eventOf("second event of a stream") : heads.get(header.stream);
    const isFork = header.type === "session.forked@1";
    const prev = isFork
      ? bytesOf(eventOf("second event of a stream").hash, "hex")
      : before
        ? bytesOf(before.hash, "hex")
        : NO_PREV;
    const version = before === undefined ? 1 : parsedHeader(before.header).version + 1;
    expect(verifyLink(sha256, { prev, stream: header.stream, version }, storedOf(vector), header)).toBeNull();
    heads.set(header.stream, vector);
  }
});

proves("K32", "erasure keeps header, hash, prev and leaf, and the log names what was erased", () => {
  const admitted = eventOf("turn admitted");
  expect(VECTORS.erased).toEqual({ ...admitted, name: VECTORS.erased.name, salt: null, data: null });
  const told: unknown = JSON.parse(Buffer.from(eventOf("data erased").data ?? "", "base64").toString("utf8"));
  expect(told).toMatchObject({ events: [parsedHeader(admitted.header).id] });
});

proves("K32", "a header has the eight members in sorted order, in the forms that the page describes", () => {
  for (const { header, salt } of VECTORS.events) {
    const members: { readonly [key: string]: unknown } = JSON.parse(header);
    expect(Object.keys(members)).toEqual(["actor", "at", "cause", "dataHash", "id", "stream", "type", "version"]);
    const { at, cause, dataHash, id, stream } = parsedHeader(header);
    expect(new Date(at).toISOString()).toBe(at);
    expect(isUuid(id)).toBe(true);
    expect(dataHash).toMatch(/^[0-9a-f]{64}$/);
    expect(cause === null || isUuid(cause) || /^call:[0-9a-f]{64}:[0-9a-f]{64}$/.test(cause)).toBe(true);
    expect(() => HOUSE.empty(stream)).not.toThrow();
    expect(salt).toHaveLength(2 * SALT_BYTES);
  }
});

proves("K32", "a call is linked by the hashes of its key and of its request", () => {
  const { principal, key, request, cause } = VECTORS.call;
  expect(cause).toBe(`call:${hex(sha256(`${principal}\u0000${key}`))}:${hex(sha256(request))}`);
  expect(canonicalJson(JSON.parse(request))).toBe(request);
  expect(parsedHeader(eventOf("turn admitted").header).cause).toBe(cause);
});

proves("K32", "leaves and roots follow RFC 6962", () => {
  const leaves = VECTORS.events.map(({ hash }) => sha256(Uint8Array.of(0), bytesOf(hash, "hex")));
  expect(VECTORS.events.map(({ leaf }) => leaf)).toEqual(leaves.map(hex));
  const node = (a: Uint8Array | undefined, b: Uint8Array | undefined) =>
    sha256(Uint8Array.of(1), a ?? NO_PREV, b ?? NO_PREV);
  const [a, b, c, d, e] = leaves;
  expect(VECTORS.roots.slice(0, 5)).toEqual(
    [
      a ?? NO_PREV,
      node(a, b),
      node(node(a, b), c),
      node(node(a, b), node(c, d)),
      node(node(node(a, b), node(c, d)), e),
    ].map(hex),
  );
  expect(VECTORS.roots).toHaveLength(VECTORS.events.length);
});

proves("K33", "the pages list exactly the existing facts", () => {
  const typesIn = (page: string) => [...page.matchAll(/"?`?\b([a-z]+\.[a-z_]+@\d+)[`"]/g)].map(([, type]) => type);
  const events = readFileSync(join(import.meta.dirname, "../docs/reference/events.md"), "utf8");
  expect([...new Set(typesIn(events))].toSorted()).toEqual([...HOUSE.types].toSorted());
  expect(typesIn(DOC).filter((type) => !HOUSE.types.includes(type ?? ""))).toEqual([]);
});

function eventOf(name: string): EventVector {
  return VECTORS.events.find((event) => event.name === name) ?? expect.fail(`no vector ${name}`);
}

function parsedHeader(text: string): Header {
  return JSON.parse(text);
}

function storedOf({ prev, header, hash, salt, data }: EventVector) {
  return {
    prev: bytesOf(prev, "hex"),
    header,
    hash: bytesOf(hash, "hex"),
    salt: salt === null ? null : bytesOf(salt, "hex"),
    data: data === null ? null : bytesOf(data, "base64"),
  };
}

function bytesOf(text: string | null, encoding: "hex" | "base64"): Uint8Array {
  return Buffer.from(text ?? "", encoding);
}
