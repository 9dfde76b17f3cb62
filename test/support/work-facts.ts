import fc from "fast-check";

const text = fc.string({ maxLength: 12 });
const maybe = fc.option(text, { nil: null });
const maybeFence = fc.option(fc.nat({ max: 9 }), { nil: null });
const role = fc.constantFrom("work", "audit");
const repo = fc.constantFrom("r1", "r2");
const ticketId = fc.constantFrom("TKT-1", "TKT-2");
const told = fc.record({ turnId: text, steerId: text });
const part = fc.double({ min: 0, max: 1, noNaN: true });
const figures = fc.record({ score: part, scope: part, budget: part, boundary: part, lines: part, files: fc.nat() });
const fault = fc.record({ code: text, message: text });
const status = fc.constantFrom("keep", "review", "done");
const closing = {
  checks: fc.constantFrom("passed", "bypassed", "none"),
  drift: fc.option(figures, { nil: null }),
  memento: text,
  actor: text,
};
const parting = { summary: text, next: maybe, reason: maybe };

/** Data of the events of work on tickets, for properties over every history. */
export const WORK_FACTS = {
  "work.planned@1": fc.record({
    ...{ ticketId, repo, role, title: text, cwd: text, agent: text, model: maybe, actor: text },
  }),
  "work.assigned@1": fc.record({ ticketId, repo, role, fence: maybeFence }),
  "work.told@1": fc.record({ turnId: text, steerId: text, receivedFrom: maybe }),
  "work.lost@1": fc.record({ holder: maybe, fence: maybeFence }),
  "work.warned@1": told,
  "work.measured@1": figures,
  "work.suspended@1": fc.record({ reason: text, keepsLease: fc.boolean() }),
  "work.resumed@1": fc.record({ fence: maybeFence }),
  "work.asked@1": fc.record({ ...parting, status, skipChecks: fc.boolean(), actor: text }),
  "work.refused@1": fault,
  "work.summarised@1": fc.record(parting),
  "work.finished@1": fc.record({ ...closing, status }),
  "work.handed@1": fc.record({ ...closing, to: maybe }),
  "work.received@1": fc.record({ sessionId: text }),
  "work.dropped@1": fault,
  "work.settled@1": fc.record({ commit: maybe }),
};
