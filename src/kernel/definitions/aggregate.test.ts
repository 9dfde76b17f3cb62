import fc from "fast-check";
import { expect, test } from "vitest";
import { Errands, errandFact } from "../../../test/support/errands.ts";
import { anyFacts } from "../../../test/support/kernel-facts.ts";
import { instant, placed } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { defineAggregate, evolveBy, foldAll, idIn, streamOf } from "./aggregate.ts";
import type { AnyFact, Placed } from "./event.ts";
import type { RowChange } from "./list.ts";
import { placeInLane, QUEUED } from "./queue.ts";

const name = fc.constantFrom("a", "b", "constructor");
const errands: fc.Arbitrary<AnyFact | null> = fc.oneof(
  fc.record({ name, dueAt: fc.nat({ max: 3 }).map(instant) }).map((data) => errandFact("errand.planned@1", data)),
  fc.record({ name }).map((data) => errandFact("errand.dropped@1", data)),
  fc.record({ item: name, priority: fc.nat({ max: 9 }) }).map((data) => errandFact("errand.queued@1", data)),
  fc.record({ item: name }).map((data) => errandFact("errand.taken@1", data)),
  fc.record({ text: fc.string(), turnId: fc.constant(null) }).map((data) => errandFact("errand.noted@1", data)),
  anyFacts,
);
const histories = fc
  .array(errands, { maxLength: 60, size: "max" })
  .map((facts) => facts.map((fact, n) => placed(n + 1, fact)));

proves("K16", "rows, alarms and queues are the same however a history is split into appends", () => {
  fc.assert(
    fc.property(histories, fc.array(fc.nat({ max: 60 })), (events, cuts) => {
      expect(tableOf(events, cuts)).toEqual(tableOf(events, []));
    }),
    { numRuns: 500 },
  );
});

proves("K16", "the alarms and queues in the lists are exactly those of the state", () => {
  fc.assert(
    fc.property(histories, (events) => {
      const { state } = foldAll(Errands, "1", Errands.empty("1"), events);
      const rows = [...tableOf(events, [3, 7])].filter(([key]) => !key.startsWith("note "));
      expect(new Map(rows)).toEqual(
        new Map<string, object>([
          ...state.alarms.map((alarm) => [`alarm errand/1#${alarm.name}`, { stream: "errand/1", ...alarm }] as const),
          ...state.queue.map(
            (queued) => [`queued errand/1#${queued.item}`, { stream: "errand/1", ...queued }] as const,
          ),
        ]),
      );
    }),
  );
});

test("an alarm is set, moved and removed; an unchanged alarm is not written again", () => {
  const planned = (dueAt: string) => errandFact("errand.planned@1", { name: "wake", dueAt });
  const set = step(Errands.empty("1"), planned(instant(5)));
  expect(set.rows).toMatchObject([
    { list: { name: "alarm" }, id: "errand/1#wake", put: { stream: "errand/1", name: "wake", dueAt: instant(5) } },
  ]);
  expect(step(set.state, planned(instant(5))).rows).toEqual([]);
  const later = step(set.state, planned(instant(9)));
  expect(later.rows).toMatchObject([{ id: "errand/1#wake", put: { dueAt: instant(9) } }]);
  expect(step(later.state, errandFact("errand.dropped@1", { name: "wake" })).rows).toMatchObject([
    { list: { name: "alarm" }, id: "errand/1#wake", put: null },
  ]);
});

test("a queued item waits, runs and is removed", () => {
  const waits = step(Errands.empty("1"), errandFact("errand.queued@1", { item: "i", priority: 2 }));
  expect(waits.rows).toMatchObject([
    { list: { name: "queued" }, id: "errand/1#i", put: { at: "waiting", lane: "errands" } },
  ]);
  const runs = step(waits.state, errandFact("errand.taken@1", { item: "i" }));
  expect(runs.rows).toMatchObject([{ id: "errand/1#i", put: { at: "running" } }]);
  expect(step(runs.state, errandFact("errand.taken@1", { item: "i" })).rows).toMatchObject([
    { id: "errand/1#i", put: null },
  ]);
});

test("a lane is served by priority, then by order of arrival", () => {
  const places = [
    { priority: 9, order: "3" },
    { priority: 5, order: "1" },
    { priority: 5, order: "2" },
    { priority: 1, order: "0" },
    { priority: 0, order: "0" },
  ].map(placeInLane);
  expect(places.toSorted()).toEqual(places);
  expect(new Set(places).size).toBe(places.length);
  const row = { stream: "errand/1", item: "i", lane: "l", priority: 1, order: "7", heldBy: null };
  expect(QUEUED.keysOf({ ...row, at: "waiting" })).toEqual({ lane: "l", running: false, place: "8 7" });
  expect(QUEUED.keysOf({ ...row, at: "running" })).toEqual({ lane: "l", running: true, place: "8 7" });
  expect(placeInLane({ priority: 99, order: "a" })).toBe(placeInLane({ priority: 9, order: "a" }));
  expect(placeInLane({ priority: -1, order: "a" })).toBe(placeInLane({ priority: 0, order: "a" }));
});

proves("K14", "facts of other domains and custom facts do not reach a fold; they only raise the version", () => {
  fc.assert(
    fc.property(histories, (events) => {
      const { state } = foldAll(Errands, "1", Errands.empty("1"), events);
      const own = events.flatMap(({ fact }) => (fact?.type.startsWith("errand.") === true ? [fact.type] : []));
      const common = ["gate.denied@1", "data.erased@1", "call.made@1", "call.begun@1"];
      expect(state.seen.filter((type) => !common.includes(type))).toEqual(own);
      expect(state.version).toBe(events.length);
      expect(events.reduce((at, event) => evolveBy(Errands, at, event), Errands.empty("1"))).toEqual(state);
    }),
  );
});

test("an aggregate without alarms or lanes says so, so that its appends are not searched for any", () => {
  const plain = defineAggregate({
    kind: "plain",
    events: {},
    lists: [],
    empty: () => ({ version: 0 }),
    evolve: (_state, { version }) => ({ version }),
  });
  expect([Errands, plain].map(({ hasAlarms, hasQueued }) => [hasAlarms, hasQueued])).toEqual([
    [true, true],
    [false, false],
  ]);
  expect([plain.isSingle, plain.limits, plain.laneMax, plain.account({ version: 0 }, "7")]).toEqual([
    ...[false, {}, null, "7"],
  ]);
});

test("a stream is named by its aggregate and id, or by its aggregate alone where there is only one", () => {
  expect(streamOf(Errands, "a/b")).toBe("errand/a/b");
  expect(idIn(Errands, "errand/a/b")).toBe("a/b");
  for (const stream of ["errand", "errands/a", "other/a", ""]) expect(idIn(Errands, stream)).toBeNull();
  const single = { kind: "home", isSingle: true };
  expect(streamOf(single, "ignored")).toBe("home");
  expect(idIn(single, "home")).toBe("");
  expect(idIn(single, "home/1")).toBeNull();
});

function step(from: ReturnType<typeof Errands.empty>, fact: AnyFact) {
  return foldAll(Errands, "1", from, [placed(from.version + 1, fact)]);
}

/** The lists after appends that end at the given cuts. */
function tableOf(events: readonly Placed[], cuts: readonly number[]): ReadonlyMap<string, unknown> {
  const rows = new Map<string, unknown>();
  let state = Errands.empty("1");
  const ends = [...cuts.map((cut) => cut % (events.length + 1)).toSorted((a, b) => a - b), events.length];
  let start = 0;
  for (const end of ends) {
    const folded = foldAll(Errands, "1", state, events.slice(start, end));
    state = folded.state;
    for (const change of folded.rows) apply(rows, change);
    start = end;
  }
  return rows;
}

function apply(rows: Map<string, unknown>, { list, id, put }: RowChange): void {
  if (put === null) rows.delete(`${list.name} ${id}`);
  else rows.set(`${list.name} ${id}`, put);
}
