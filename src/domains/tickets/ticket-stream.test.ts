import fc from "fast-check";
import { expect } from "vitest";
import { instant } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { type AnyFact, type Decision, evolveBy, foldAll } from "../../kernel/index.ts";
import { parseTicket } from "../ticket-files/parse-ticket.ts";
import { TICKET_STATUSES } from "./ticket.ts";
import type { TicketLease, TicketRecord, TicketState } from "./ticket-events.ts";
import {
  briefOf,
  changeTicketStatus,
  closeTicket,
  recordTicket,
  recordTicketLease,
  releaseTicketLease,
  removeTicket,
  TicketStream,
  ticketStreamId,
} from "./ticket-stream.ts";

const parsed = parseTicket({ id: "TKT-1", title: "Do it", checks: [["true"]], acceptance: [{ id: "A", text: "a" }] });
if ("faults" in parsed) throw new Error("no ticket");
const RECORD: TicketRecord = {
  ...{ ticket: briefOf(parsed), repo: "abc123", repository: "/repo", source: "blob1", because: "created" },
};
const lease = (fence: number, sessionId = "s1"): TicketLease => ({
  ...{ fence, sessionId, owner: "agent:claude", until: `2026-01-0${fence}T00:00:00Z` },
});
type Step = (state: TicketState) => Decision;

function apply(state: TicketState, decision: Decision): TicketState {
  if ("refused" in decision) return state;
  return decision.reduce((now: TicketState, fact: AnyFact) => {
    const version = now.version + 1;
    return evolveBy(TicketStream, now, { id: `e${version}`, version, at: instant(version), fact });
  }, state);
}

const after = (...steps: readonly Step[]): TicketState =>
  steps.reduce((state, step) => apply(state, step(state)), TicketStream.empty("t") as TicketState);
const record: Step = (state) => recordTicket(state, RECORD);

proves("GT-15", "a ticket's file is recorded once for each content; a brief of it stands in the list", () => {
  expect(recordTicket(after(record), { ...RECORD, because: "read" })).toEqual([]);
  expect(recordTicket(after(record), { ...RECORD, source: "blob2", because: "changed" })).toHaveLength(1);
  const { rows } = foldAll(TicketStream, ticketStreamId("abc123", "TKT-1"), after(record), []);
  expect(rows).toMatchObject([
    { id: "abc123-TKT-1", put: { status: "todo", lease: null, ticket: { id: "TKT-1", checks: 1, criteria: 1 } } },
  ]);
  const changed = after(
    record,
    (state) => changeTicketStatus(state, "review", "operator"),
    (state) => recordTicket(state, { ...RECORD, source: "blob2" }),
  );
  expect(changed).toMatchObject({ status: "review", source: "blob2" });
});

proves("GT-15", "a removed ticket comes back with its file, and keeps what happened to it", () => {
  const gone = after(record, (state) => closeTicket(state, { evidence: "c1", by: "operator" }), removeTicket);
  expect(gone).toMatchObject({ at: "removed", evidence: "c1" });
  for (const step of [
    (state: TicketState) => changeTicketStatus(state, "todo", "x"),
    (state: TicketState) => recordTicketLease(state, lease(1)),
    (state: TicketState) => closeTicket(state, { evidence: "c2", by: "x" }),
  ])
    expect(step(gone)).toMatchObject({ refused: "ticket_not_found" });
  expect(apply(gone, record(gone))).toMatchObject({ at: "present", evidence: "c1", status: "done" });
});

proves("GT-15", "an older fence is no news, and a released lease does not come back", () => {
  const held = after(record, (state) => recordTicketLease(state, lease(3)));
  expect(held).toMatchObject({ lease: { fence: 3 }, fence: 3 });
  expect(recordTicketLease(held, lease(2))).toEqual([]);
  expect(recordTicketLease(held, lease(3))).toEqual([]);
  expect(recordTicketLease(held, lease(4, "s2"))).toHaveLength(1);
  expect(releaseTicketLease(held, 2)).toEqual([]);
  const free = apply(held, releaseTicketLease(held, 3));
  expect(free).toMatchObject({ lease: null, fence: 3 });
  expect(releaseTicketLease(free, 3)).toEqual([]);
  expect(recordTicketLease(free, lease(3, "s9"))).toEqual([]);
  expect(recordTicketLease(free, lease(4))).toHaveLength(1);
});

const STEPS: readonly ((state: TicketState, n: number) => Decision)[] = [
  (state, n) => recordTicket(state, { ...RECORD, source: `blob${n}` }),
  (state, n) => changeTicketStatus(state, TICKET_STATUSES[n % TICKET_STATUSES.length] ?? "todo", "x"),
  (state) => removeTicket(state),
  (state, n) => recordTicketLease(state, lease(n)),
  (state, n) => releaseTicketLease(state, n),
  (state, n) => closeTicket(state, { evidence: `c${n}`, by: "x" }),
];

proves("GT-15", "whatever happens, the fence only rises and a decision taken twice says nothing new", () => {
  const steps = fc.array(fc.record({ at: fc.nat(STEPS.length - 1), n: fc.integer({ min: 1, max: 6 }) }));
  fc.assert(
    fc.property(steps, (given) => {
      let state = TicketStream.empty("t") as TicketState;
      let fence = 0;
      for (const { at, n } of given) {
        const decide = STEPS[at] ?? removeTicket;
        state = apply(state, decide(state, n));
        const again = decide(state, n);
        expect("refused" in again || again.length === 0).toBe(true);
        if (state.at === "absent") continue;
        expect(state.fence).toBeGreaterThanOrEqual(fence);
        if (state.lease !== null) expect(state.lease.fence).toBe(state.fence);
        fence = state.fence;
      }
    }),
    { numRuns: 300 },
  );
});
