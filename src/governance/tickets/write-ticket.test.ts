import fc from "fast-check";
import { expect, test } from "vitest";
import { ticketText } from "../../../test/support/many-tickets.ts";
import { proves } from "../../../test/support/proves.ts";
import { parseTicket, TICKET_KINDS, TICKET_RISKS, type Ticket } from "../../domains/index.ts";
import { parseTicketFile } from "./parse-ticket-file.ts";
import { writeTicketFile } from "./write-ticket.ts";

const ID = "TKT-20260102-030405-A1B2";

function ticketOf(given: object = {}): Ticket {
  const ticket = parseTicket({ id: ID, title: "Fix the login", createdAt: "2026-01-02T03:04:05.000Z", ...given });
  if ("faults" in ticket) throw new Error(JSON.stringify(ticket.faults));
  return ticket;
}

test("a new file has its fields in a fixed order, and none that says nothing", () => {
  expect(
    writeTicketFile(ticketOf({ body: "One.\nTwo: 2.", checks: [["npm", "test"]], type: "bug" }), null),
  ).toBe(`id: ${ID}
kind: task
title: Fix the login
body: |-
  One.
  Two: 2.
type: bug
priority: 3
scope:
  allow:
    - "**"
  deny: []
fileBudget:
  files: 12
  lines: 400
checks:
  - [npm, test]
risk: medium
createdAt: 2026-01-02T03:04:05.000Z
`);
});

proves("GT-6", "an edit changes its own fields alone: comments, order and fields of people stay", () => {
  const before = `# About the login
title: Fix the login # soon
id: ${ID}
estimate: 3 # days, ours alone

# where
scope: {allow: [src/login/**], deny: []}
notes:
  - "call Ada"
labels: [a]
`;
  const ticket = parseTicketFile(Buffer.from(before), ID);
  if ("message" in ticket) throw new Error(ticket.message);
  expect(writeTicketFile(ticket, before)).toBe(before);
  const edited = { ...ticket, title: "Fix it", lane: "web", labels: [], scope: { allow: ["src/**"], deny: ["src/x"] } };
  expect(writeTicketFile(edited, before)).toBe(`# About the login
title: Fix it # soon
id: ${ID}
lane: web
estimate: 3 # days, ours alone

# where
scope:
  allow:
    - src/**
  deny:
    - src/x
notes:
  - "call Ada"
`);
});

proves("GT-6", "whatever a ticket says, its file says the same, and an edited one too", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.constantFrom(
      "",
      "a: b # c",
      "- x",
      "|",
      "'\"",
      "yes",
      "null",
      "1.0",
      "  lead",
      "trail  ",
      "a\n\n  b\n",
      "\ttab",
      "# h",
      "---",
      "%x",
    ),
  );
  const line = text.map((one) => one.replaceAll(/[\p{Cc}\u2028\u2029]/gu, " "));
  const fields = fc.record(
    {
      title: line.map((one) => `T${one}`.slice(0, 100)),
      body: text,
      kind: fc.constantFrom(...TICKET_KINDS),
      risk: fc.constantFrom(...TICKET_RISKS),
      priority: fc.integer({ min: 1, max: 5 }),
      labels: fc.uniqueArray(
        line.map((one) => `l${one}`.slice(0, 20)),
        { maxLength: 3 },
      ),
      checks: fc.array(
        fc.array(
          line.map((one) => `c${one}`),
          { minLength: 1, maxLength: 3 },
        ),
        { maxLength: 3 },
      ),
      acceptance: fc.uniqueArray(
        fc.record({ id: fc.constantFrom("A", "B", "C"), text, check: fc.option(fc.constant(["npm", "test"])) }),
        { maxLength: 3, selector: ({ id }) => id },
      ),
      boundary: text,
      scope: fc.record({ allow: fc.array(fc.constantFrom("src/**", "docs/*.md"), { maxLength: 2 }) }),
    },
    { requiredKeys: ["title"] },
  );
  fc.assert(
    fc.property(fields, fields, (one, two) => {
      const [first, second] = [parseTicket({ id: ID, ...one }), parseTicket({ id: ID, ...two })];
      fc.pre(!("faults" in first) && !("faults" in second));
      const file = writeTicketFile(first, null);
      expect(parseTicketFile(Buffer.from(file), ID)).toEqual(first);
      expect(writeTicketFile(first, file)).toBe(file);
      const edited = writeTicketFile(second, `${file}ours: kept\n`);
      expect(parseTicketFile(Buffer.from(edited), ID)).toEqual(second);
      expect(edited).toContain("ours: kept");
    }),
    { numRuns: 500 },
  );
});

test("a file that was written by hand keeps its text where nothing changes", () => {
  const text = ticketText(ID);
  const ticket = parseTicketFile(Buffer.from(text), ID);
  if ("message" in ticket) throw new Error(ticket.message);
  expect(writeTicketFile({ ...ticket, priority: 1 }, text)).toBe(text.replace("priority: 3", "priority: 1"));
});
