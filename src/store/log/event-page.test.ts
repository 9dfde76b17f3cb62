import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { EventQuery, RecordedEvent } from "../port.ts";
import {
  fillPage,
  logRange,
  missingVersion,
  PAGE_BYTES_MAX,
  planPage,
  SCAN_MAX,
  turnSieve,
  typeBounds,
} from "./event-page.ts";

const STREAM = { no: 1, name: "session/a", last: 9 };

/** A row whose data is this long; every third event is of another turn. */
const rowAt = (position: number, size = 1) => ({
  seq: position + 100,
  version: position,
  data: new Uint8Array(size),
  turnId: position % 3 === 0 ? "other" : "turn",
});
const EMPTY = new Uint8Array(0);
type Row = ReturnType<typeof rowAt>;
const decode = ({ seq, version, turnId }: Row): RecordedEvent => ({
  ...{ seq, stream: STREAM.name, version, type: "x.note@1", id: "", at: "", actor: "", cause: null },
  ...{ data: { turnId }, hash: "", prev: "" },
});
/** The page of a stream of `last` events that are this large. */
function pageOf(last: number, query: EventQuery, { from = 1, size = 1, without = 0 } = {}) {
  const plan = planPage({ from, to: last, of: { ...STREAM, last } }, query);
  if (plan === null) return null;
  const rows = Array.from({ length: plan.part.to - plan.part.from + 1 }, (_, n) => rowAt(plan.part.from + n, size));
  const found = rows.filter(({ version }) => version !== without);
  const { events, next } = fillPage(plan, query, query.descending === true ? found.toReversed() : found, decode);
  return { versions: events.map(({ version }) => version), next };
}

proves("LOG-5", "the range of a query is after its cursor and before its end, within the log", () => {
  const range = (query: Omit<EventQuery, "limit">) => {
    const { from, to } = logRange(10, { limit: 1, ...query });
    return [from, to];
  };
  expect(range({})).toEqual([1, 10]);
  expect(range({ after: 3 })).toEqual([4, 10]);
  expect(range({ after: -5 })).toEqual([1, 10]);
  expect(range({ before: 5 })).toEqual([1, 4]);
  expect(range({ after: 2, before: 99 })).toEqual([3, 10]);
});

proves("LOG-5", "pages of any size, up or down, give every event once and in order", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      (last, limit, descending) => {
        const seen: number[] = [];
        let [from, to] = [1, last];
        for (let pages = 0; pages <= last + 1; pages += 1) {
          const page = pageOf(to, { limit, descending }, { from });
          if (page === null) break;
          seen.push(...page.versions);
          expect(page.versions.length).toBeLessThanOrEqual(limit);
          if (page.next === null) break;
          expect(page.next).toHaveProperty("seq");
          const position = "seq" in page.next ? page.next.seq - 100 : page.next.version;
          if (descending) to = position - 1;
          else from = position + 1;
        }
        const all = Array.from({ length: last }, (_, n) => n + 1);
        expect(seen).toEqual(descending ? all.toReversed() : all);
      },
    ),
  );
});

proves("LOG-5", "nothing to read is no page, and a page that reaches the end says so", () => {
  expect(pageOf(0, { limit: 5 })).toBeNull();
  expect(pageOf(3, { limit: 0 })).toBeNull();
  expect(pageOf(3, { limit: 5 }, { from: 4 })).toBeNull();
  expect(pageOf(3, { limit: 1 }, { from: 3 })).toEqual({ versions: [3], next: null });
  expect(pageOf(3, { limit: 3 })).toEqual({ versions: [1, 2, 3], next: null });
  expect(pageOf(3, { limit: 2 })).toEqual({ versions: [1, 2], next: { seq: 102 } });
  expect(pageOf(3, { limit: 2, descending: true })).toEqual({ versions: [3, 2], next: { seq: 102 } });
});

proves("LOG-5", "a page ends when it is large; a filtered one when it has scanned enough", () => {
  const half = PAGE_BYTES_MAX / 2;
  expect(pageOf(9, { limit: 9 }, { size: half })).toEqual({ versions: [1, 2], next: { seq: 102 } });
  expect(pageOf(9, { limit: 9 }, { size: half - 1 })).toEqual({ versions: [1, 2, 3], next: { seq: 103 } });
  expect(pageOf(2, { limit: 9 }, { size: half })).toEqual({ versions: [1, 2], next: null });
  const rare = pageOf(SCAN_MAX + 1, { limit: 9000, turnId: "nobody's" });
  expect(rare).toEqual({ versions: [], next: { of: { ...STREAM, last: SCAN_MAX + 1 }, version: SCAN_MAX } });
  expect(pageOf(SCAN_MAX, { limit: 9000, turnId: "nobody's" })).toEqual({ versions: [], next: null });
  expect(pageOf(7, { limit: 9, turnId: "other" })).toEqual({ versions: [3, 6], next: null });
  expect(pageOf(7, { limit: 1, turnId: "other" })).toEqual({ versions: [3], next: { seq: 103 } });
  const whole = planPage({ from: 1, to: SCAN_MAX + 1, of: null }, { limit: 1, types: ["x"] });
  expect(whole && fillPage(whole, { limit: 1, types: ["x"] }, [], decode)).toEqual({
    events: [],
    next: { seq: SCAN_MAX },
  });
});

proves("LOG-5", "a page reads no more than it may give; an erased event in it takes no space", () => {
  const plan = (query: EventQuery) => planPage({ from: 1, to: 9999, of: null }, query)?.part;
  expect(plan({ limit: 10 })).toEqual({ from: 1, to: 10, of: null });
  expect(plan({ limit: 10, descending: true })).toEqual({ from: 9990, to: 9999, of: null });
  expect(plan({ limit: 10, types: ["x"] })).toEqual({ from: 1, to: SCAN_MAX, of: null });
  expect(plan({ limit: 10, types: ["x"], descending: true })).toEqual({ from: 10_000 - SCAN_MAX, to: 9999, of: null });
  const two = planPage({ from: 1, to: 2, of: null }, { limit: 2 });
  const rows = [7, 3].map((version, at) => ({ seq: at + 1, version, data: null, turnId: "" }));
  const found =
    two && fillPage(two, { limit: 2 }, rows, (row) => ({ ...decode({ ...rowAt(1), ...row, data: EMPTY }) }));
  expect(found).toMatchObject({ events: [{ seq: 1 }, { seq: 2 }], next: null });
});

proves("LOG-5", "an event that is missing, at the beginning, between or at the end, is reported by its place", () => {
  for (const without of [1, 2, 3])
    for (const descending of [false, true])
      expect(() => pageOf(3, { limit: 9, descending }, { without })).toThrow(
        expect.objectContaining({
          code: "log_corrupt",
          details: { stream: STREAM.name, version: without, problem: "missing" },
        }),
      );
  // A filter leaves out events by itself.
  expect(pageOf(3, { limit: 9, types: ["x.note"] }, { without: 2 })).toEqual({ versions: [1, 3], next: null });
  const plan = planPage({ from: 1, to: 2, of: null }, { limit: 9 });
  const rows = [{ ...rowAt(2), seq: 2 }];
  expect(() => plan && fillPage(plan, { limit: 9 }, rows, decode)).toThrow(
    expect.objectContaining({ details: { seq: 1, problem: "missing" } }),
  );
  expect(missingVersion(STREAM).details).toEqual({ stream: STREAM.name, problem: "missing" });
});

proves("LOG-11", "a type without a version matches all its versions and no type that begins alike", () => {
  const matches = (wanted: string, type: string) => {
    const [from, to] = typeBounds(wanted);
    return type >= from && type < to;
  };
  expect(["turn.ended@1", "turn.ended@27"].map((type) => matches("turn.ended", type))).toEqual([true, true]);
  expect(["turn.ended", "turn.endedA@1", "turn.end@1"].map((type) => matches("turn.ended", type))).toEqual([
    ...[false, false, false],
  ]);
  expect(["turn.ended@1", "turn.ended@10", "turn.ended@2"].map((type) => matches("turn.ended@1", type))).toEqual([
    ...[true, false, false],
  ]);
  expect(Buffer.from(turnSieve('a"b')).toString()).toBe('"turnId":"a\\"b"');
});
