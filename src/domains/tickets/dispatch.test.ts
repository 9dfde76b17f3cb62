import { expect } from "vitest";
import { instant } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { type Dispatchable, type DispatchRules, dispatchScore, dispatchTickets } from "./dispatch.ts";

const NOW = Date.parse(instant(0));
const hoursAgo = (hours: number) => instant(-hours * 3_600_000);
const one = (id: string, part: Partial<Dispatchable> = {}): Dispatchable => ({
  ...{ id, kind: "task", type: "feature", priority: 3, lane: null, blockers: [], createdAt: hoursAgo(0) },
  ...{ status: "todo", isLeased: false, ...part },
});
const RULES: DispatchRules = { lanes: [], ticketsAtOnceMax: null, nowMs: NOW };
const LANES = [
  { name: "Feature Lane", types: ["feature"], count: 1 },
  { name: "Bug Lane", types: ["bug"], count: 1 },
];
const next = (tickets: readonly Dispatchable[], rules: Partial<DispatchRules> = {}) => {
  const { next: found, because } = dispatchTickets(tickets, { ...RULES, ...rules });
  return found === null ? because : found.lane === null ? found.id : `${found.id} in ${found.lane}`;
};

proves("GT-14", "case 9: priority, tickets that wait and age make the score", () => {
  const score = (priority: number, unblocks = 0, ageHours = 0) => dispatchScore({ priority, unblocks, ageHours });
  expect([score(1), score(3, 0, 10), score(5, 2), score(3, 3, 24), score(0), score(9)]).toEqual([
    ...[500, 301, 160, 392.4, 500, 100],
  ]);
});

proves("GT-14", "case 10: a full lane is passed over; when all are full nothing is next", () => {
  const active = one("A", { status: "active" });
  const feature = one("F", { priority: 5, createdAt: hoursAgo(12) });
  const bug = one("B", { type: "bug", createdAt: hoursAgo(1) });
  expect(next([active, feature, bug], { lanes: LANES })).toBe("B in Bug Lane");
  expect(next([active, feature], { lanes: LANES })).toBe("lanes_full");
  expect(next([active, feature, one("D", { type: "docs" })], { lanes: LANES })).toBe("D");
  expect(dispatchTickets([active], { ...RULES, lanes: LANES }).lanes.map((lane) => lane.active)).toEqual([1, 0]);
});

proves("GT-14", "case 11: the limit of all, epics and intents alone, and nothing at all", () => {
  const {
    next: found,
    because,
    ranked,
  } = dispatchTickets([one("A", { status: "active" }), one("B")], {
    ...{ ...RULES, ticketsAtOnceMax: 1 },
  });
  expect([found, because, ranked.map(({ heldBack }) => heldBack)]).toEqual([null, "global_limit", ["global_limit"]]);
  expect(next([one("E", { kind: "epic" }), one("I", { kind: "intent" })])).toBe("none_open");
  expect(next([])).toBe("none_open");
});

proves("GT-14", "a blocker must be known and done; a leased ticket is somebody's", () => {
  const blocked = one("B", { blockers: ["A"] });
  expect(next([blocked])).toBe("all_blocked");
  expect(next([one("A", { status: "review" }), blocked])).toBe("all_blocked");
  for (const status of ["done", "archived"] as const) expect(next([one("A", { status }), blocked])).toBe("B");
  expect(next([one("A", { blockers: ["B"] }), one("B", { blockers: ["A"] })])).toBe("all_blocked");
  expect(next([one("A", { isLeased: true })])).toBe("all_leased");
  // Whoever holds a lease works, whatever the status says.
  expect(next([one("A", { isLeased: true }), one("B")], { lanes: LANES })).toBe("lanes_full");
});

proves("GT-14", "the first lane that takes the type counts, unless the ticket names one", () => {
  const lanes = [...LANES, { name: "Any Lane", types: ["*"], count: 1 }];
  expect(next([one("D", { type: "docs" })], { lanes })).toBe("D in Any Lane");
  expect(next([one("D", { type: "docs", lane: "Bug Lane" })], { lanes })).toBe("D in Bug Lane");
  expect(next([one("D", { lane: "no such lane" })], { lanes })).toBe("D in Feature Lane");
});

proves(
  "GT-14",
  "equal scores are ordered by priority, tickets that wait, age and id; a wrong clock gives no age",
  () => {
    const ranked = dispatchTickets(
      [
        ...[one("C"), one("B"), one("A", { createdAt: hoursAgo(-500) }), one("N", { createdAt: null })],
        ...[one("P", { priority: 4, createdAt: hoursAgo(1000) }), one("W", { blockers: ["B"] })],
      ],
      RULES,
    ).ranked;
    expect(ranked.map(({ id, score }) => `${id} ${score}`)).toEqual([
      "B 330",
      "A 300",
      "C 300",
      "N 300",
      "W 300",
      "P 300",
    ]);
  },
);

proves("GT-13", "10,000 tickets with blockers and lanes are dispatched in one pass", () => {
  const many = Array.from({ length: 10_000 }, (_, n) =>
    one(`T${n}`, {
      blockers: [`T${n - 1}`, `T${n + 1}`],
      type: n % 2 === 0 ? "bug" : "feature",
      priority: (n % 5) + 1,
    }),
  );
  const begun = performance.now();
  expect(dispatchTickets(many, { ...RULES, lanes: LANES }).because).toBe("all_blocked");
  expect(performance.now() - begun).toBeLessThan(2000);
});
