import { execFileSync } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { plantDriver } from "../support/driver-file.ts";
import { startWithAgents } from "../support/fake-agents.ts";
import {
  approvalsOf,
  type Event,
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  linesOf,
  newFolder,
  PATIENCE,
  pendingOf,
  prompt,
  start,
  turn,
} from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startWithAgents({ fake: [] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const rule = (effect: string, verb: string, resource: string) => ({ id: `${effect} ${verb}`, effect, verb, resource });
const setPolicy = async (rules: readonly object[], on = daemon) =>
  expectOk(await on.call("PUT", "/api/config", { config: { policy: { rules } } }));
const approve = async (id: string, on = daemon) => expectOk(await on.call("POST", `/api/approvals/${id}/approve`, {}));
const dataOf = async (id: string, type: string, on = daemon) =>
  (await eventsOf(on, id, `types=${type}`)).map(({ data }) => data);
const said = async (id: string) => (await linesOf(daemon, id)).join("\n");
const changes = async (on = daemon): Promise<readonly Event[]> =>
  expectOk(await on.call<{ entries: Event[] }>("GET", "/api/audit/entries?types=policy.changed")).entries;

proves(
  "GATE-1",
  "a rule denies an agent's command: the agent is told no, nobody is asked, the rules are recorded",
  async () => {
    await setPolicy([rule("deny", "agent.execute", "session/*/command/*rm -rf*")]);
    const { id } = await start(daemon, { adapter: "fake" });
    const padding = "x ".repeat(2000);
    expect(await turn(daemon, id, `ask rm -rf /srv/build\nask echo ${padding}; rm -rf y`)).toMatchObject({
      outcome: "completed",
    });
    expect((await said(id)).match(/"optionId":"n"/g)).toHaveLength(2);
    expect(await approvalsOf(daemon, id)).toEqual([]);
    expect(await dataOf(id, "gate.denied")).toMatchObject([
      { verb: "agent.execute", resource: "command/rm -rf ∕srv∕build", rules: ["deny agent.execute"] },
      { rules: ["deny agent.execute"] },
    ]);
    const { turnId } = await prompt(daemon, id, "ask make");
    const approval = await pendingOf(daemon, id);
    expect(await dataOf(id, "approval.requested")).toMatchObject([{ rules: ["default", "tool_policy:on_demand"] }]);
    await approve(approval.id);
    await ended(daemon, id, turnId);
  },
);

proves(
  "GATE-1",
  "a rule allows an agent's command: it goes on without a person, and the log says by which rule",
  async () => {
    await setPolicy([rule("allow", "agent.execute", "session/*/command/make*")]);
    const { id } = await start(daemon, { adapter: "fake" });
    await turn(daemon, id, "ask make test");
    expect(await said(id)).toContain('"optionId":"y"');
    expect(await approvalsOf(daemon, id)).toEqual([]);
    expect(await dataOf(id, "gate.allowed")).toMatchObject([
      { verb: "agent.execute", resource: "command/make test", rules: ["allow agent.execute"] },
    ]);
  },
);

proves("GATE-1", "a rule that nobody is to be asked turns every question into a no, a form's too", async () => {
  await setPolicy([rule("deny", "tool.ask", "**")]);
  const { id } = await start(daemon, { adapter: "fake" });
  await turn(daemon, id, "ask make\nelicit What is your name?");
  expect(await said(id)).toMatch(/"optionId":"n"[\s\S]*"action":"decline"/);
  expect(await approvalsOf(daemon, id)).toEqual([]);
  expect(await dataOf(id, "gate.denied")).toMatchObject([{ verb: "agent.execute" }, { verb: "tool.ask" }]);
});

proves("GATE-2", "no way of naming a file gets an agent around a rule, and the home is out of its reach", async () => {
  await setPolicy([rule("deny", "agent.*", "session/*/path/law/**")]);
  const cwd = await newFolder();
  await mkdir(join(cwd, "law"));
  await symlink("law", join(cwd, "by-link"));
  const { id } = await start(daemon, { adapter: "fake", cwd });
  const edit = (path: string, more: object = {}) =>
    `permit ${JSON.stringify({ kind: "edit", locations: [{ path }], ...more })}`;
  const attempts = [
    ...["law/a", "by-link/a", "x/../law/a", "LAW/a", join(cwd, "law/a")].map((path) => edit(path)),
    edit("fine.txt", { rawInput: { file_path: "law/a" } }),
    edit("fine.txt", { kind: "read", content: [{ type: "diff", path: "law/a", newText: "x" }] }),
    edit(join(daemon.home, "token"), { kind: "read" }),
  ];
  await turn(daemon, id, attempts.join("\n"));
  expect((await said(id)).match(/permitted: .*"optionId":"n"/g)).toHaveLength(attempts.length);
  expect(await approvalsOf(daemon, id)).toEqual([]);
});

proves("GATE-2", "what the scope would undo is refused instead of asked; what it allows is asked", async () => {
  await setPolicy([]);
  const cwd = await newFolder();
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
  git("init", "-q");
  await writeFile(join(cwd, "README.md"), "x");
  git("add", ".");
  git("commit", "-qm", "first");
  const { id } = await start(daemon, { adapter: "fake", cwd, worktree: true, scope: { allow: ["src"] } });
  const edit = (path: string) => `permit ${JSON.stringify({ kind: "edit", locations: [{ path }] })}`;
  await turn(daemon, id, [edit("README.md"), edit("src/../README.md")].join("\n"));
  expect(await approvalsOf(daemon, id)).toEqual([]);
  expect(await dataOf(id, "gate.denied")).toMatchObject(
    Array(2).fill({ resource: "path/README.md", rules: ["default", "tool_policy:on_demand", "scope:no_rule"] }),
  );
  const { turnId } = await prompt(daemon, id, edit("src/a"));
  await approve((await pendingOf(daemon, id)).id);
  await ended(daemon, id, turnId);
});

proves("GATE-3", "a kind that nobody knows is asked about, also where all else goes through unasked", async () => {
  await setPolicy([rule("allow", "agent.*", "**")]);
  const { id } = await start(daemon, { adapter: "fake" });
  await turn(daemon, id, 'permit {"kind":"edit","locations":[{"path":"a"}]}\npermit {"locations":[]}');
  expect((await said(id)).match(/permitted: .*"optionId":"y"/g)).toHaveLength(2);
  const { turnId } = await prompt(daemon, id, 'permit {"kind":"teleport","locations":[{"path":"a"}]}');
  const approval = await pendingOf(daemon, id);
  expect(approval).toMatchObject({ action: { verb: "agent.other" }, options: ["once"] });
  await approve(approval.id);
  await ended(daemon, id, turnId);
});

proves(
  "GATE-4",
  "a policy that changes while a turn runs counts for its next decision, a yes given before it included",
  async () => {
    await setPolicy([]);
    const before = (await changes()).length;
    const { id } = await start(daemon, { adapter: "fake" });
    const { turnId } = await prompt(daemon, id, "ask make one\nask make two\nsay done");
    const approval = await pendingOf(daemon, id);
    const rules = [rule("deny", "agent.execute", "**")];
    await setPolicy(rules);
    await setPolicy(rules);
    expect((await changes()).slice(before)).toMatchObject([
      { actor: "operator", data: { rules, hash: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    ]);
    await approve(approval.id);
    await ended(daemon, id, turnId);
    expect((await said(id)).match(/"optionId":"n"/g)).toHaveLength(2);
    expect(await approvalsOf(daemon, id)).toHaveLength(1);
  },
);

proves(
  "GATE-4",
  "the effect of our own that a person allowed is refused when the policy denies it by then",
  async () => {
    await setPolicy([]);
    const careful = { slug: "careful-gate", driver: "demo", tools: { run: "always_ask" } };
    expectOk(await daemon.call("POST", "/api/agents", careful), 201);
    const { id } = await start(daemon, { agent: "careful-gate" });
    const { turnId } = await prompt(daemon, id, "run echo did it\nsay after");
    const approval = await pendingOf(daemon, id);
    await setPolicy([rule("deny", "tool.run", "session/*/command/echo*")]);
    await approve(approval.id);
    await ended(daemon, id, turnId);
    expect(await dataOf(id, "effect.begun")).toEqual([]);
    expect(await dataOf(id, "effect.settled")).toMatchObject([
      { outcome: "refused", message: "denied: deny tool.run, tool_policy:always_ask" },
    ]);
  },
);

proves("GATE-4", "calls go by the policy of the moment too, and a policy that is none is refused", async () => {
  await setPolicy([rule("deny", "workspace.*", "**")]);
  expectRefusal(await daemon.call("GET", "/api/workspaces"), 403, "denied");
  await setPolicy([]);
  expectOk(await daemon.call("GET", "/api/workspaces"));
  const off = [
    { id: "x", effect: "maybe", verb: "*", resource: "**" },
    rule("deny", "no verb", "**"),
    rule("deny", "*", "a/../b"),
  ];
  for (const bad of off)
    expectRefusal(
      await daemon.call("PUT", "/api/config", { config: { policy: { rules: [bad] } } }),
      400,
      "invalid_request",
    );
});

proves("GATE-4", "a restart records a policy that was changed in the file meanwhile, and only that", async () => {
  await using first = await startWithAgents({ fake: [] });
  expect(await changes(first)).toEqual([]);
  const rules = [rule("deny", "agent.fetch", "**")];
  await setPolicy(rules, first);
  await first.stop();
  await using second = await startDaemon({ home: first.home });
  expect(await changes(second)).toHaveLength(1);
  await second.kill9();
  const file = join(first.home, "config.json");
  const config = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...config, policy: { rules: [] } }));
  await using third = await startDaemon({ home: first.home });
  expect((await changes(third)).slice(1)).toMatchObject([{ actor: "daemon", data: { rules: [] } }]);
});

proves(
  "GATE-5",
  "an agent asks the same twice at once: one question, one answer for both, and the log says so",
  async () => {
    await setPolicy([]);
    const { id } = await start(daemon, { adapter: "fake" });
    const { turnId } = await prompt(daemon, id, "ask-twice make");
    await eventually("the second asking", async () => (await dataOf(id, "approval.joined")).length === 1);
    const pending = await approvalsOf(daemon, id);
    expect(pending).toHaveLength(1);
    await approve(pending[0]?.id ?? "");
    await ended(daemon, id, turnId);
    expect((await said(id)).match(/"optionId":"y"/g)).toHaveLength(2);
    expect(await dataOf(id, "approval.joined")).toMatchObject([{ approvalId: pending[0]?.id, turnId }]);
    expect(await approvalsOf(daemon, id)).toHaveLength(1);
  },
);

proves(
  "GATE-5",
  "a question asked twice by a driver outlives kill -9 as one, and its answer reaches both",
  async () => {
    await using first = await startDaemon();
    const file = await plantDriver(`export default async ({ ask, say, reach }) => {
    await reach("begin");
    const one = ask("Go on?", ["yes", "no"], { key: "one" });
    const two = ask("Go on?", ["yes", "no"], { key: "two" });
    const other = ask("Sure?", ["yes", "no"], { key: "three" });
    const replies = await Promise.all([one, two, other]);
    await say(replies.map(({ approved, option }) => approved + " " + option).join(", "));
  };`);
    const { id } = await start(first, { adapter: "script", file });
    const { turnId } = await prompt(first, id, "go");
    await eventually("both questions", async () => (await approvalsOf(first, id)).length === 2);
    await eventually("the joining", async () => (await dataOf(id, "approval.joined", first)).length === 1);
    const goOn = (await approvalsOf(first, id)).find(({ question }) => question === "Go on?");
    expectOk(await first.call("POST", `/api/approvals/${goOn?.id}/approve`, { option: "yes" }));
    await first.kill9();
    await using second = await startDaemon({ home: first.home });
    const left = await pendingOf(second, id);
    expect(left.question).toBe("Sure?");
    expectOk(await second.call("POST", `/api/approvals/${left.id}/approve`, { option: "no" }));
    await ended(second, id, turnId);
    expect(await linesOf(second, id)).toContain("true yes, true yes, true no");
    expect(await approvalsOf(second, id)).toHaveLength(2);
  },
);
