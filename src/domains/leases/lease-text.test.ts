import fc from "fast-check";
import { expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { isRefusal } from "../../kernel/index.ts";
import { parseIsoTime, writeIsoTime } from "./iso-time.ts";
import { LEASE_LIMITS, type Lease } from "./lease.ts";
import { parseLease, writeLease } from "./lease-text.ts";

const LEASE: Lease = {
  ticketId: "TKT-20260101-120000-AB12",
  owner: "agent:claude",
  role: "developer",
  createdMs: Date.UTC(2026, 0, 1),
  updatedMs: Date.UTC(2026, 0, 1, 1),
  heartbeatMs: Date.UTC(2026, 0, 1, 1),
  untilMs: Date.UTC(2026, 0, 1, 3),
  fence: 3,
  baseBranch: "main",
  nonce: "0123456789abcdef",
  sessionId: null,
  host: null,
  clone: null,
  remote: null,
  minutes: LEASE_LIMITS.minutesUsual,
  serial: 0,
  releasedMs: null,
};

/** As ExoProtocol writes it, with the local offset of its machine. */
const THEIRS = `exo-distributed-lease-v1
ticket_id: TKT-20260101-120000-AB12
owner: agent:claude
role: developer
created_at: 2026-01-01T01:00:00+01:00
updated_at: 2026-01-01T02:00:00+01:00
heartbeat_at: 2026-01-01T02:00:00+01:00
expires_at: 2026-01-01T04:00:00+01:00
lease_expires_at: 2026-01-01T04:00:00+01:00
fencing_token: 3
base_branch: main
nonce: 0123456789abcdef
`;
const KEYS = THEIRS.split("\n")
  .slice(1, -1)
  .map((line) => line.slice(0, line.indexOf(":")));

proves("GR-5", "a lease of ExoProtocol is read, and ours begins with its eleven lines", () => {
  expect(parseLease(THEIRS)).toEqual(LEASE);
  const ours = writeLease({ ...LEASE, sessionId: "s1", host: "here", clone: "c1", serial: 9 });
  const lines = String(ours).split("\n");
  expect(lines[0]).toBe("exo-distributed-lease-v1");
  expect(lines.slice(1, 12).map((line) => line.slice(0, line.indexOf(":")))).toEqual(KEYS);
  // Python before 3.11 reads no `Z`.
  expect(lines[7]).toBe("expires_at: 2026-01-01T03:00:00+00:00");
});

const word = fc.stringMatching(/^[\p{L}\p{N}:._/-]{1,60}$/u);
const seconds = fc.integer({ min: 0, max: 253_402_300_799 }).map((one) => one * 1000);
const lease = fc.record({
  ticketId: word,
  owner: word,
  role: fc.oneof(word, fc.constant("")),
  createdMs: seconds,
  updatedMs: seconds,
  heartbeatMs: seconds,
  untilMs: seconds,
  fence: fc.integer({ min: 1, max: LEASE_LIMITS.fenceMax }),
  baseBranch: word,
  nonce: word,
  sessionId: fc.option(word),
  host: fc.option(word),
  clone: fc.option(word),
  remote: fc.option(word),
  minutes: fc.integer({ min: 1, max: LEASE_LIMITS.minutesMax }),
  serial: fc.nat(),
  releasedMs: fc.option(seconds),
});

proves("GR-5", "any lease that is written reads back as it was", () => {
  fc.assert(
    fc.property(lease, (one) => {
      const text = writeLease(one);
      expect(isRefusal(text) ? text : parseLease(text)).toEqual(one);
    }),
  );
});

proves("GR-6", "no text of a holder becomes a line of its own, and nobody's text is read in two ways", () => {
  const hostile = ["x\nfencing_token: 99", "x\r", "a\u2028b", "a\u202Eb", "a\0b", " x", "x".repeat(201), "\u{1b}[2J"];
  for (const value of hostile)
    for (const key of ["owner", "role", "sessionId", "host", "nonce", "baseBranch", "ticketId"] as const)
      expect(writeLease({ ...LEASE, [key]: value })).toMatchObject({ refused: "lease_damaged" });
  const changed: readonly (readonly [string, string])[] = [
    ["fencing_token: 3", "fencing_token: 3\nfencing_token: 4"],
    ["fencing_token: 3", "fencing_token: -3"],
    ["fencing_token: 3", "fencing_token: 3.5"],
    ["fencing_token: 3", "fencing_token: 0x3"],
    ["fencing_token: 3", "fencing_token: 9007199254740993"],
    ["fencing_token: 3", "Fencing_Token: 3"],
    ["owner: agent:claude", "owner:"],
    ["owner: agent:claude", "owner: a\u202Eb"],
    ["lease_expires_at: 2026-01-01T04", "lease_expires_at: 2026-01-01T05"],
    ["T04:00:00+01:00\nfencing", "T04:00:00\nfencing"],
    ["2026-01-01T01:00:00+01:00", "2026-13-41T01:00:00+01:00"],
    ["2026-01-01T01:00:00+01:00", "yesterday"],
    ["exo-distributed-lease-v1", "exo-distributed-lease-v2"],
    ["nonce: 0123456789abcdef", "nonce 0123456789abcdef"],
    ["nonce: 0123456789abcdef\n", ""],
  ];
  for (const [from, to] of changed) {
    expect(THEIRS).toContain(from);
    expect(parseLease(THEIRS.replace(from, to)), to).toMatchObject({ refused: "lease_damaged" });
  }
  expect(parseLease(`${THEIRS}${"x: y\n".repeat(60)}`)).toMatchObject({ refused: "lease_damaged" });
  expect(parseLease(`${THEIRS}note: ${"x".repeat(9000)}\n`)).toMatchObject({ refused: "lease_damaged" });
  expect(parseLease(`${THEIRS}\nof_a_newer_version: skipped\n`)).toEqual(LEASE);
});

proves("GR-6", "any text at all is a lease or a refusal, and never an exception", () => {
  const lines = fc.array(fc.oneof(fc.string(), fc.constantFrom(...THEIRS.split("\n"))), { maxLength: 30 });
  fc.assert(fc.property(lines, (some) => void parseLease(some.join("\n"))));
});

test("times are those of the calendar, in whole seconds", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => {
      const text = writeIsoTime(ms);
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
      expect([Date.parse(text), parseIsoTime(text)]).toEqual([
        Math.floor(ms / 1000) * 1000,
        Math.floor(ms / 1000) * 1000,
      ]);
    }),
  );
  for (const odd of ["", "2026-01-01", "2026-01-01T00:00:00", "1969-12-31T00:00:00Z", "2026-02-30T00:00:00"])
    expect(parseIsoTime(odd)).toBeNull();
});
