import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { event, newId, note, opened, SPEC } from "../../../test/support/store-home.ts";
import { type Folded, SALT_BYTES } from "../../domains/index.ts";
import { emptyView, fact, LIMITS, sessionStream } from "../../kernel/index.ts";
import { HOUSE } from "../definitions.ts";
import type { AppendPart, NewEvent } from "../port.ts";
import { hexOf, parseHeader } from "./encoding.ts";
import { blobsIn, createSalts, prepare, recorded } from "./prepare-append.ts";

const BLOB = "a".repeat(64);
const STREAM = sessionStream(newId());
const EVERY = LIMITS.snapshotEveryEvents;
const CALL = { keyHash: "aa", requestHash: "bb" };

/** Prepares events for the test's stream, as if it were at this version. */
function prepared(events: readonly NewEvent[], expectedVersion = 0, more: Partial<AppendPart> = {}) {
  const empty = HOUSE.empty(STREAM);
  const before: Folded = { ...empty, state: { ...empty.state, version: expectedVersion } };
  return prepare(HOUSE, { stream: STREAM, expectedVersion, events, ...more }, before, CALL, createSalts());
}

proves("LOG-10", "no two events have the same salt, so an erased one cannot be guessed from another", () => {
  const newSalt = createSalts();
  const salts = Array.from({ length: 1000 }, () => hexOf(newSalt()));
  expect(new Set(salts).size).toBe(1000);
  expect(new Set(salts.map((salt) => salt.length))).toEqual(new Set([2 * SALT_BYTES]));
  expect(hexOf(createSalts()())).not.toBe(salts[0]);
});

proves("LOG-7", "a blob is kept as long as any event names it, at any depth", () => {
  expect(blobsIn({ a: [{ blob: BLOB }, { b: { blob: BLOB } }], blob: "b".repeat(64) })).toEqual([BLOB, "b".repeat(64)]);
  expect(blobsIn({ blob: null, a: { blob: "short" }, b: { other: BLOB } })).toEqual([]);
});

proves("LOG-5", "events get the versions after the expected one, in what is written and in what is told", () => {
  const made = prepared([event(note(1)), event(note(2)), event(note(3))], 4);
  expect(made.write.events.map(({ header }) => parseHeader(header)?.version)).toEqual([5, 6, 7]);
  const places = [11, 12, 13].map((seq) => ({ seq, prev: "p", hash: "h" }));
  expect(recorded([made], places).map(({ seq, version }) => [seq, version])).toEqual([
    [11, 5],
    [12, 6],
    [13, 7],
  ]);
  expect(() => recorded([made], places.slice(1))).toThrow(expect.objectContaining({ code: "store_failed" }));
});

proves("LOG-8", "a fold snapshot is written when a stream passes a multiple of their distance, and only then", () => {
  const isDue = (after: number, count = 1) =>
    prepared(
      Array.from({ length: count }, () => event(note(1))),
      after,
    ).write.snapshot !== null;
  expect([isDue(0), isDue(EVERY - 2), isDue(EVERY - 1), isDue(EVERY), isDue(2 * EVERY - 1)]).toEqual([
    ...[false, false, true, false, true],
  ]);
  expect([isDue(EVERY - 2, 3), isDue(1, 2)]).toEqual([true, false]);
  const { write, after } = prepared([event(note(1))], EVERY - 1);
  expect(JSON.parse(write.snapshot ?? "")).toEqual(JSON.parse(JSON.stringify(after)));
});

proves("LOG-4", "events carry the call that asked for them, unless they have a cause of their own", () => {
  const made = prepared([event(note(1)), event(note(2), { cause: "own" })]);
  const causes = ["call:aa:bb", "own"];
  expect(made.write.events.map(({ header }) => parseHeader(header)?.cause)).toEqual(causes);
  const places = causes.map((_, at) => ({ seq: at + 1, prev: "", hash: "" }));
  expect(recorded([made], places).map(({ cause }) => cause)).toEqual(causes);
});

proves("LOG-20", "an event of exactly the maximum size is prepared, one byte more is refused", () => {
  const frame = JSON.stringify(note("").data).length;
  const sized = (bytes: number) => prepared([event(note("x".repeat(bytes - frame)))]);
  expect(sized(LIMITS.eventDataBytes).write.events[0]?.data.length).toBe(LIMITS.eventDataBytes);
  expect(() => sized(LIMITS.eventDataBytes + 1)).toThrow(expect.objectContaining({ code: "payload_too_large" }));
});

proves(
  "LOG-1",
  "no events, an id that is none and a type that nobody knows are refused before anything is written",
  () => {
    expect(() => prepared([])).toThrow(expect.objectContaining({ code: "event_not_found" }));
    expect(() => prepared([{ ...event(note(1)), id: "7" }])).toThrow(TypeError);
    expect(() => prepared([event({ type: "session.unheard@1", data: {} })])).toThrow(TypeError);
  },
);

proves("LOG-19", "a fork continues exactly the event that it names; nothing else continues one", () => {
  const parent = sessionStream(newId());
  const from = { sessionId: parent.slice(8), stream: parent, version: 3, eventId: newId() };
  const forked = event(
    fact("session.forked@1", { spec: SPEC, label: null, from, root: parent.slice(8), view: emptyView(STREAM) }),
  );
  const continues = { stream: parent, version: 3 };
  expect(prepared([forked], 0, { continues }).write.continues).toEqual(continues);
  const refused: readonly (readonly [NewEvent, number, Partial<AppendPart>])[] = [
    [forked, 0, {}],
    [forked, 0, { continues: { ...continues, version: 2 } }],
    [forked, 0, { continues: { ...continues, stream: STREAM } }],
    [forked, 1, { continues }],
    [event(opened()), 0, { continues }],
    [event(note(1)), 3, { continues }],
  ];
  for (const [one, version, more] of refused) expect(() => prepared([one], version, more)).toThrow();
});
