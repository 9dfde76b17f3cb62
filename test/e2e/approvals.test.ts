import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { newHome, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { plantDriver } from "./support/driver-file.ts";
import {
  type Approval,
  approvalsOf,
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  expectSound,
  linesOf,
  PATIENCE,
  pendingOf,
  prompt,
  show,
  start,
  turn,
  typesOf,
  UUID,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const careful = async (on: TestDaemon, slug: string, policy: string): Promise<string> => {
  const tools = { run: policy, write: policy };
  expectOk(await on.call("POST", "/api/agents", { slug, driver: "demo", tools }), 201);
  return slug;
};

proves(
  "A1",
  "a question pauses its turn: the session is busy, the question listed; the answer lets the turn go on",
  async () => {
    const { id } = await start(daemon);
    const { turnId } = await prompt(daemon, id, "ask May I?\nsay after");
    const approval = await pendingOf(daemon, id);
    expect(approval).toMatchObject({ sessionId: id, turnId, question: "May I?", options: ["yes", "no"] });
    expect(approval.id).toMatch(UUID);
    expect(await show(daemon, id)).toMatchObject({ busy: true, waitingFor: "approval" });
    expectRefusal(await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: "x" }), 409, "session_busy");
    const answered = expectOk(await daemon.call("POST", `/api/approvals/${approval.id}/approve`, { option: "yes" }));
    expect(answered).toMatchObject({ id: approval.id, status: "approved" });
    expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
    expect(await linesOf(daemon, id)).toEqual([
      "[awaiting input] May I?",
      "approved: yes",
      "after",
      "── turn-end (completed) ──",
    ]);
  },
);

proves("A1", "a rejection reaches the driver with its reason, and the turn goes on", async () => {
  const { id } = await start(daemon);
  const { turnId } = await prompt(daemon, id, "ask May I?");
  const approval = await pendingOf(daemon, id);
  const answered = expectOk(await daemon.call("POST", `/api/approvals/${approval.id}/reject`, { reason: "no time" }));
  expect(answered).toMatchObject({ status: "rejected" });
  await ended(daemon, id, turnId);
  expect(await linesOf(daemon, id)).toContain("rejected: no time");
});

proves("A1", "a rejection and its reason are lines of the session", async () => {
  const { id } = await start(daemon);
  const { turnId } = await prompt(daemon, id, "ask One?\nask Two?");
  expectOk(
    await daemon.call("POST", `/api/approvals/${(await pendingOf(daemon, id)).id}/reject`, { reason: "no time" }),
  );
  expectOk(await daemon.call("POST", `/api/approvals/${(await pendingOf(daemon, id)).id}/reject`, {}));
  await ended(daemon, id, turnId);
  expect((await linesOf(daemon, id)).filter((line) => line.startsWith("[rejected]"))).toEqual([
    "[rejected] no time",
    "[rejected]",
  ]);
});

proves("A7", "a question brings the whole command, or the path and the diff, until it is answered", async () => {
  const agent = await careful(daemon, "detailed", "always_ask");
  const { id, cwd } = await start(daemon, { agent });
  await writeFile(join(cwd, "a.txt"), "one\ntwo\n");
  const { turnId } = await prompt(daemon, id, "run echo did it; echo more\nwrite a.txt one\nwrite sub/new.txt x");
  const show = async (approvalId: string) =>
    expectOk(await daemon.call<Approval>("GET", `/api/approvals/${approvalId}`));
  const details: unknown[] = [];
  for (let asked = 0; asked < 3; asked += 1) {
    const approval = await pendingOf(daemon, id);
    expect(await show(approval.id)).toEqual(approval);
    details.push(approval.detail);
    expectOk(await daemon.call("POST", `/api/approvals/${approval.id}/approve`, {}));
    expect((await show(approval.id)).detail).toBeUndefined();
  }
  await ended(daemon, id, turnId);
  expect(details).toEqual([
    { command: "echo did it; echo more" },
    {
      path: "a.txt",
      diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1 @@\n-one\n-two\n+one\n\\ No newline at end of file\n",
    },
    {
      path: "sub/new.txt",
      diff: "--- /dev/null\n+++ b/sub/new.txt\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n",
    },
  ]);
  const asked = await eventsOf(daemon, id, "types=approval.requested");
  expect(asked.map(({ data }) => data["detail"])).toEqual(details);
  expectOk(await daemon.call("POST", `/sessions/${id}/erase`, { events: asked.map((event) => event.id) }));
  expect(await approvalsOf(daemon, id)).toEqual([]);
  await expectSound(daemon);
});

proves("A7", "a write over something that cannot be read is asked about without its old content", async () => {
  const agent = await careful(daemon, "piped", "always_ask");
  const { id, cwd } = await start(daemon, { agent });
  execFileSync("mkfifo", [join(cwd, "pipe")]);
  await prompt(daemon, id, "write pipe x");
  const { detail } = await pendingOf(daemon, id);
  expect(detail).toEqual({
    path: "pipe",
    diff: "--- a/pipe\n+++ b/pipe\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n",
  });
  expectOk(await daemon.call("DELETE", `/sessions/${id}`));
});

proves("A2", "the first answer counts; a later or concurrent one is refused", async () => {
  const { id } = await start(daemon);
  const { turnId } = await prompt(daemon, id, "ask Who?");
  const approval = await pendingOf(daemon, id);
  const path = `/api/approvals/${approval.id}`;
  expectRefusal(await daemon.call("POST", `${path}/approve`, { option: "maybe" }), 400, "invalid_option");
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => daemon.call("POST", `${path}/${at % 2 === 0 ? "approve" : "reject"}`, {})),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status !== 200)) expectRefusal(answer, 409, "already_answered");
  await ended(daemon, id, turnId);
  expect(await eventsOf(daemon, id, "types=approval.answered")).toHaveLength(1);
  expectRefusal(await daemon.call("POST", `${path}/approve`, {}), 409, "already_answered");
  expectRefusal(await daemon.call("POST", "/api/approvals/nobody/approve", {}), 404, "approval_not_found");
});

proves("A3", "an agent's tools ask as its policy says: nothing is done before the answer", async () => {
  const agent = await careful(daemon, "careful", "always_ask");
  const { id } = await start(daemon, { agent });
  const { turnId } = await prompt(daemon, id, "run echo did it\nwrite a.txt x");
  const first = await pendingOf(daemon, id);
  expect(first.action).toMatchObject({ verb: "tool.run" });
  expect(typesOf(await eventsOf(daemon, id))).not.toContain("effect.begun@1");
  expectOk(await daemon.call("POST", `/api/approvals/${first.id}/approve`, {}));
  const second = await pendingOf(daemon, id);
  expect(second.action).toMatchObject({ verb: "tool.write" });
  expectOk(await daemon.call("POST", `/api/approvals/${second.id}/reject`, { reason: "not there" }));
  await ended(daemon, id, turnId);
  const outcomes = (await eventsOf(daemon, id, "types=effect.settled")).map(({ data }) => data["outcome"]);
  expect(outcomes).toEqual(["done", "refused"]);
  expect(await linesOf(daemon, id)).toContain("did it");
});

proves("A3", "`always` allows the verb for the rest of the session, `once` does not; `never` denies it", async () => {
  const agent = await careful(daemon, "on-demand", "on_demand");
  const { id } = await start(daemon, { agent });
  await prompt(daemon, id, "run echo one");
  expectOk(await daemon.call("POST", `/api/approvals/${(await pendingOf(daemon, id)).id}/approve`, { option: "once" }));
  const second = await prompt(daemon, id, "run echo two", { queue: true });
  const again = await pendingOf(daemon, id);
  expectOk(await daemon.call("POST", `/api/approvals/${again.id}/approve`, { option: "always" }));
  await ended(daemon, id, second.turnId);
  expect(await turn(daemon, id, "run echo three")).toMatchObject({ outcome: "completed" });
  expect(await approvalsOf(daemon, id)).toHaveLength(2);
  const never = await start(daemon, { agent: await careful(daemon, "never", "never") });
  await turn(daemon, never.id, "run echo four\nsay went on");
  expect(await linesOf(daemon, never.id)).toContain("went on");
  expect(typesOf(await eventsOf(daemon, never.id))).toContain("gate.denied@1");
  expect(typesOf(await eventsOf(daemon, never.id))).not.toContain("effect.intended@1");
});

proves("A4", "a question ends with its turn: interrupted, killed, forgotten", async () => {
  for (const end of ["interrupt", "kill", "suspend"]) {
    const { id } = await start(daemon);
    await prompt(daemon, id, "ask Still there?");
    const approval = await pendingOf(daemon, id);
    expectOk(await daemon.call("POST", `/sessions/${id}/${end}`));
    expect(await approvalsOf(daemon, id)).toMatchObject([{ id: approval.id, status: "cancelled" }]);
    expectRefusal(await daemon.call("POST", `/api/approvals/${approval.id}/approve`, {}), 409, "already_answered");
  }
});

for (const [how, stop] of [
  ["a graceful stop", (one: TestDaemon) => one.stop()],
  ["kill -9", (one: TestDaemon) => one.kill9()],
] as const)
  proves.concurrent(
    "A5",
    `a question survives ${how}: it can be answered after the restart, and the turn goes on`,
    async () => {
      const home = await newHome();
      const before = await startDaemon({ home });
      const agent = await careful(before, "careful", "always_ask");
      const asking = await start(before);
      const acting = await start(before, { agent });
      const asked = await prompt(before, asking.id, "say once only\nask Go on?\nsay afterwards");
      const queued = await prompt(before, asking.id, "say and the queue", { queue: true });
      const acted = await prompt(before, acting.id, "say hello\nrun echo did it >> did.txt; cat did.txt");
      const question = await pendingOf(before, asking.id);
      const action = await pendingOf(before, acting.id);
      await stop(before);

      const after = await startDaemon({ home });
      expect(await show(after, asking.id)).toMatchObject({ busy: true, waitingFor: "approval", queued: 1 });
      expect(await pendingOf(after, asking.id)).toEqual(question);
      expectOk(await after.call("POST", `/api/approvals/${question.id}/approve`, { option: "yes" }));
      expectOk(await after.call("POST", `/api/approvals/${action.id}/approve`, {}));
      for (const [id, { turnId }] of [
        [asking.id, asked],
        [asking.id, queued],
        [acting.id, acted],
      ] as const)
        expect(await ended(after, id, turnId)).toMatchObject({ outcome: "completed" });
      expect(await linesOf(after, asking.id)).toEqual([
        "once only",
        "[awaiting input] Go on?",
        "approved: yes",
        "afterwards",
        "── turn-end (completed) ──",
        "and the queue",
        "── turn-end (completed) ──",
      ]);
      expect((await linesOf(after, acting.id)).filter((line) => line === "did it")).toHaveLength(1);
      expectRefusal(await after.call("POST", `/api/approvals/${question.id}/reject`, {}), 409, "already_answered");
      await expectSound(after);
    },
  );

proves("A5", "a question may wait longer than the turn's time limit", async () => {
  expectOk(await daemon.call("PUT", "/api/config", { config: { turnTimeoutMs: 1000 } }));
  const { id } = await start(daemon);
  const { turnId } = await prompt(daemon, id, "ask Any time.\nsay thanks");
  const approval = await pendingOf(daemon, id);
  const untilMs = Date.now() + 2500;
  await eventually("time passes", async () => Date.now() > untilMs);
  expect(await approvalsOf(daemon, id)).toMatchObject([{ id: approval.id, status: "pending" }]);
  expectOk(await daemon.call("POST", `/api/approvals/${approval.id}/approve`, {}));
  expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
  expectOk(await daemon.call("PUT", "/api/config", { config: { turnTimeoutMs: null } }));
});

proves("A6", "every pending question is in the list, however many were answered before", async () => {
  const file = await plantDriver(`export default async ({ ask }) => {
    await Promise.allSettled(Array.from({ length: 64 }, (_, at) => ask("number " + at)));
  };`);
  const { id } = await start(daemon, { adapter: "script", file });
  for (let round = 0; round < 17; round += 1) {
    const { turnId } = await prompt(daemon, id, "ask");
    const asked = async () => (await eventsOf(daemon, id, `types=approval.requested&turnId=${turnId}`)).length;
    await eventually("64 questions", async () => (await asked()) === 64);
    expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`));
  }
  const list = async (query: string) =>
    expectOk(await daemon.call<{ approvals: Approval[] }>("GET", `/api/approvals${query}`)).approvals;
  const other = await start(daemon);
  await prompt(daemon, other.id, "ask the newest");
  const newest = await pendingOf(daemon, other.id);
  expect((await list("")).map((one) => one.id)).toContain(newest.id);
  expect((await list("?status=pending")).map(({ status }) => status)).not.toContain("cancelled");
  expect((await list("?status=pending")).map((one) => one.id)).toContain(newest.id);
});
