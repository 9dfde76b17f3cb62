import fc from "fast-check";

const text = fc.string({ maxLength: 12 });
const maybe = fc.option(text, { nil: null });
const texts = fc.array(text, { maxLength: 3 });
const fence = fc.integer({ min: 1, max: 5 });

/** Data of a ticket's events, for properties over every history. */
export const TICKET_FACTS = {
  "ticket.recorded@1": fc.record({
    ticket: fc.record({
      ...{ id: text, title: text, type: text, parent: maybe, lane: maybe, createdAt: maybe },
      kind: fc.constantFrom("intent", "epic", "task"),
      priority: fc.integer({ min: 1, max: 5 }),
      scope: fc.record({ allow: texts, deny: texts }),
      fileBudget: fc.record({ files: fc.nat(), lines: fc.nat() }),
      ...{ blockers: texts, labels: texts, checks: fc.nat(), criteria: fc.nat() },
      risk: fc.constantFrom("low", "medium", "high"),
      resourceProfile: fc.constantFrom("default", "light", "heavy"),
    }),
    ...{ repo: text, repository: text, source: text },
    because: fc.constantFrom("created", "changed", "read"),
  }),
  "ticket.status_changed@1": fc.record({
    status: fc.constantFrom("todo", "active", "paused", "review", "done", "archived"),
    by: text,
  }),
  "ticket.removed@1": fc.constant({}),
  "ticket.leased@1": fc.record({ fence, sessionId: maybe, owner: text, until: text }),
  "ticket.released@1": fc.record({ fence }),
  "ticket.closed@1": fc.record({ evidence: text, by: text }),
};
