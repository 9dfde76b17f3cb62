import { expect, test } from "vitest";
import { NOTES } from "../../../test/support/errands.ts";
import { ALARMS } from "./alarm.ts";
import { defineList, putRow } from "./list.ts";
import { QUEUED } from "./queue.ts";

test("a list whose name is not a plain word, or with a column that every list has, is refused", () => {
  const named = (table: string, key: string) => () =>
    defineList<{ readonly a: string }>()({
      name: "a",
      table,
      keys: { [key]: { text: ({ a }: { readonly a: string }) => a } },
    });
  expect(named("things", "a_key")).not.toThrow();
  for (const word of ["id", "row", "sum", "", "Name", "1st", "a-b", "a b", 'a"', "a;--"]) {
    expect(named(word, "key")).toThrow("names no column");
    expect(named("things", word)).toThrow("names no column");
  }
});

test("a list declares the type of each key, and which keys have an index", () => {
  expect(NOTES.keys).toEqual({ text: { kind: "text", indexed: true }, long: { kind: "flag", indexed: false } });
  expect(NOTES).toMatchObject({ name: "note", table: "notes", newestFirst: false, isHot: false });
});

test("the next alarm and the next item of a lane are found by an index", () => {
  expect(ALARMS.keys).toEqual({ due: { kind: "text", indexed: true } });
  expect(QUEUED.keys).toEqual({
    lane: { kind: "text", indexed: true },
    running: { kind: "flag", indexed: false },
    place: { kind: "text", indexed: true },
  });
});

test("a row's keys are read as defined; a missing text is null", () => {
  expect(NOTES.keysOf({ text: "milk", long: false })).toEqual({ text: "milk", long: false });
  const maybe = defineList<{ readonly a: string | null }>()({
    name: "a",
    table: "things",
    keys: { a: { text: ({ a }) => a } },
  });
  expect(maybe.keysOf({ a: null })).toEqual({ a: null });
  expect(defineList<object>()({ name: "b", table: "others" }).keysOf({})).toEqual({});
});

test("a row is written whole, under its id", () => {
  const row = { text: "milk", long: false };
  expect(putRow(NOTES, "n1", row)).toEqual({ list: NOTES, id: "n1", put: row });
});
