import fc from "fast-check";

const text = fc.string({ maxLength: 12 });
const maybe = fc.option(text, { nil: null });
const texts = fc.array(text, { maxLength: 3 });

/** Data of a governed repository's events, for properties over every history. */
export const GOVERNED_FACTS = {
  "governance.removed@1": fc.record({ commit: maybe, files: texts, refs: texts }),
  "governance.offered@1": fc.record({ root: text }),
  "governance.initialised@1": fc.record({
    ...{ root: text, branch: text, commit: maybe, files: texts },
    mode: fc.constantFrom("tracked", "sidecar"),
  }),
  "governance.imported@1": fc.record({
    ...{ from: text, files: texts },
    leftOut: fc.array(fc.record({ what: text, reason: text }), { maxLength: 2 }),
  }),
  "governance.upgraded@1": fc.record({ files: texts, commit: maybe }),
  "governance.built@1": fc.record({ lockHash: text, previous: maybe, rulesHash: text }),
  "governance.composed@1": fc.record({ seal: text, because: text }),
  "governance.found@1": fc.record({ root: maybe, branch: text, tip: text, lockHash: maybe, rulesHash: maybe }),
  "governance.refused@1": fc.record({
    ...{ root: maybe, branch: text },
    problems: fc.array(fc.record({ code: text, message: text }), { maxLength: 2 }),
    more: fc.nat(),
  }),
  "governance.collected@1": fc.record({ files: texts, refs: texts }),
};
