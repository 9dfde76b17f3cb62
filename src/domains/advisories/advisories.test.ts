import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { ADVISORY_KINDS, ADVISORY_LIMITS, advisoriesOf } from "./advisories.ts";
import type { AdvisoryFacts, FellowSession, OtherBranch } from "./advisory-facts.ts";

const QUIET: AdvisoryFacts = {
  nowMs: 1_000_000_000_000,
  ticket: { id: "TKT-1", scope: { allow: ["src/**"], deny: [] }, resourceProfile: "default" },
  branch: { name: "nomos/a", upstream: null, base: { name: "main", ahead: 1, behind: 0 }, baseUpstream: null },
  ...{ siblings: [], unmerged: [], lastBranch: null, machine: null, coUpdates: [], changed: [] },
};
const said = (part: Partial<AdvisoryFacts>) => advisoriesOf({ ...QUIET, ...part });
const kinds = (part: Partial<AdvisoryFacts>) => said(part).map(({ kind, severity }) => `${severity} ${kind}`);
const onBranch = (part: Partial<AdvisoryFacts["branch"]>) => ({ branch: { ...QUIET.branch, ...part } });
const fellow = (ticketId: string | null, allow: readonly string[] | null): FellowSession => ({
  ...{ sessionId: "s2", agent: "claude", ticketId },
  scope: allow === null ? null : { allow, deny: [] },
});
const GB = 1024 ** 3;

proves("GD-5", "case 15: the machine is busy over 0.7 of its cores or under 2 GB of free memory", () => {
  const machine = (load: number, gb: number) => ({ machine: { cores: 10, load, freeBytes: gb * GB } });
  expect(kinds(machine(7, 8))).toEqual([]);
  expect(kinds(machine(7.1, 8))).toEqual(["warning machine_load"]);
  expect(kinds(machine(0, 1.9))).toEqual(["warning machine_load"]);
  expect(kinds(machine(0, 2))).toEqual([]);
  const heavy = { ticket: { id: "TKT-1", scope: { allow: ["**"], deny: [] }, resourceProfile: "heavy" as const } };
  expect(kinds({ ...machine(0, 8), ...heavy })).toEqual(["info machine_load"]);
  expect(said({ ...machine(9, 1), siblings: [fellow(null, null)] })[0]?.message).toBe(
    "The machine is busy: load 9.0 on 10 cores, 1.0 GB of memory free beside 1 other session. Run long builds and tests one at a time.",
  );
});

proves("GD-5", "case 16: a base that is 15 commits ahead is told, 14 are not, and never on the base itself", () => {
  const behind = (count: number) => onBranch({ base: { name: "main", ahead: 0, behind: count } });
  expect(kinds(behind(14))).toEqual([]);
  expect(kinds(behind(15))).toEqual(["warning base_divergence"]);
  expect(kinds(onBranch({ name: "main", base: { name: "main", ahead: 0, behind: 40 } }))).toEqual([]);
  expect(kinds(onBranch({ name: null, base: { name: "main", ahead: 0, behind: 15 } }))).toHaveLength(1);
});

proves("GD-5", "a branch behind its upstream is stale, one that is ahead too has diverged", () => {
  const upstream = (ahead: number, behind: number) => onBranch({ upstream: { name: "origin/a", ahead, behind } });
  expect(kinds(upstream(3, 0))).toEqual([]);
  expect(said(upstream(0, 2))[0]?.message).toContain("is 2 behind origin/a");
  expect(said(upstream(1, 2))[0]?.message).toContain("has diverged from origin/a: 1 ahead, 2 behind");
  const base = onBranch({ baseUpstream: { name: "origin/main", ahead: 0, behind: 3 } });
  expect(said(base)[0]?.message).toContain("The base main is 3 behind origin/main");
});

proves("GD-5", "a sibling whose scope overlaps is told with the path; one beside it is not", () => {
  expect(kinds({ siblings: [fellow("TKT-2", ["docs/**"])] })).toEqual([]);
  expect(said({ siblings: [fellow("TKT-2", ["src/api/**"])] })[0]).toEqual({
    ...{ kind: "scope_conflict", severity: "warning" },
    message: "Your scope overlaps with that of TKT-2 (claude, session s2): both may change src/api.",
    detail: { sessionId: "s2", ticketId: "TKT-2", path: "src/api" },
  });
  const everything = { id: "TKT-1", scope: { allow: ["**"], deny: [] }, resourceProfile: "default" as const };
  expect(kinds({ ticket: everything, siblings: [fellow("TKT-2", ["**"])] })).toEqual(["info scope_conflict"]);
  expect(kinds({ ticket: everything, siblings: [fellow("TKT-2", ["a"])] })).toEqual(["warning scope_conflict"]);
  expect(kinds({ ticket: null, siblings: [fellow("TKT-2", ["**"])] })).toEqual([]);
  const hard = (pair: string) => Array.from({ length: 250 }, (_, n) => `${`*${pair[n % 2]}`.repeat(100)}${n}`);
  const involved = { id: "TKT-1", scope: { allow: hard("ab"), deny: [] }, resourceProfile: "default" as const };
  expect(said({ ticket: involved, siblings: [fellow("TKT-2", hard("bc"))] })[0]?.detail["path"]).toBe("**");
});

proves("GD-5", "a sibling on the same ticket is told once, as contention", () => {
  expect(kinds({ siblings: [fellow("TKT-1", ["src/**"]), fellow(null, null)] })).toEqual(["warning ticket_contention"]);
});

proves("GD-5", "unmerged work is told per branch, newest first, when it touches the scope and is young", () => {
  const other = (part: Partial<OtherBranch>): OtherBranch => ({
    ...{ name: "nomos/b", commit: "c1", atMs: QUIET.nowMs - 1000, paths: ["src/x.ts"], more: 0 },
    ...{ summary: "Add x", ticketId: null, ...part },
  });
  const found = (part: Partial<OtherBranch>) => said({ unmerged: [other(part)] });
  expect(found({})).toMatchObject([
    { severity: "info", message: 'Branch nomos/b has work that is not in yours on src/x.ts: "Add x".' },
  ]);
  expect(found({ paths: ["docs/y.md"] })).toEqual([]);
  expect(found({ paths: ["docs/y.md"], more: 3 })).toHaveLength(1);
  expect(found({ name: "nomos/a" })).toEqual([]);
  expect(found({ atMs: QUIET.nowMs - 14 * 86_400_000 })).toHaveLength(1);
  expect(found({ atMs: QUIET.nowMs - 14 * 86_400_000 - 1 })).toEqual([]);
  expect(found({ summary: "y".repeat(500) })[0]?.message.length).toBeLessThan(160);
  expect(found({ summary: "a\u001b[31m\nb\u202ec" })[0]?.message).toContain('"a [31m b c"');
  const many = Array.from({ length: 30 }, (_, n) => other({ name: `b${n}`, atMs: QUIET.nowMs - n }));
  expect(said({ unmerged: many.toReversed() }).map(({ detail }) => detail["branch"])).toEqual(
    many.slice(0, ADVISORY_LIMITS.listedMax).map(({ name }) => name),
  );
});

proves("GD-5", "the last work of the ticket on another branch is told", () => {
  expect(kinds({ lastBranch: "nomos/old" })).toEqual(["warning ticket_branch_mismatch"]);
  expect(kinds({ lastBranch: "nomos/a" })).toEqual([]);
  expect(kinds({ lastBranch: "nomos/old", ticket: null })).toEqual([]);
});

proves("GD-5", "a rule of co-updates that leaves the scope is told, and what was forgotten so far", () => {
  const coUpdates = [{ files: ["src/schema.ts", "docs/schema.md"], label: "schema" }];
  expect(said({ coUpdates })).toMatchObject([
    { kind: "co_update_impact", severity: "warning", detail: { label: "schema", files: ["docs/schema.md"] } },
  ]);
  expect(said({ coUpdates: [{ files: ["docs/a", "docs/b"], label: "docs" }] })).toEqual([]);
  const within = [{ files: ["src/a", "src/c", "src/d"], label: "api" }];
  expect(said({ coUpdates: within })).toEqual([]);
  expect(said({ coUpdates: within, changed: ["src/a", "src/b"] }).map(({ detail }) => detail["files"])).toEqual([
    ["src/c"],
    ["src/d"],
  ]);
});

proves("GD-5", "warnings come before infos, and whatever the facts, each advisory has a kind and a sentence", () => {
  const count = fc.integer({ min: 0, max: 40 });
  const text = fc.constantFrom("a", "src/**", "**", "", "nomos/a");
  const distance = fc.option(fc.record({ name: text, ahead: count, behind: count }), { nil: null });
  const facts: fc.Arbitrary<AdvisoryFacts> = fc.record({
    nowMs: fc.nat(),
    ticket: fc.constantFrom(QUIET.ticket, null),
    branch: fc.record({
      name: fc.option(text, { nil: null }),
      upstream: distance,
      base: distance,
      baseUpstream: distance,
    }),
    siblings: fc.array(fc.constantFrom(fellow("TKT-1", ["**"]), fellow("TKT-2", ["src"]), fellow(null, null))),
    unmerged: fc.array(
      fc.record({
        ...{ name: text, commit: text, atMs: fc.nat(), paths: fc.array(text), more: count, summary: fc.string() },
        ticketId: fc.constant(null),
      }),
    ),
    lastBranch: fc.option(text, { nil: null }),
    machine: fc.option(fc.record({ cores: count, load: count, freeBytes: count }), { nil: null }),
    coUpdates: fc.array(fc.record({ files: fc.array(text), label: text })),
    changed: fc.array(text),
  });
  fc.assert(
    fc.property(facts, (given) => {
      const found = advisoriesOf(given);
      const severities = found.map(({ severity }) => severity);
      expect(severities).toEqual(severities.toSorted().toReversed());
      for (const { kind, message } of found) {
        expect(ADVISORY_KINDS).toContain(kind);
        expect(message).toMatch(/^.+[.]$/s);
      }
    }),
  );
});
