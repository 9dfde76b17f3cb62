import fc from "fast-check";
import { expect } from "vitest";
import { anyFacts, factsAmong, TYPES_WITH_DATA } from "../../test/support/kernel-facts.ts";
import { placed } from "../../test/support/kernel-model.ts";
import { proves } from "../../test/support/proves.ts";
import { createDefinitions, type Folded } from "../domains/index.ts";
import { evolveBy, isCustom, isCustomType, type Json, SESSION_EVENTS, streamOf } from "../kernel/index.ts";
import { AGGREGATES } from "./index.ts";

const house = createDefinitions(AGGREGATES);
const STREAMS = AGGREGATES.map((of) => streamOf(of, "s"));
const manyFacts = fc.array(anyFacts, { maxLength: 80, size: "max" });

proves("K14", "any fact in any state of any aggregate is folded without an exception", () => {
  fc.assert(
    fc.property(fc.array(anyFacts, { maxLength: 120, size: "max" }), (facts) => {
      for (const of of AGGREGATES)
        facts.reduce((before, fact, n) => {
          const after = evolveBy(of, before, placed(n + 1, fact));
          expect(after.version).toBe(n + 1);
          return after;
        }, of.empty("s"));
    }),
    { numRuns: 300 },
  );
});

proves("K16", "a stream's aggregate is found by its name", () => {
  expect(STREAMS.map((stream) => house.kindOf(stream)?.of)).toEqual(AGGREGATES);
});

proves("K16", "folding several events at once equals folding them one by one, for every aggregate", () => {
  fc.assert(
    fc.property(fc.constantFrom(...STREAMS), manyFacts, (stream, facts) => {
      const events = facts.map((fact, n) => placed(n + 1, fact));
      expect(house.foldAll(stream, house.empty(stream), events).folded).toEqual(
        events.reduce((folded, event) => house.evolve(stream, folded, event), house.empty(stream)),
      );
    }),
  );
});

proves("K16", "an aggregate writes rows into its own lists only, and into each of them", () => {
  const facts = [...anyFactOfEachType()];
  for (const of of AGGREGATES) {
    const stream = streamOf(of, "s");
    const { rows } = house.foldAll(
      stream,
      house.empty(stream),
      facts.map((fact, n) => placed(n + 1, fact)),
    );
    const written = new Set(rows.map(({ list }) => list.name));
    expect([of.kind, [...written].toSorted()]).toEqual([of.kind, of.lists.map(({ name }) => name).toSorted()]);
  }
});

proves("K16", "a fold can stop at any event, be stored as JSON and continue from there", () => {
  fc.assert(
    fc.property(fc.constantFrom(...STREAMS), manyFacts, fc.nat(), (stream, facts, n) => {
      const events = facts.map((fact, at) => placed(at + 1, fact));
      const split = n % (events.length + 1);
      const snapshot = stored(house.foldAll(stream, house.empty(stream), events.slice(0, split)).folded);
      const whole = house.foldAll(stream, house.empty(stream), events).folded;
      expect(house.foldAll(stream, snapshot, events.slice(split)).folded).toEqual(stored(whole));
    }),
    { numRuns: 300 },
  );
});

proves("K16", "a stream of an unknown aggregate has no fold", () => {
  for (const stream of ["", "session", "unheard/1", "systems", "system/1"])
    expect(() => house.empty(stream)).toThrow("no fold");
});

proves("K33", "every session fact is tested with data, and every type is named thing, past fact and version", () => {
  const tried: readonly string[] = TYPES_WITH_DATA;
  expect(Object.keys(SESSION_EVENTS).filter((type) => !tried.includes(type))).toEqual([]);
  expect(tried.filter((type) => !house.types.includes(type))).toEqual([]);
  for (const type of house.types) expect(type).toMatch(/^[a-z]+\.[a-z]+(?:_[a-z]+)*@[1-9]\d*$/);
});

proves("K33", "a built-in fact is never mistaken for a custom fact", () => {
  fc.assert(fc.property(factsAmong(TYPES_WITH_DATA), (fact) => !isCustom(fact)));
  for (const type of house.types) expect(isCustomType(type)).toBe(false);
});

proves("K33", "a stored fact is read as it was written; an unknown type is read as null", () => {
  fc.assert(
    fc.property(factsAmong(TYPES_WITH_DATA), (fact) => {
      const data: Json = JSON.parse(JSON.stringify(fact.data));
      expect(house.recall(fact.type, data)).toEqual({ type: fact.type, data });
    }),
  );
  expect(house.recall("x.note@1", { turnId: null, payload: 1 })).toMatchObject({ type: "x.note@1" });
  for (const type of ["session.opened@2", "unheard.of@1", "constructor", ""]) expect(house.recall(type, {})).toBeNull();
});

function anyFactOfEachType() {
  return TYPES_WITH_DATA.flatMap((type) => fc.sample(factsAmong([type]), { numRuns: 1, seed: 1 }));
}

function stored(folded: Folded): Folded {
  return JSON.parse(JSON.stringify(folded));
}
