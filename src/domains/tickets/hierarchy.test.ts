import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { isRefusal } from "../../kernel/index.ts";
import { hierarchyFaults, intentOf, refuseParent } from "./hierarchy.ts";
import { isTicketId, newTicketId, TICKET_KINDS, type TicketKind } from "./ticket.ts";

const one = (id: string, kind: TicketKind, parent: string | null = null, blockers: readonly string[] = []) => ({
  ...{ id, kind, parent, blockers },
});
const faults = (tickets: Parameters<typeof hierarchyFaults>[0]) =>
  hierarchyFaults(tickets).map(({ ticketId, fault, ids }) => [ticketId, fault, ...ids].join(" "));

proves("GT-12", "case 33: an epic under an epic, and a task under a task, is refused as invalid_parent", () => {
  const allowed = TICKET_KINDS.flatMap((kind) =>
    TICKET_KINDS.filter((parent) => refuseParent(kind, { id: "P-1", kind: parent }) === null).map((parent) => [
      kind,
      parent,
    ]),
  );
  expect(allowed).toEqual([
    ["epic", "intent"],
    ["task", "intent"],
    ["task", "epic"],
  ]);
  const refused = refuseParent("epic", { id: "P-1", kind: "epic" });
  expect(isRefusal(refused) && refused.refused).toBe("invalid_parent");
  expect(refuseParent("task", { id: "P-1", kind: "task" })).toMatchObject({ refused: "invalid_parent" });
});

proves("GT-12", "orphans, unknown parents and blockers, and cycles are named", () => {
  expect(faults([one("I", "intent"), one("E", "epic", "I"), one("T", "task", "E"), one("U", "task", "I")])).toEqual([]);
  expect(faults([one("T", "task"), one("E", "epic", "X")])).toEqual(["T orphan", "E parent_unknown X", "E orphan"]);
  expect(faults([one("A", "task", "B"), one("B", "task", "A")])).toEqual([
    ...["A invalid_parent B", "A parent_cycle A B", "A orphan"],
    ...["B invalid_parent A", "B parent_cycle A B", "B orphan"],
  ]);
  const blocked = [one("I", "intent"), one("A", "task", "I", ["B"]), one("B", "task", "I", ["C", "Z"])];
  expect(faults([...blocked, one("C", "task", "I", ["A"]), one("D", "task", "I", ["D", "A"])])).toEqual([
    ...["A blocker_cycle A B C", "B blocker_unknown Z", "B blocker_cycle A B C", "C blocker_cycle A B C"],
    "D blocker_cycle D",
  ]);
  expect(faults([{ ...one("I", "intent"), brainDump: " " }])).toEqual(["I intent_unexplained"]);
});

proves("GT-12", "the intent above is found, and a cycle ends the search", () => {
  const byId = (list: readonly ReturnType<typeof one>[]) => new Map(list.map((ticket) => [ticket.id, ticket]));
  expect(intentOf("T", byId([one("I", "intent"), one("E", "epic", "I"), one("T", "task", "E")]))).toBe("I");
  expect(intentOf("A", byId([one("A", "task", "B"), one("B", "task", "A")]))).toBeNull();
  expect(intentOf("nobody", byId([]))).toBeNull();
});

proves(
  "GT-12",
  "a ticket is an orphan exactly when no intent is above, and on a cycle exactly when it leads to itself",
  () => {
    const ids = ["a", "b", "c", "d", "e"] as const;
    const link = fc.option(fc.constantFrom(...ids), { nil: null });
    const forest = fc.tuple(
      ...ids.map((id) =>
        fc.record({
          id: fc.constant(id),
          kind: fc.constantFrom(...TICKET_KINDS),
          parent: link,
          blockers: fc.array(fc.constantFrom(...ids), { maxLength: 2 }),
        }),
      ),
    );
    fc.assert(
      fc.property(forest, (tickets) => {
        const found = hierarchyFaults(tickets);
        const byId = new Map<string, (typeof tickets)[number]>(tickets.map((ticket) => [ticket.id, ticket]));
        const reach = (from: string, seen: Set<string>): Set<string> => {
          for (const next of byId.get(from)?.blockers ?? []) if (!seen.has(next)) reach(next, seen.add(next));
          return seen;
        };
        for (const { id } of tickets) {
          const has = (fault: string) => found.some((given) => given.ticketId === id && given.fault === fault);
          expect(has("orphan")).toBe(intentOf(id, byId) === null);
          expect(has("blocker_cycle")).toBe(reach(id, new Set()).has(id));
        }
      }),
      { numRuns: 500 },
    );
  },
);

proves("GT-13", "10,000 tickets in one chain and one cycle are looked at in linear time", () => {
  const chain = Array.from({ length: 10_000 }, (_, n) => one(`T${n}`, "task", `T${n + 1}`, [`T${(n + 1) % 10_000}`]));
  const begun = performance.now();
  const found = hierarchyFaults(chain);
  expect(performance.now() - begun).toBeLessThan(5000);
  expect(found.filter(({ fault }) => fault === "blocker_cycle")).toHaveLength(10_000);
  expect(found.filter(({ fault }) => fault === "orphan")).toHaveLength(10_000);
});

proves("GT-10", "new ids say their kind and time, and are ids", () => {
  const at = "2026-01-02T03:04:05.678Z";
  const made = TICKET_KINDS.map((kind) => newTicketId(kind, at, "A1B2"));
  expect(made).toEqual(["INT-20260102-030405-A1B2", "TKT-20260102-030405-A1B2-EPIC", "TKT-20260102-030405-A1B2"]);
  expect(made.every(isTicketId)).toBe(true);
  for (const odd of [
    "",
    "TKT",
    "tkt-1",
    "TKT-",
    "TKT-1/..",
    "TKT-1.lock",
    "-TKT-1",
    "TKT--1",
    "TKT-1\n",
    `A-${"1".repeat(70)}`,
  ])
    expect(isTicketId(odd), odd).toBe(false);
});
