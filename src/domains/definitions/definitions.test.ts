import { expect, test } from "vitest";
import { ERRAND_EVENTS, Errands, errandFact, NOTES } from "../../../test/support/errands.ts";
import { placed } from "../../../test/support/kernel-model.ts";
import {
  ALARMS,
  defineAggregate,
  defineList,
  eraseData,
  event,
  QUEUED,
  Session,
  together,
} from "../../kernel/index.ts";
import { createDefinitions } from "./definitions.ts";

const Home = defineAggregate({
  kind: "home",
  isSingle: true,
  events: { "home.built@1": event<{ readonly rooms: number }>() },
  lists: [],
  empty: () => ({ version: 0 }),
  evolve: (_state, { version }) => ({ version }),
});
const defined = createDefinitions([Session, Errands, Home]);

test("a stream's aggregate is found by its name; an undefined one has no fold", () => {
  expect(defined.kindOf("errand/7")).toEqual({ of: Errands, id: "7" });
  expect(defined.kindOf("session/a/b")).toEqual({ of: Session, id: "a/b" });
  expect(defined.kindOf("home")).toEqual({ of: Home, id: "" });
  for (const stream of ["", "home/1", "homes", "errand", "unheard/1", "constructor/1", "toString"]) {
    expect(defined.kindOf(stream)).toBeNull();
    expect(() => defined.empty(stream)).toThrow("no fold");
    expect(() => defined.foldAll(stream, { kind: "errand", state: { version: 0 } }, [])).toThrow("no fold");
  }
});

test("folding by stream name equals the fold of its aggregate, and names the aggregate", () => {
  const events = [placed(1, errandFact("errand.planned@1", { name: "a", dueAt: "2026" }))];
  const { folded, rows } = defined.foldAll("errand/7", defined.empty("errand/7"), events);
  expect(folded).toMatchObject({ kind: "errand", state: { version: 1, alarms: [{ name: "a" }] } });
  expect(rows).toMatchObject([{ list: ALARMS, id: "errand/7#a" }]);
  expect(events.reduce((at, one) => defined.evolve("errand/7", at, one), defined.empty("errand/7"))).toEqual(folded);
});

test("two definitions that claim one aggregate, event or table are refused; the same definition twice is accepted", () => {
  const other = { kind: "other", lists: [], empty: () => ({ version: 0 }), evolve: () => ({ version: 0 }) };
  const noted = (definition: (typeof ERRAND_EVENTS)["errand.noted@1"]) =>
    defineAggregate({ ...other, events: { "errand.noted@1": definition } });
  expect(() => createDefinitions([Errands, noted(ERRAND_EVENTS["errand.noted@1"])])).not.toThrow();
  expect(() => createDefinitions([Errands, noted({ ...ERRAND_EVENTS["errand.noted@1"] })])).toThrow(
    "errand.noted@1 is defined twice",
  );
  expect(() => createDefinitions([Errands, defineAggregate({ ...other, kind: "errand", events: {} })])).toThrow(
    "errand is defined twice",
  );
  const notes = defineList<object>()({ name: "another", table: "notes" });
  expect(() => createDefinitions([Errands, defineAggregate({ ...other, events: {}, lists: [notes] })])).toThrow(
    "notes is defined twice",
  );
  const alarms = defineList<object>()({ name: "another", table: "alarms" });
  expect(() => createDefinitions([defineAggregate({ ...other, events: {}, lists: [alarms] })])).toThrow("alarms");
});

test("types, lists, search words and output lines follow from the aggregates", () => {
  expect(defined.types).toEqual(
    expect.arrayContaining([...Object.keys(ERRAND_EVENTS), "home.built@1", "turn.ended@1"]),
  );
  expect(defined.types).toHaveLength(new Set(defined.types).size);
  expect(defined.lists).toEqual([...Session.lists, NOTES, ALARMS, QUEUED]);
  const note = errandFact("errand.noted@1", { text: "milk", turnId: null });
  const built = { type: "home.built@1", data: { rooms: 3 } };
  expect([defined.wordsOf(note), defined.wordsOf(built)]).toEqual(["milk", null]);
  expect([defined.linesOf(note), defined.linesOf(built)]).toEqual([[{ line: "milk", stream: "stdout" }], []]);
  expect([defined.searched, defined.shown].map((types) => types.includes("errand.noted@1"))).toEqual([true, true]);
  expect([...defined.searched, ...defined.shown]).not.toContain("home.built@1");
});

test("an event of an unknown type is read as null; a custom fact as it is", () => {
  expect(defined.recall("home.built@1", { rooms: 3 })).toEqual({ type: "home.built@1", data: { rooms: 3 } });
  expect(defined.recall("x.note@1", { turnId: null, payload: 1 })).toMatchObject({ type: "x.note@1" });
  for (const type of ["home.built@2", "constructor", "__proto__", ""]) expect(defined.recall(type, {})).toBeNull();
});

test("an append of several facts has the strictest space need; outside a turn `course` counts as `start`", () => {
  const planned = errandFact("errand.planned@1", { name: "a", dueAt: "" });
  const dropped = errandFact("errand.dropped@1", { name: "a" });
  const taken = errandFact("errand.taken@1", { item: "a" });
  const note = errandFact("errand.noted@1", { text: "", turnId: "t" });
  const custom = (turnId: string | null) => ({ type: "x.note@1", data: { turnId, payload: null } });
  expect(defined.spaceNeedOf([])).toBe("end");
  expect(defined.spaceNeedOf([dropped])).toBe("end");
  expect(defined.spaceNeedOf([dropped, note])).toBe("output");
  expect(defined.spaceNeedOf([note, taken, dropped])).toBe("course");
  expect(defined.spaceNeedOf([dropped, note, taken, planned])).toBe("start");
  expect(defined.spaceNeedOf([errandFact("errand.noted@1", { text: "", turnId: null })])).toBe("output");
  expect(defined.spaceNeedOf([custom("t")])).toBe("course");
  expect(defined.spaceNeedOf([custom(null)])).toBe("start");
});

test("only what was said and done is erased, and only when the aggregate permits it", () => {
  expect([...["errand.noted@1", "x.note@1"].map(defined.isErasable)]).toEqual([true, true]);
  expect(["errand.planned@1", "unknown@1", "constructor"].map(defined.isErasable)).toEqual([false, false, false]);
  const state = Errands.empty("1");
  const targets = [
    { id: "1", type: "errand.noted@1" },
    { id: "2", type: "x.note@1" },
    { id: "3", type: "gate.denied@1" },
  ];
  expect(eraseData(Errands, state, targets, "asked for")).toEqual([
    { type: "data.erased@1", data: { events: ["1", "2", "3"], reason: "asked for" } },
  ]);
  for (const type of ["errand.planned@1", "message.completed@1", "constructor"])
    expect(eraseData(Errands, state, [...targets, { id: "4", type }], "")).toEqual({
      refused: "not_erasable",
      details: { id: "4", type },
    });
  const running = { item: "i", lane: "l", priority: 0, order: "", at: "running", heldBy: null } as const;
  expect(eraseData(Errands, { ...state, queue: [running] }, targets, "")).toMatchObject({ refused: "session_busy" });
});

test("combined decisions give all their facts, or the first refusal", () => {
  const dropped = errandFact("errand.dropped@1", { name: "a" });
  const no = { refused: "queue_full", details: {} } as const;
  expect(together([dropped], [], [dropped])).toEqual([dropped, dropped]);
  expect(together([dropped], no, { ...no, refused: "turn_open" })).toBe(no);
  expect(together()).toEqual([]);
});
