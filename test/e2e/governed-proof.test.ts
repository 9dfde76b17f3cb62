import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { setUpGoverned, ticket } from "../support/governed-bench.ts";
import { land, settled } from "../support/landing-bench.ts";
import { proves } from "../support/proves.ts";
import { fenceOf, finish, refText, startOn, T1, T2 } from "./support/governed.ts";
import { eventsOf, expectOk, expectRefusal, PATIENCE, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const close = (cwd: string, id: string, more: object = {}) =>
  daemon.call("POST", `/api/tickets/${id}/close`, { cwd, ...more });
const missingIn = (refused: { readonly details: { readonly [key: string]: unknown } }) =>
  (refused.details["missing"] as string[]).join("\n");

proves(
  "GW-15",
  "done is what the log shows: unproven until its work has landed with its checks and witnesses",
  async () => {
    using bench = await setUpGoverned();
    const check = ["sh", "-c", "test -f src/a.ts"];
    bench.tickets(
      ticket(T1, {
        checks: [check],
        acceptance: [
          { id: "AC1", text: "a is there", check },
          { id: "AC2", text: "somebody looked" },
        ],
      }),
    );
    const { repo } = bench;
    expect(missingIn(expectRefusal(await close(repo, T1), 409, "unproven"))).toContain("work on it by a session");
    const session = await startOn(daemon, repo, T1, "write src/a.ts one");
    // Claims, and checks that were skipped, prove nothing.
    const claimed = { summary: "Done, trust me.", status: "done", skipChecks: true, reason: "because" };
    expectRefusal(await finish(daemon, session.id, claimed), 409, "unproven");
    // Also while the session that works on it holds its lease.
    expect(missingIn(expectRefusal(await close(repo, T1), 409, "unproven"))).toContain("a landing of its work");
    expect(await settled(daemon, (await land(daemon, session.id)).id)).toMatchObject({ state: "landed" });
    const fence = fenceOf(bench, T1);
    const refused = expectRefusal(await close(repo, T1, { fence }), 409, "unproven");
    expect(missingIn(refused)).toContain("AC2");
    expect(missingIn(refused)).not.toContain("AC1");
    const events = await eventsOf(daemon, session.id);
    const [old] = expectOk(
      await daemon.call<{ entries: { id: string }[] }>("GET", "/api/audit/entries?limit=1"),
    ).entries;
    const witness = events.at(-1)?.id ?? "";
    const named = (eventId: string) => close(repo, T1, { fence, witnesses: { AC2: eventId } });
    for (const wrong of ["01a1f516-63fb-737e-8dd7-e16809b6d994", old?.id ?? "", "x"])
      expectRefusal(await named(wrong), 409, "unproven");
    expectOk(await named(witness));
    const evidence = JSON.parse(refText(bench, "evidence", T1));
    expect(evidence).toMatchObject({ ticket: T1, session: session.id, branch: "main", fence, checks: [check] });
    expect(JSON.stringify(evidence)).toContain(witness);
    expect(refText(bench, "status", T1)).toContain('"done"');
  },
);

proves(
  "GW-15",
  "a landing that force left behind proves nothing; `finish --status done` closes what is proven",
  async () => {
    using bench = await setUpGoverned();
    bench.tickets(ticket(T2, { checks: [["true"]] }));
    const { repo, git } = bench;
    const before = git(repo, "rev-parse", "main");
    const session = await startOn(daemon, repo, T2, "write src/b.ts one");
    await settled(daemon, (await land(daemon, session.id)).id);
    git(repo, "reset", "-q", "--hard", before);
    expectRefusal(await close(repo, T2, { fence: fenceOf(bench, T2) }), 409, "unproven");
    await turn(daemon, session.id, "write src/c.ts two");
    expect(await settled(daemon, (await land(daemon, session.id)).id)).toMatchObject({ state: "landed" });
    // What is proven closes by whoever holds it.
    expectRefusal(await close(repo, T2), 409, "ticket_leased");
    const done = expectOk(await finish(daemon, session.id, { summary: "Both are there.", status: "done" }));
    expect(done.work).toMatchObject({ state: "finished", status: "done", checks: "passed", settled: true });
    expect(refText(bench, "evidence", T2)).toContain(session.id);
  },
);

proves("GW-15", "a status and evidence that somebody wrote by git prove nothing, and close nothing", async () => {
  using bench = await setUpGoverned();
  bench.tickets(ticket(T1));
  const { repo, git } = bench;
  const tree = git(repo, "mktree", "--missing");
  const forge = (kind: string, text: object): void => {
    const oid = git(repo, "commit-tree", "-m", JSON.stringify(text), tree);
    git(repo, "update-ref", `refs/nomos/${kind}/${T1}`, oid);
  };
  forge("status", { status: "done", since: "2026-01-01T00:00:00.000Z", by: "operator" });
  forge("evidence", { version: 1, ticket: T1, branch: "main", commit: git(repo, "rev-parse", "main") });
  const query = new URLSearchParams({ cwd: repo });
  const proof = await daemon.call<{ missing: string[] }>("GET", `/api/tickets/${T1}/proof?${query}`);
  expect(expectOk(proof)).toMatchObject({ proven: false });
  expect(expectOk(proof).missing.join("\n")).toContain("landed on main");
  expect(missingIn(expectRefusal(await close(repo, T1), 409, "unproven"))).toContain("landed on main");
});
