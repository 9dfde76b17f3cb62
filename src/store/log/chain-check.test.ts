import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { hashData, hashEvent, headerText, NO_PREV } from "../../domains/index.ts";
import { createChainCheck, createTailCheck, forkPointOf } from "./chain-check.ts";
import {
  bytes,
  columnsOf,
  decodeRow,
  type EventColumns,
  hexOf,
  idBytes,
  number,
  parseHeader,
  text,
  uuidOf,
} from "./encoding.ts";
import { sha256 } from "./sha256.ts";

type Stored = EventColumns & { readonly id: string };

const SALT = new Uint8Array(16).fill(7);
const FORKED = "session.forked@1";

/** An event as it is stored, linked to `prev`. */
function eventAt(
  version: number,
  prev: Uint8Array,
  more: { stream?: string; type?: string; seq?: number; data?: object } = {},
): Stored {
  const { stream = "session/a", type = "x.note@1", seq = version, data = { n: version } } = more;
  const id = `id-${stream}-${version}`;
  const said = Buffer.from(JSON.stringify(data));
  const dataHash = hashData(sha256, SALT, said);
  const header = headerText({ id, stream, version, type, at: "now", actor: "me", cause: null, dataHash });
  const place = { seq, stream, version, type, prev, id };
  return { ...place, header: Buffer.from(header), hash: hashEvent(sha256, prev, header), salt: SALT, data: said };
}

/** Three events of one stream. */
function chain(): [Stored, Stored, Stored] {
  const first = eventAt(1, NO_PREV);
  const second = eventAt(2, first.hash);
  return [first, second, eventAt(3, second.hash)];
}
const OTHER = new Uint8Array(32).fill(9);
const withHeader = (stored: Stored, header: string): Stored => ({
  ...stored,
  header: Buffer.from(header),
  hash: hashEvent(sha256, stored.prev, header),
});

/** What is wrong with the second event after this change of it. */
const CHANGES: readonly [problem: string, (stored: Stored) => Stored][] = [
  ["prev_mismatch", (stored) => ({ ...stored, prev: OTHER })],
  ["prev_mismatch", () => eventAt(2, OTHER)],
  ["hash_mismatch", (stored) => ({ ...stored, hash: OTHER })],
  ["hash_mismatch", (stored) => ({ ...stored, header: Buffer.from(stored.header).fill("y", 10, 11) })],
  ["header_unreadable", (stored) => withHeader(stored, "no header")],
  ["header_mismatch", (stored) => eventAt(3, stored.prev)],
  ["data_mismatch", (stored) => ({ ...stored, data: Buffer.from('{"n":3}') })],
  ["data_mismatch", (stored) => ({ ...stored, salt: OTHER.slice(0, 16) })],
  ["data_mismatch", (stored) => ({ ...stored, data: null })],
  ["data_mismatch", (stored) => ({ ...stored, salt: null })],
  ["type_mismatch", (stored) => ({ ...stored, type: "x.other@1" })],
];

proves(
  "LOG-5",
  "any change of an event, of its link or of its place is found by the whole check and by that of the end",
  () => {
    const [first, second, third] = chain();
    const whole = createChainCheck();
    const end = createTailCheck();
    for (const stored of [first, second, third])
      expect([whole.problemOf(stored, null), end(stored)]).toEqual([null, null]);
    for (const [problem, change] of CHANGES) {
      const [all, last] = [createChainCheck(), createTailCheck()];
      const changed = { ...change(second), seq: 2 };
      all.problemOf(first, null);
      last(first);
      expect([problem, all.problemOf(changed, null), last(changed)]).toEqual([problem, problem, problem]);
    }
    const ids = createChainCheck();
    expect(ids.problemOf({ ...first, id: "another" }, null)).toBe("id_mismatch");
    const erased = createChainCheck();
    expect(erased.problemOf({ ...first, data: null, salt: null }, null)).toBeNull();
  },
);

proves("LOG-5", "streams have chains of their own, and their first event continues nothing", () => {
  const check = createChainCheck();
  const [first, second] = chain();
  const other = eventAt(1, NO_PREV, { stream: "session/b" });
  for (const stored of [first, other, second]) expect(check.problemOf(stored, null)).toBeNull();
  expect(check.streams()).toBe(2);
  expect(createChainCheck().problemOf(second, null)).toBe("prev_mismatch");
  expect(createChainCheck().problemOf(eventAt(1, OTHER), OTHER)).toBe("prev_mismatch");
});

proves("LOG-5", "a fork continues the event that it names; with its data erased, its stored link counts", () => {
  const fork = eventAt(1, OTHER, { type: FORKED });
  expect(createChainCheck().problemOf(fork, OTHER)).toBeNull();
  expect(createChainCheck().problemOf(fork, null)).toBe("prev_mismatch");
  expect(createChainCheck().problemOf(fork, SALT)).toBe("prev_mismatch");
  expect(createChainCheck().problemOf({ ...fork, data: null, salt: null }, null)).toBeNull();
  const [first] = chain();
  const later = createChainCheck();
  later.problemOf(first, null);
  expect(later.problemOf(eventAt(2, OTHER, { type: FORKED }), OTHER)).toBe("prev_mismatch");

  const from = { stream: "session/p", version: 4 };
  const pointOf = (data: object, more: Partial<Stored> = {}) =>
    forkPointOf({ ...eventAt(1, OTHER, { type: FORKED, data }), ...more });
  expect(pointOf({ from })).toEqual(from);
  for (const odd of [{}, { from: 7 }, { from: { stream: 1, version: 4 } }, { from: { stream: "s", version: "4" } }])
    expect(pointOf(odd)).toBeNull();
  expect(pointOf({ from }, { version: 2 })).toBeNull();
  expect(pointOf({ from }, { type: "x.note@1" })).toBeNull();
  expect(pointOf({ from }, { data: null })).toBeNull();
  expect(pointOf({ from }, { data: Buffer.from("{") })).toBeNull();
});

proves("LOG-5", "the end of the log begins anywhere, but has no gap from there on", () => {
  const [, second, third] = chain();
  const end = createTailCheck();
  expect([end({ ...second, seq: 50 }), end({ ...third, seq: 51 })]).toEqual([null, null]);
  const gap = createTailCheck();
  expect([gap({ ...second, seq: 50 }), gap({ ...third, seq: 52 })]).toEqual([null, "gap"]);
  const back = createTailCheck();
  expect([back({ ...second, seq: 50 }), back({ ...third, seq: 50 })]).toEqual([null, "gap"]);
  const skipped = createTailCheck();
  const fourth = eventAt(4, second.hash);
  expect([skipped({ ...second, seq: 1 }), skipped({ ...fourth, seq: 2 })]).toEqual([null, "header_mismatch"]);
});

proves("LOG-5", "a row is read only when its hash, its columns and its data agree", () => {
  const [first] = chain();
  const { id, ...row } = first;
  expect(decodeRow(row)).toEqual({
    ...{ seq: 1, id, stream: "session/a", version: 1, type: "x.note@1", at: "now", actor: "me", cause: null },
    ...{ data: { n: 1 }, hash: hexOf(first.hash), prev: "00".repeat(32) },
  });
  expect(decodeRow({ ...row, data: null, salt: null }).data).toBeNull();
  for (const [problem, change] of [
    ["hash_mismatch", { hash: OTHER }],
    ["hash_mismatch", { prev: OTHER }],
    ["header_mismatch", { stream: "session/b" }],
    ["header_mismatch", { version: 2 }],
    ["header_mismatch", { type: "x.other@1" }],
    ["header_mismatch", withHeader(first, "{}")],
    ["data_mismatch", { data: Buffer.from("{}") }],
    ["data_mismatch", { data: null }],
    ["data_mismatch", { salt: null }],
    ["columns_unreadable", { seq: "1" }],
    ["columns_unreadable", { stream: null }],
    ["columns_unreadable", { version: null }],
    ["columns_unreadable", { type: 7 }],
    ["columns_unreadable", { prev: "x" }],
    ["columns_unreadable", { header: null }],
    ["columns_unreadable", { hash: null }],
    ["columns_unreadable", { salt: "x" }],
    ["columns_unreadable", { data: 1 }],
  ] as const)
    expect(() => decodeRow({ ...row, ...change })).toThrow(
      expect.objectContaining({ code: "log_corrupt", details: expect.objectContaining({ problem }) }),
    );
  expect(() => columnsOf({ ...row, hash: null })).toThrow(
    expect.objectContaining({ details: { stream: "session/a", version: 1, seq: 1, problem: "columns_unreadable" } }),
  );
  expect(() => columnsOf({})).toThrow(
    expect.objectContaining({ details: { stream: null, version: null, seq: null, problem: "columns_unreadable" } }),
  );
});

proves("LOG-5", "a header has all its members, each of its kind", () => {
  const [first] = chain();
  const header: Record<string, unknown> = JSON.parse(Buffer.from(first.header).toString());
  expect(parseHeader(JSON.stringify(header))).toEqual(header);
  expect(parseHeader(JSON.stringify({ ...header, cause: "call:x" }))).toMatchObject({ cause: "call:x" });
  for (const name of Object.keys(header)) {
    expect([name, parseHeader(JSON.stringify({ ...header, [name]: [] }))]).toEqual([name, null]);
    expect([name, parseHeader(JSON.stringify({ ...header, [name]: undefined }))]).toEqual([name, null]);
  }
  for (const odd of ["", "null", "7", '"text"']) expect(parseHeader(odd)).toBeNull();
  const uuid = "01a1df7a-0b4a-7205-9b16-22750182e72d";
  expect(uuidOf(idBytes(uuid))).toBe(uuid);
  expect([number(3), text("x"), bytes(SALT)]).toEqual([3, "x", SALT]);
});
