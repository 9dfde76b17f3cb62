import fc from "fast-check";

const text = fc.string({ maxLength: 12 });
const maybe = fc.option(text, { nil: null });
const sessionId = fc.constantFrom("s1", "s2", "s3");
const texts = fc.array(text, { maxLength: 3 });

/** Data of a fan-out's events, for properties over every history. */
export const FANOUT_FACTS = {
  "fanout.started@1": fc.record({
    ...{ name: text, actor: text, repository: text, base: maybe, into: maybe, checks: fc.constant([["true"]]) },
    start: fc.record({
      ...{ cwd: text, ground: maybe, sandbox: fc.constant(null), scope: fc.constant(null), network: fc.constant(null) },
      ...{ secrets: texts, mode: maybe, label: text, title: maybe, floor: fc.constant(null) },
      onlyRegistered: fc.boolean(),
    }),
    candidates: fc.array(fc.record({ sessionId, agent: text, driver: text, model: maybe }), { maxLength: 3 }),
  }),
  "fanout.asked@1": fc.record({ prompt: fc.record({ text, blob: maybe, bytes: fc.nat() }) }),
  "fanout.begun@1": fc.constant({}),
  "fanout.failed@1": fc.record({ sessionId, code: text, message: text }),
  "fanout.judged@1": fc.record({
    ...{ sessionId, turnId: text, outcome: fc.constantFrom("completed", "failed"), into: maybe },
    ...{ checks: fc.option(fc.nat(), { nil: null }), checkMs: fc.option(fc.nat(), { nil: null }) },
    findings: fc.array(fc.record({ rule: fc.constantFrom("scope", "check"), message: text, remedy: text }), {
      maxLength: 2,
    }),
    ...{ more: fc.nat(), files: fc.nat(), added: fc.nat(), removed: fc.nat(), paths: texts, turnMs: fc.nat() },
    ...{ spent: fc.constant(null), error: fc.option(fc.record({ code: text, message: text }), { nil: null }) },
  }),
  "fanout.chosen@1": fc.record({ sessionId, landingId: text }),
  "fanout.dropped@1": fc.record({ sessions: fc.array(sessionId, { maxLength: 3 }) }),
  "fanout.removed@1": fc.record({ sessionId, files: texts, more: fc.nat(), snapshot: maybe }),
  "fanout.settled@1": fc.record({ reason: fc.constantFrom("too_few", "done") }),
};
