import fc from "fast-check";

const text = fc.string({ maxLength: 12 });
const maybe = fc.option(text, { nil: null });
const sessionId = fc.constantFrom("s1", "s2", "s3");
const range = fc.record({ from: fc.nat(), to: fc.nat() });
const collided = {
  files: fc.array(
    fc.record(
      {
        path: text,
        kind: fc.constantFrom("content", "add", "delete", "large"),
        lines: fc.array(fc.record({ a: range, b: range }), { maxLength: 2 }),
      },
      { requiredKeys: ["path", "kind"] },
    ),
    { minLength: 1, maxLength: 3 },
  ),
  more: fc.nat(),
};

/** Data of a conflict's events, for properties over every history. */
export const CONFLICT_FACTS = {
  "conflict.found@1": fc.record({ ...collided, sessions: fc.tuple(sessionId, sessionId), repository: maybe }),
  "base.stale@1": fc.record({
    ...{ ...collided, sessionId, repository: maybe },
    branch: fc.record({ name: text, base: text, tip: text, behind: fc.option(fc.nat(), { nil: null }) }),
  }),
  "conflict.changed@1": fc.record(collided),
  "conflict.cleared@1": fc.record({ because: fc.constantFrom("resolved", "landed", "ended", "off") }),
  "conflict.told@1": fc.record({
    ...{ sessionId, turnId: text, steerId: text },
    paths: fc.array(text, { maxLength: 3 }),
  }),
};
