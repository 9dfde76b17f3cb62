import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { compileLaw, type LawRule } from "../../../domains/index.ts";
import type { Governed } from "../../../governance/index.ts";
import type { HeldLaw } from "./held-law.ts";
import { judgeRequest, type SessionGround } from "./judge-session.ts";

const rule = (id: string, more: Partial<LawRule>): LawRule => ({
  ...{ id, type: "filesystem_deny", patterns: [], actions: [], message: "", checks: [] },
  ...more,
});
const RULES = [
  rule("KEEP", { patterns: ["docs/**"], actions: ["delete"] }),
  rule("SHUT", { patterns: ["vendor/**"], actions: ["write", "delete"] }),
  rule("KEYS", { patterns: ["**/.env*"], actions: ["read", "write"] }),
];
const TREE = "/home/worktrees/one/tree";

function ground(more: Partial<SessionGround> = {}, rules: readonly LawRule[] | null = RULES): SessionGround {
  const compiled = rules === null ? null : compileLaw(rules, { root: "/repo", home: "/person" });
  const law: HeldLaw = { governed: { root: "/repo" } as Governed, sound: null, compiled, problems: [] };
  return { law, root: TREE, below: "", work: { ticketId: "TKT-1", isAudit: false, problem: null }, ...more };
}

const said = (given: SessionGround, verb: string, resource: string, removes = false) =>
  judgeRequest(given, verb, resource, removes)?.id ?? null;

proves("GW-4", "each verb of a turn is judged by what it does: reads, writes and deletions apart", () => {
  const at = (verb: string, path: string, removes = false) => said(ground(), verb, `path/${path}`, removes);
  expect([at("tool.write", "docs/a"), at("agent.edit", "docs/a"), at("agent.read", "docs/a")]).toEqual([
    null,
    null,
    null,
  ]);
  expect([at("agent.delete", "docs/a"), at("agent.move", "docs/a"), at("tool.edit", "docs/a", true)]).toEqual([
    ...["law:KEEP", "law:KEEP", "law:KEEP"],
  ]);
  expect([at("tool.write", "vendor/x"), at("tool.any_kind", "vendor/x"), at("agent.other", "vendor/x")]).toEqual([
    ...["law:SHUT", "law:SHUT", "law:SHUT"],
  ]);
  expect([at("agent.read", ".env"), at("tool.read", "a/.env.local"), at("agent.read", "vendor/x")]).toEqual([
    ...["law:KEYS", "law:KEYS", null],
  ]);
  expect([at("tool.write", ".nomos/config.yaml"), at("agent.read", ".nomos/config.yaml")]).toEqual([
    ...["law:protected:.nomos", null],
  ]);
  expect(at("tool.write", ".NOMOS/config.yaml")).toBe("law:protected:.nomos");
});

proves("GW-4", "paths are those of the repository, wherever the session stands, by whatever way they are named", () => {
  const below = ground({ below: "vendor" });
  expect(said(below, "tool.write", "path/x")).toBe("law:SHUT");
  expect(said(below, "tool.write", "path/../src/a")).toBeNull();
  expect(said(below, "tool.write", `outside${TREE}/vendor/x`)).toBe("law:SHUT");
  // The person's checkout is no place of a session on a ticket; one without a ticket is held to the law there.
  expect(said(ground(), "tool.write", "outside/repo/src/a")).toBe("law:outside_worktree");
  expect(said(ground(), "agent.read", "outside/repo/src/a")).toBeNull();
  expect(said(ground({ work: null }), "tool.write", "outside/repo/vendor/x")).toBe("law:SHUT");
  expect(said(ground({ work: null }), "tool.write", "outside/tmp/x")).toBeNull();
  expect(said(ground(), "agent.read", "outside/person/.ssh/id_rsa")).toMatch(/^law:protected:/);
});

proves("GW-11", "without its lease a session changes nothing, also by commands; it still reads", () => {
  const lost = ground({ work: { ticketId: "TKT-1", isAudit: false, problem: "lease_lost" } });
  for (const [verb = "", resource = ""] of [
    ["tool.write", "path/src/a"],
    ["tool.run", "command/make"],
    ["agent.execute", "command/make"],
    ["agent.other", "call/x"],
  ])
    expect(said(lost, verb, resource)).toBe("law:lease_lost");
  expect([said(lost, "agent.read", "path/src/a"), said(lost, "tool.ask", "question")]).toEqual([null, null]);
});

proves("GW-6", "a law that does not hold allows no change", () => {
  const broken = ground({}, null);
  expect(said(broken, "tool.write", "path/src/a")).toBe("law:governance_invalid");
  expect(said(broken, "tool.run", "command/make")).toBe("law:governance_invalid");
});

proves("GW-12", "an audit does not read what the writer of the work left", () => {
  const audit = ground({ work: { ticketId: "TKT-1", isAudit: true, problem: "audit_reads_only" } });
  expect(said(audit, "agent.read", "path/.nomos/mementos/TKT-1/s.md")).toBe("law:audit_isolation");
  expect(said(audit, "agent.read", "path/.nomos/mementos/TKT-2/s.md")).toBeNull();
  expect(said(audit, "agent.read", "path/src/a")).toBeNull();
});
