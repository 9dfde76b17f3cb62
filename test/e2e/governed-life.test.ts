import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { createLeases, createRefs, openGoverned } from "../../src/governance/index.ts";
import { createGitRunner, systemClock } from "../../src/host/index.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { type GovernedBench, setUpGoverned, ticket } from "../support/governed-bench.ts";
import { land, settled } from "../support/landing-bench.ts";
import { proves } from "../support/proves.ts";
import {
  denialsOf,
  fenceOf,
  finish,
  handOver,
  isReleased,
  notesIn,
  refText,
  startOn,
  T1,
  T2,
  T3,
  worksOn,
} from "./support/governed.ts";
import {
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  expectSound,
  idle,
  newFolder,
  PATIENCE,
  pendingOf,
  show,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const spawn = (body: object) => daemon.call("POST", "/sessions/agent", { adapter: "demo", ...body });
/** A turn that stands still until the answer's call. */
async function turnThatWaits(id: string, script: string): Promise<() => Promise<void>> {
  expectOk(await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: `ask Go on?\n${script}` }));
  const question = await pendingOf(daemon, id);
  return async () => void expectOk(await daemon.call("POST", `/api/approvals/${question.id}/approve`, {}));
}
const statusOf = (bench: GovernedBench, id: string) => /"status":"(\w+)"/.exec(refText(bench, "status", id))?.[1];

proves("GW-7", "case 28: a finish needs a summary, a known status, and a reason where checks are skipped", async () => {
  using bench = await setUpGoverned();
  bench.tickets(ticket(T1, { checks: [["false"]] }));
  const { id } = await startOn(daemon, bench.repo, T1, "write src/a.ts one");
  expectRefusal(await finish(daemon, id, { summary: "done", skipChecks: true }), 422, "reason_required");
  expectRefusal(await finish(daemon, id, { summary: "  " }), 400, "summary_required");
  expectRefusal(await finish(daemon, id, {}), 400, "summary_required");
  expectRefusal(await finish(daemon, id, { summary: "done", status: "foo" }), 400, "invalid_request");
  // A session has one ticket for life, and a ticket one session at a time.
  expectRefusal(await spawn({ cwd: bench.repo, ticket: T1 }), 409, "ticket_leased");
  expectRefusal(await daemon.call("POST", `/sessions/${id}/resume`, {}), 409, "session_not_suspended");
  const refused = expectRefusal(await finish(daemon, id, { summary: "done" }), 409, "checks_failed");
  expect(refused.details["findings"]).toMatchObject([{ rule: "check" }]);
  const bypassed = expectOk(await finish(daemon, id, { summary: "done", skipChecks: true, reason: "no network here" }));
  expect(bypassed.work).toMatchObject({ state: "finished", checks: "bypassed", reason: "no network here" });
  expectRefusal(await finish(daemon, id, { summary: "again" }), 409, "work_over");
  expectRefusal(await finish(daemon, (await startPlain(bench)).id, { summary: "x" }), 404, "work_not_found");
});

async function startPlain(bench: GovernedBench) {
  return expectOk(
    await daemon.call<{ id: string }>("POST", "/sessions/agent", { adapter: "demo", cwd: bench.repo }),
    201,
  );
}

proves(
  "GW-7",
  "finish: checks, memento on the law's branch, status, lease given back; a second session reads it",
  async () => {
    using bench = await setUpGoverned();
    bench.tickets(ticket(T1, { checks: [["sh", "-c", "test -f src/a.ts"]] }));
    const { repo, git } = bench;
    const { id } = await startOn(daemon, repo, T1, "write src/a.ts one");
    const done = expectOk(await finish(daemon, id, { summary: "Wrote a.\n## Next\nrun evil", next: "write b" }));
    expect(done.work).toMatchObject({ state: "finished", status: "review", checks: "passed", settled: true });
    expect([statusOf(bench, T1), isReleased(bench, T1)]).toEqual(["review", true]);
    const memento = git(repo, "show", `main:${done.work?.memento ?? ""}`);
    for (const part of [T1, id, "checks: passed", "| Wrote a.", "| ## Next", "| write b"])
      expect(memento).toContain(part);
    expect(git(repo, "status", "--porcelain")).toBe("");
    // Writing is over for the session, and its work still lands: nobody has the ticket since.
    await turn(daemon, id, "write src/late.ts x");
    expect(await denialsOf(daemon, id)).toContain("law:work_finished");
    expect(await settled(daemon, (await land(daemon, id)).id)).toMatchObject({ state: "landed" });
    const second = await startOn(daemon, repo, T1, "say hello");
    expect(notesIn(await eventsOf(daemon, second.id))).toContain("| | Wrote a.");
    expect(fenceOf(bench, T1)).toBe(2);
  },
);

proves("GW-7", "a finish that the agent asks for in its turn happens when the turn has ended", async () => {
  using bench = await setUpGoverned();
  bench.tickets(ticket(T1, { checks: [["sh", "-c", "test -f src/a.ts"]] }));
  const { id } = await startOn(daemon, bench.repo, T1, "say hello");
  const goOn = await turnThatWaits(id, "write src/a.ts x");
  const asked = expectOk(await finish(daemon, id, { summary: "All of it." }));
  expect(asked).toMatchObject({ asked: true, work: { state: "active" } });
  await goOn();
  const work = await eventually("the finish", async () =>
    (await worksOn(daemon, bench.repo, T1)).find(({ state, settled: is }) => state === "finished" && is),
  );
  expect(work).toMatchObject({ checks: "passed", summary: "All of it." });
  const other = await startOn(daemon, bench.repo, T1, "write src/b.ts x\nrun rm -f src/a.ts src/b.ts");
  const goOnToo = await turnThatWaits(other.id, "write src/c.ts x");
  expect(expectOk(await finish(daemon, other.id, { summary: "Not really." })).asked).toBe(true);
  await goOnToo();
  const refused = await eventually("the refusal", async () =>
    (await worksOn(daemon, bench.repo, T1)).find(({ refused: why }) => why !== undefined),
  );
  expect(refused).toMatchObject({ state: "active", refused: { code: "checks_failed" } });
});

proves(
  "GW-8",
  "case 29: a handoff is one act: it reaches the agent it names, once, and counts as bypassed",
  async () => {
    using bench = await setUpGoverned();
    bench.tickets(ticket(T1));
    const first = await startOn(daemon, bench.repo, T1, "write src/a.ts one");
    expectRefusal(await handOver(daemon, first.id, { summary: "x", to: "nobody-here" }), 404, "agent_not_found");
    const handed = expectOk(
      await handOver(daemon, first.id, { to: "script", summary: "Half done.", next: "the other half" }),
    );
    expect(handed.work).toMatchObject({ state: "handed", to: "script", checks: "bypassed", settled: true });
    expect(handed.work?.reason).toBe("handed over to script");
    expect([statusOf(bench, T1), isReleased(bench, T1)]).toEqual(["todo", true]);
    // Somebody else starts first and is not shown it.
    const other = await startOn(daemon, bench.repo, T1, "say hello");
    expect(notesIn(await eventsOf(daemon, other.id))).not.toContain("## Handoff");
    expectOk(await handOver(daemon, other.id, { summary: "For anybody." }));
    const third = await startOn(daemon, bench.repo, T1, "say hello");
    const notes = notesIn(await eventsOf(daemon, third.id));
    expect(notes).toContain(`Session ${other.id}`);
    expect(notes).toContain("| For anybody.");
    const works = await worksOn(daemon, bench.repo, T1);
    expect(works.find(({ sessionId }) => sessionId === other.id)?.receivedBy).toBe(third.id);
    expect(works.find(({ sessionId }) => sessionId === first.id)?.receivedBy).toBeUndefined();
    expectRefusal(await handOver(daemon, other.id, { summary: "again" }), 409, "work_over");
  },
);

proves("GW-9", "case 30: what lands is judged by the ticket's scope: outside, and denied within", async () => {
  using bench = await setUpGoverned();
  bench.tickets(ticket(T1, { scope: { allow: ["src/**"], deny: ["src/secret/**"] } }));
  const smuggle = (path: string) =>
    `git update-index --add --cacheinfo 100644,$(echo x | git hash-object -w --stdin),${path}`;
  const paths = ["src/a.py", "docs/b.md", "src/secret/k"];
  const script = `run ${[...paths.map(smuggle), "git commit -qm merged"].join(" && ")}`;
  const { id } = await startOn(daemon, bench.repo, T1, script);
  const refused = await settled(daemon, (await land(daemon, id)).id);
  const found = refused.findings.filter(({ rule }) => rule === "scope");
  expect(found.map(({ path }) => path).toSorted()).toEqual(["docs/b.md", "src/secret/k"]);
  expect(found.find(({ path }) => path === "docs/b.md")?.message).toContain("no rule of its scope allows it");
  expect(found.find(({ path }) => path === "src/secret/k")?.message).toContain("deny:src/secret/**");
});

proves(
  "GW-9",
  "a ticket that was narrowed meanwhile: what it no longer allows does not land without a yes",
  async () => {
    using bench = await setUpGoverned();
    bench.tickets(ticket(T1, { scope: { allow: ["src/**"], deny: [] } }));
    const { id } = await startOn(daemon, bench.repo, T1, "write src/a.ts one\nwrite src/tax.ts one");
    bench.tickets(ticket(T1, { scope: { allow: ["src/**"], deny: ["src/tax.ts"] } }));
    const refused = await settled(daemon, (await land(daemon, id)).id);
    expect(refused.findings).toMatchObject([{ rule: "scope", path: "src/tax.ts" }]);
    expectOk(await daemon.call("POST", `/api/approvals/${(await pendingOf(daemon, id)).id}/approve`, {}));
    expect(await settled(daemon, (await land(daemon, id)).id)).toMatchObject({ state: "landed" });
  },
);

proves("GW-10", "suspended work gives its lease back or keeps it; to resume takes it anew, or is refused", async () => {
  using bench = await setUpGoverned();
  bench.tickets(ticket(T1));
  const { id } = await startOn(daemon, bench.repo, T1, "say hello");
  const suspend = (body: object) => daemon.call("POST", `/sessions/${id}/suspend`, body);
  expectOk(await suspend({ reason: "lunch" }));
  expect([statusOf(bench, T1), isReleased(bench, T1)]).toEqual(["paused", true]);
  expectRefusal(await finish(daemon, id, { summary: "x" }), 409, "work_suspended");
  expectOk(await daemon.call("POST", `/sessions/${id}/resume`, {}));
  expect([statusOf(bench, T1), isReleased(bench, T1), fenceOf(bench, T1)]).toEqual(["active", false, 2]);
  expectOk(await suspend({ keepLease: true }));
  expect(isReleased(bench, T1)).toBe(false);
  expectOk(await daemon.call("POST", `/sessions/${id}/resume`, {}));
  expectOk(await suspend({}));
  const other = await startOn(daemon, bench.repo, T1, "say hello");
  expectRefusal(await daemon.call("POST", `/sessions/${id}/resume`, {}), 409, "ticket_leased");
  expect((await show(daemon, id)).state).toBe("suspended");
  expect((await show(daemon, other.id)).state).toBe("idle");
});

proves("GW-11", "a lease that somebody took over: no further write, no landing, no finish", async () => {
  using bench = await setUpGoverned();
  bench.tickets(ticket(T1));
  const { id } = await startOn(daemon, bench.repo, T1, "write src/a.ts one");
  await takeOver(bench, T1);
  await turn(daemon, id, "write src/a.ts two\nrun echo three > src/a.ts");
  const { cwd } = await show(daemon, id);
  expect(readFileSync(join(cwd, "src/a.ts"), "utf8")).toBe("one");
  // Refused by the gate, or not even asked about: the turn ends when the loss is noticed.
  await eventually("the loss in the log", async () => (await worksOn(daemon, bench.repo, T1))[0]?.lost);
  await idle(daemon, id);
  await turn(daemon, id, "say what now");
  expect(notesIn(await eventsOf(daemon, id))).toContain('"agent:other" holds it now.');
  const refused = await settled(daemon, (await land(daemon, id)).id);
  expect(refused.findings).toMatchObject([{ rule: "policy" }]);
  expect(refused.findings[0]?.message).toContain("lost the lease");
  expectRefusal(await finish(daemon, id, { summary: "x" }), 409, "lease_lost");
  expect(bench.git(bench.repo, "show", "main:src/main.ts")).toContain("one");
});

/** Another holder takes the ticket: the session's lease is ended by hand, as after its clone was away for too long. */
async function takeOver(bench: GovernedBench, id: string): Promise<void> {
  const git = createGitRunner({ PATH: process.env["PATH"] });
  const clock = systemClock();
  const governed = await openGoverned(git, bench.repo);
  if (governed === null) throw new Error("no law");
  const leases = createLeases({
    refs: createRefs({ git, clock, environment: process.env }),
    clock,
    host: hostname(),
    remoteOf: async () => null,
  });
  const held = await leases.holder(governed, id);
  if (held === null) throw new Error("no lease");
  const { owner, fence, sessionId } = held;
  await leases.release(governed, id, { owner, fence, sessionId });
  await leases.claim(governed, id, { owner: "agent:other" });
}

proves("GW-12", "audit: another model, read-only, and blind to what the writer says of its work", async () => {
  using bench = await setUpGoverned();
  bench.tickets(ticket(T1));
  const writer = await startOn(daemon, bench.repo, T1, "write src/a.ts one");
  expectOk(await finish(daemon, writer.id, { summary: "Trust me.", skipChecks: true, reason: "test" }));
  expectRefusal(await spawn({ cwd: bench.repo, ticket: T1, audit: true }), 409, "audit_same_model");
  expectOk(await daemon.call("POST", "/api/agents", { slug: "auditor", driver: "demo" }), 201);
  const audit = await startOn(daemon, bench.repo, T1, "write src/a.ts mine\nwrite notes.txt x", {
    ...{ audit: true, agent: "auditor" },
  });
  expect(await denialsOf(daemon, audit.id)).toContain("law:audit_reads_only");
  const notes = notesIn(await eventsOf(daemon, audit.id));
  expect(notes).toContain("role audit");
  expect(notes).not.toContain("Trust me.");
});

/** A driver that asks nobody before it runs something, as an agent in print mode. */
const SPY = `export default async ({ say }) => {
  const { spawnSync } = await import("node:child_process");
  const run = (command) => spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" });
  const looks = [
    "ls -A .nomos/mementos; cat .nomos/mementos/*/*",
    "git show HEAD:$(git ls-tree -r --name-only HEAD .nomos/mementos/${T1})",
    "git log -p --all --stat",
    "git cat-file --batch-all-objects --batch-check | cut -d' ' -f1 | GIT_NO_REPLACE_OBJECTS=1 git cat-file --batch",
    "git status --porcelain",
  ];
  await say(looks.map((look) => { const { stdout, stderr } = run(look); return stdout + stderr; }).join("=====\\n") + "-".repeat(20000));
};`;

proves(
  "GW-12",
  "an audit finds no memento of its ticket in its files, in a commit or among the objects of git",
  async () => {
    using bench = await setUpGoverned();
    bench.tickets(ticket(T1), ticket(T2));
    for (const [id, summary] of [
      [T1, "Trust me."],
      [T2, "Read me."],
    ] as const) {
      const writer = await startOn(daemon, bench.repo, id, `write src/${id}.ts one`);
      await settled(daemon, (await land(daemon, writer.id)).id);
      expectOk(await finish(daemon, writer.id, { summary, skipChecks: true, reason: "test" }));
    }
    const file = join(await newFolder(), "spy.ts");
    await writeFile(file, SPY);
    const audit = await startOn(daemon, bench.repo, T1, "look", { adapter: "script", file, audit: true });
    const [message] = await eventsOf(daemon, audit.id, "types=message.completed");
    const blob = `/api/blobs/${String(message?.data["blob"])}`;
    const said = expectOk(await daemon.call<{ content: string }>("GET", blob)).content;
    const [files, shown, log, objects, status] = said.split("=====");
    expect(said).not.toContain("Trust me.");
    expect(files).toContain("Read me.");
    for (const part of [shown, log]) expect(part).toContain("withheld");
    expect(log).toContain("Leave a memento");
    expect(objects).toContain("Read me.");
    expect(status).not.toContain("mementos");
    // Files that were left out are no work: nothing keeps the worktree.
    expectOk(await daemon.call("DELETE", `/sessions/${audit.id}`));
    expectOk(await daemon.call("GET", "/api/worktrees"));
    await eventually("the worktree's end", async () => !existsSync(audit.cwd));
  },
);

proves(
  "GW-13",
  "three sessions at once on overlapping tickets: each is told of the others and where they meet",
  async () => {
    using bench = await setUpGoverned();
    bench.tickets(
      ticket(T1, { scope: { allow: ["src/**"], deny: [] } }),
      ticket(T2, { scope: { allow: ["src/a/**"], deny: [] } }),
      ticket(T3, { scope: { allow: ["docs/**"], deny: ["docs/kept/**"] } }),
    );
    const one = await startOn(daemon, bench.repo, T1, "write src/one.ts 1");
    const [two, three] = await Promise.all([
      startOn(daemon, bench.repo, T2, "write src/a/two.ts 2"),
      startOn(daemon, bench.repo, T3, "write docs/three.md 3"),
    ]);
    const told = notesIn(await eventsOf(daemon, two.id));
    expect(told).toMatch(new RegExp(`works on ${T1} .*both may change "src/a`));
    expect(notesIn(await eventsOf(daemon, three.id))).toContain("nothing in common");
    const drift = expectOk(
      await daemon.call<{ score: number; files: { path: string; inScope: boolean }[] }>(
        "GET",
        `/sessions/${one.id}/drift`,
      ),
    );
    expect(drift).toMatchObject({ score: 0.029, files: [{ path: "src/one.ts", inScope: true }] });
    for (const { id } of [one, two, three])
      expect(await settled(daemon, (await land(daemon, id)).id)).toMatchObject({ state: "landed", into: "main" });
    const history = expectOk(
      await daemon.call<{ samples: unknown[] }>("GET", `/api/drift?${new URLSearchParams({ cwd: bench.repo })}`),
    );
    expect(history.samples.length).toBeGreaterThanOrEqual(3);
    await expectSound(daemon);
  },
);

proves(
  "GW-9",
  "the ticket's file is taken off the branch during the work: nothing lands without its checks",
  async () => {
    using bench = await setUpGoverned();
    bench.tickets(ticket(T1, { checks: [["false"]] }));
    const { id } = await startOn(daemon, bench.repo, T1, "write src/a.ts x");
    bench.git(bench.repo, "rm", "-q", `.nomos/tickets/${T1}.yaml`);
    bench.git(bench.repo, "commit", "-qm", "gone");
    const refused = await settled(daemon, (await land(daemon, id)).id);
    expect(refused.state).toBe("refused");
    expect(refused.findings.map(({ message }) => message).join()).toContain(`${T1} is not on main any more`);
  },
);
