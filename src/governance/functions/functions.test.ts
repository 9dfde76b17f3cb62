import { expect, expectTypeOf, test } from "vitest";
import { lawfulRepository } from "../../../test/support/lawful-repository.ts";
import { proves } from "../../../test/support/proves.ts";
import type { LawVerdict, Scope } from "../../domains/index.ts";
import type { RepositoryGit } from "../../host/index.ts";
import type { Json } from "../../kernel/index.ts";
import type { ActionContext, ActionPlan, GovernedAction } from "./decision.ts";
import { GOVERNANCE_FUNCTIONS } from "./functions.ts";
import type { Governance, GovernanceVerdict, LoadOptions } from "./governance.ts";
import { type AuditEntry, asciiHash, type Receipt } from "./record.ts";
import type { GovernanceSession, MintedTicket, TicketValidity } from "./session.ts";

/**
 * The ten functions that governance stands on. Whoever changes one of these signatures writes an ADR that replaces 0051,
 * and changes this list with it.
 */
interface Frozen {
  readonly loadGovernance: (git: RepositoryGit, cwd: string, options: LoadOptions) => Promise<Governance>;
  readonly verifyGovernance: (governance: Governance) => GovernanceVerdict;
  readonly openSession: (opened: {
    readonly newId: () => string;
    readonly root: string;
    readonly actor: string;
    readonly nowMs: number;
  }) => GovernanceSession;
  readonly mintTicket: (
    session: GovernanceSession,
    wish: { readonly intent: string; readonly scope: Scope; readonly ttlMs: number },
    made: { readonly law: string; readonly nonce: string; readonly nowMs: number },
  ) => MintedTicket;
  readonly validateTicket: (
    governance: Governance,
    ticket: MintedTicket | { readonly id: string; readonly scope: Scope },
    nowMs: number,
  ) => TicketValidity;
  readonly checkAction: (governance: Governance, action: GovernedAction, context: ActionContext) => LawVerdict;
  readonly resolveRequirements: (verdict: LawVerdict, evidence: readonly string[]) => LawVerdict;
  readonly commitPlan: (
    session: Pick<GovernanceSession, "id">,
    ticket: Pick<MintedTicket, "id">,
    action: GovernedAction,
  ) => ActionPlan;
  readonly appendAudit: (before: AuditEntry | null, event: Json) => AuditEntry;
  readonly sealResult: (done: {
    readonly kernel: { readonly name: string; readonly version: string };
    readonly action: GovernedAction;
    readonly decision: LawVerdict;
    readonly plan: ActionPlan;
    readonly result: Json;
    readonly audits: readonly AuditEntry[];
    readonly nowMs: number;
  }) => Receipt;
}

proves("GL-11", "the ten functions have the signatures that ADR 0051 froze", () => {
  expectTypeOf(GOVERNANCE_FUNCTIONS).toEqualTypeOf<Frozen>();
  const known = Object.entries(GOVERNANCE_FUNCTIONS).map(([name, { length }]) => `${name}/${length}`);
  expect(known).toEqual([
    ...["loadGovernance/3", "verifyGovernance/1", "openSession/1", "mintTicket/3", "validateTicket/3", "checkAction/3"],
    ...["resolveRequirements/2", "commitPlan/3", "appendAudit/2", "sealResult/1"],
  ]);
});

proves("GL-11", "case 27: the canonical hash is that of ExoProtocol", () => {
  const hash = "ef6470ba9d8048e5122c7f3dc9137c14e6d052bd3a8d2c3318d19cc8c1e22b3c";
  expect(asciiHash({ b: 1, a: [true, null, "é"] })).toBe(hash);
  expect(asciiHash({ a: [true, null, "e\u0301"], b: 1 })).not.toBe(hash);
});

proves("GL-11", "from the law to the receipt: each step of an action, and what a ticket needs to count", async () => {
  const { git, root, write, commit } = await lawfulRepository();
  const F = GOVERNANCE_FUNCTIONS;
  const governance = await F.loadGovernance(git, root, { home: null });
  const { valid, hash } = F.verifyGovernance(governance);
  expect(valid).toBe(true);
  const session = F.openSession({ newId: () => "S1", root, actor: "agent:x", nowMs: 1000 });
  const scope = { allow: ["src/**"], deny: [] };
  const ticket = F.mintTicket(
    session,
    { intent: "tidy", scope, ttlMs: 0 },
    { law: hash ?? "", nonce: "n1", nowMs: 1000 },
  );
  expect(ticket).toMatchObject({ id: "REQ-n1", untilMs: 61_000 });
  const reasons = (change: Partial<MintedTicket>, nowMs = 2000) =>
    F.validateTicket(governance, { ...ticket, ...change }, nowMs).reasons.join();
  expect(reasons({})).toBe("");
  expect(reasons({}, 61_000)).toBe("its time is over");
  expect(reasons({}, 999)).toBe("it was minted in the future");
  expect(reasons({ law: "other" })).toBe("it was minted under another law");
  expect(reasons({ nonce: "" })).toBe("it has no nonce of its own");
  expect(reasons({ intent: " " })).toBe("it names no intent");
  expect(reasons({ scope: { allow: ["../x"], deny: [] } })).toBe("its scope is no scope");
  expect(F.validateTicket(governance, { id: "TKT-20260102-030405-A1B2", scope }, 0).valid).toBe(true);
  expect(F.validateTicket(governance, { id: "ticket", scope }, 0).reasons).toEqual(["its id is no ticket's"]);

  const context = {
    ticket: { scope, validity: F.validateTicket(governance, ticket, 2000) },
    hasLease: true,
    evidence: [],
  };
  const check = (verb: string, path: string) => F.checkAction(governance, { verb, path }, context).verdict;
  expect([check("write", "src/a.ts"), check("write", "docs/a"), check("read", "src/.env")]).toEqual([
    "allow",
    "deny",
    "deny",
  ]);
  const action = { verb: "delete", path: "src/b/x" };
  const asked = {
    verdict: "ask",
    rules: ["attestation:delete"],
    reason: "",
    requires: ["attestation:delete"],
  } as const;
  expect(F.resolveRequirements(asked, []).verdict).toBe("deny");
  expect(F.resolveRequirements(asked, []).reason).toMatch(/^Evidence is missing/);
  const decision = F.resolveRequirements(asked, ["attestation:delete"]);
  expect(decision.verdict).toBe("allow");
  const plan = F.commitPlan(session, ticket, action);
  const audits: AuditEntry[] = [];
  for (const event of plan.audits) audits.push(F.appendAudit(audits.at(-1) ?? null, { event }));
  expect(audits.map(({ line, previous }) => [line, previous])).toEqual([
    [1, null],
    [2, audits[0]?.hash],
    [3, audits[1]?.hash],
  ]);
  const kernel = governance.law?.lock.kernel ?? { name: "", version: "" };
  const done = { kernel, action, decision, plan, result: { ok: true }, audits, nowMs: 5 };
  const receipt = F.sealResult(done);
  expect(F.sealResult(done)).toEqual(receipt);
  const changed = [{ result: { ok: false } }, { nowMs: 6 }, { audits: audits.slice(1) }, { decision: asked }];
  for (const change of changed) expect(F.sealResult({ ...done, ...change }).receipt).not.toBe(receipt.receipt);

  write(".nomos/CONSTITUTION.md", "# Nothing is forbidden\n");
  commit();
  const edited = await F.loadGovernance(git, root, { home: null });
  expect(F.verifyGovernance(edited)).toMatchObject({
    valid: false,
    hash: null,
    reasons: [expect.stringMatching(/^governance_drift/)],
  });
  expect(F.checkAction(edited, { verb: "read", path: "src/a.ts" }, context).rules).toEqual(["governance_invalid"]);
});

test("the list of functions is what the layer exports", async () => {
  const layer = await import("../index.ts");
  expect(layer.GOVERNANCE_FUNCTIONS).toBe(GOVERNANCE_FUNCTIONS);
});
