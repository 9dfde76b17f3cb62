import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { answer, calling, failing } from "../../engine/model-server/index.ts";
import { proves } from "../../support/proves.ts";
import { eventsOf, eventually, expectOk, newFolder, PATIENCE, pendingOf, prompt, show, turn } from "../support/talk.ts";
import { call } from "./support/chat.ts";
import { begin, COMPLETED, openStage, play, resultOf, type Stage } from "./support/scenes.ts";

vi.setConfig(PATIENCE);

const SCRIPT = "demo/script";
const KEY = "sk-test-0123456789";
const rules = [
  { id: "no-secrets", effect: "deny", verb: "tool.read", resource: "session/*/path/secret/**" },
  { id: "ask-git", effect: "ask", verb: "tool.git", resource: "**" },
];

let stage: Stage;
let ruled: Stage;
beforeAll(async () => {
  [stage, ruled] = await Promise.all([openStage(), openStage({ policy: { rules } })]);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await ruled[Symbol.asyncDispose]();
});

const resultsOf = async (of: Stage, id: string): Promise<readonly string[]> =>
  (await eventsOf(of.daemon(), id, "types=tool.ended")).map(({ data }) =>
    String((data["output"] as { text: string }).text),
  );

proves("ENG-18", "a rule denies a file: no tool reads it, also not by a search over its folder", async () => {
  const cwd = await newFolder();
  mkdirSync(join(cwd, "secret"));
  writeFileSync(join(cwd, "secret/key.txt"), "HIDDEN-WORD");
  writeFileSync(join(cwd, "open.txt"), "plain");
  const { id } = await begin(ruled.daemon(), SCRIPT, { cwd });
  const script = [
    "read open.txt",
    "read secret/key.txt",
    'call grep {"pattern":"HIDDEN"}',
    'call glob {"pattern":"**"}',
    "read secret/../secret/key.txt",
    "say done",
  ];
  await turn(ruled.daemon(), id, script.join("\n"));
  const results = await resultsOf(ruled, id);
  expect(results).toHaveLength(5);
  expect(results[0]).toContain("plain");
  expect(results.join("\n")).not.toContain("HIDDEN-WORD");
  const denied = await eventsOf(ruled.daemon(), id, "types=gate.denied");
  expect(denied.length).toBeGreaterThanOrEqual(4);
});

proves("ENG-18", "a rule asks before git commits: nothing is committed before a person agrees", async () => {
  const cwd = await newFolder();
  const git = (...args: string[]): string => execFileSync("git", ["-C", cwd, ...args], { encoding: "utf8" });
  git("init", "-q");
  git("config", "user.email", "a@example.test");
  git("config", "user.name", "a");
  writeFileSync(join(cwd, "a.txt"), "one");
  const { id } = await begin(ruled.daemon(), SCRIPT, { cwd });
  const call = 'call git {"action":"commit","message":"First","paths":["a.txt"]}';
  const { turnId } = await prompt(ruled.daemon(), id, `${call}\nsay done`);
  const question = await pendingOf(ruled.daemon(), id);
  expect(question.turnId).toBe(turnId);
  expect(git("status", "--porcelain")).toContain("?? a.txt");
  const reject = { reason: "not now" };
  expectOk(await ruled.daemon().call("POST", `/api/approvals/${question.id}/reject`, reject));
  await eventually("the session is idle", async () => !(await show(ruled.daemon(), id)).busy);
  expect((await resultsOf(ruled, id)).join("\n")).toContain("not now");
  expect(git("status", "--porcelain")).toContain("?? a.txt");
});

proves("ENG-9", "a session with a scope commits what it may change, and nothing else", async () => {
  const cwd = await newFolder();
  const git = (...args: string[]): string => execFileSync("git", ["-C", cwd, ...args], { encoding: "utf8" });
  git("init", "-q");
  mkdirSync(join(cwd, "src"));
  for (const name of ["src/a.txt", "other.txt"]) writeFileSync(join(cwd, name), "before");
  git("add", ".");
  git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "first");
  const { id } = await begin(stage.daemon(), SCRIPT, { cwd, worktree: true, scope: { allow: ["src/**"], deny: [] } });
  const script = [
    "run git config user.name A; git config user.email a@example.com; echo x > src/a.txt; echo x > other.txt",
    'call git {"action":"commit","message":"all","all":true}',
    'call git {"action":"commit","message":"src","paths":["src"]}',
    "run git show --format=%s --name-only",
  ];
  await turn(stage.daemon(), id, script.join("\n"));
  const [, all, src, shown] = await resultsOf(stage, id);
  expect(all).toContain("other.txt is outside");
  expect(src).toMatch(/^Committed \w+ src/);
  expect(shown).toBe("src\n\nsrc/a.txt");
});

proves("G10", "a link above the session's directory does not bring the home to the model", async () => {
  const root = await newFolder();
  execFileSync("git", ["-C", root, "init", "-q"]);
  const cwd = join(root, "sub");
  mkdirSync(cwd);
  symlinkSync(join(stage.home, "token"), join(root, "AGENTS.md"));
  symlinkSync("/etc/hostname", join(root, "CLAUDE.md"));
  symlinkSync(join(stage.home, "config.json"), join(cwd, "AGENTS.md"));
  const { id } = await begin(stage.daemon(), SCRIPT, { cwd });
  await turn(stage.daemon(), id, "say hi");
  const composed = await eventsOf(stage.daemon(), id, "types=context.composed");
  const token = readFileSync(join(stage.home, "token"), "utf8").trim();
  expect(composed).toHaveLength(1);
  expect(JSON.stringify(composed)).not.toContain(token);
  const parts = composed[0]?.data["parts"] as readonly { readonly source: string }[];
  expect(parts.map(({ source }) => source)).toEqual(["built-in", "session"]);
});

proves(
  "ENG-19",
  "a model's key is in no file of the home, no tool's environment and no argument of a process",
  async () => {
    const scene = stage.scene();
    scene.queue(answer("ok"));
    const { id } = await begin(stage.daemon(), scene.anthropic);
    expect((await play(stage.daemon(), id, "hello")).outcome).toBe("completed");
    expect(JSON.stringify(scene.requests().map(({ headers }) => headers))).toContain(KEY);
    const scripted = await begin(stage.daemon(), SCRIPT);
    await turn(stage.daemon(), scripted.id, "run env; cat /proc/*/cmdline | tr '\\0' ' '\nsay done");
    expect((await resultsOf(stage, scripted.id)).join("\n")).not.toContain(KEY);
    for (const entry of readdirSync(stage.home, { recursive: true, withFileTypes: true }))
      if (entry.isFile())
        expect(readFileSync(join(entry.parentPath, entry.name)).includes(KEY), entry.name).toBe(false);
  },
);

proves(
  "MOD-1",
  "a provider that fails again and again: the status says so, and no request reaches it while it rests",
  async () => {
    const scene = stage.scene();
    scene.decide(() => failing(503, { error: { message: "down" } }, { "retry-after-ms": "1" }));
    const { id } = await begin(stage.daemon(), scene.model);
    const first = await play(stage.daemon(), id, "hello");
    expect(first).toMatchObject({ outcome: "failed", error: { code: "model_failed" } });
    const sent = scene.requests().length;
    const [provider] = scene.model.split("/");
    type Status = { readonly models: { readonly breakers: readonly { provider: string; state: string }[] } };
    const status = expectOk(await stage.daemon().call<Status>("GET", "/api/status"));
    expect(status.models.breakers).toContainEqual(expect.objectContaining({ provider, state: "open" }));
    const { turnId } = await prompt(stage.daemon(), id, "again");
    await eventually(
      "the second turn runs",
      async () => (await eventsOf(stage.daemon(), id, "types=turn.started")).length === 2,
    );
    expect(scene.requests()).toHaveLength(sent);
    expectOk(await stage.daemon().call("POST", `/sessions/${id}/interrupt`, {}));
    const ends = await eventsOf(stage.daemon(), id, "types=turn.ended");
    expect(ends.at(-1)?.data).toMatchObject({ turnId, outcome: "interrupted" });
    expect(scene.requests()).toHaveLength(sent);
  },
);

proves(
  "ENG-21",
  "kill -9 in the middle of a turn: what it cost and its steps before count for its limits; the next turn has its own",
  async () => {
    const scenes = [stage.scene(), stage.scene()] as const;
    const [poor, short] = await Promise.all([
      // A step costs 720 millionths of a dollar.
      begin(stage.daemon(), scenes[0].model, { options: { budget: "0.001" } }),
      begin(stage.daemon(), scenes[1].model, { options: { steps: "2" } }),
    ]);
    const turns: string[] = [];
    for (const [at, { id }] of [poor, short].entries()) {
      scenes[at]?.queue(calling(call("terminal", { command: "sleep 30" })), calling(call("ls", {})));
      turns.push((await prompt(stage.daemon(), id, "go")).turnId);
      await eventually("a command", async () => (await eventsOf(stage.daemon(), id, "types=effect.begun")).length > 0);
    }
    for (const { decide } of scenes) decide(() => answer("No limit ended this."));
    await stage.restart("kill9");
    for (const [at, { id }] of [poor, short].entries()) {
      const end = await resultOf(stage.daemon(), id, turns[at] ?? "");
      expect(end).toMatchObject({ outcome: "failed", error: { code: "steps_exceeded" } });
      expect(scenes[at]?.requests()).toHaveLength(2);
      expect(await play(stage.daemon(), id, "again")).toMatchObject(COMPLETED);
    }
  },
);
