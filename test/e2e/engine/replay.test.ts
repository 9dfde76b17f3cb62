import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { answer, calling, failing } from "../../engine/model-server/index.ts";
import { runCliHere } from "../../support/cli-here.ts";
import { runCli } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import {
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  newFolder,
  PATIENCE,
  prompt,
  typesOf,
} from "../support/talk.ts";
import { call } from "./support/chat.ts";
import type { Replayed } from "./support/replay-all.ts";
import { begin, openStage, play, type Stage } from "./support/scenes.ts";

vi.setConfig(PATIENCE);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Replay extends Replayed {
  readonly spent: { readonly input: number; readonly costUsd: number | null };
  readonly wouldCost?: { readonly costUsd: number | null };
  readonly compared?: { readonly answers: number; readonly spent: { readonly costUsd: number | null } };
  readonly refused: readonly { readonly title: string; readonly rules: readonly string[]; readonly was: string }[];
  readonly asked: readonly { readonly title: string; readonly verb: string }[];
}

const replay = async (id: string, body: object = {}, status = 200): Promise<Replay> =>
  expectOk(await stage.daemon().call<Replay>("POST", `/sessions/${id}/replay`, body), status);
const divergencesIn = ({ turns }: Replay) => turns.flatMap(({ divergences }) => divergences);
const USAGE = { input: 1000, output: 100 };

proves(
  "REP-1",
  "parallel tools, a retry, steering, an interrupt and a kill -9 in one session: every turn is the same",
  async () => {
    const { model, queue } = stage.scene();
    const cwd = await newFolder();
    const { id } = await begin(stage.daemon(), model, { cwd });
    await writeFile(join(cwd, "a.txt"), "alpha");
    queue(
      calling(call("read", { path: "a.txt" }), call("terminal", { command: "sleep 0.6; echo slow" }), call("ls", {})),
      failing(503, { error: { message: "overloaded" } }),
      answer("Read."),
    );
    await play(stage.daemon(), id, "look");
    queue(calling(call("terminal", { command: "sleep 0.4" })), answer("Steered."));
    const steered = await prompt(stage.daemon(), id, "go");
    await effectIn(id);
    expectOk(await stage.daemon().call("POST", `/sessions/${id}/prompt`, { prompt: "left", steer: true }));
    await ended(stage.daemon(), id, steered.turnId);
    queue(calling(call("terminal", { command: "sleep 30" })));
    const cut = await prompt(stage.daemon(), id, "stop me");
    await effectIn(id, 2);
    expectOk(await stage.daemon().call("POST", `/sessions/${id}/interrupt`, {}));
    await ended(stage.daemon(), id, cut.turnId);
    queue(calling(call("terminal", { command: "sleep 1; echo x >> once" })), answer("Survived."));
    const killed = await prompt(stage.daemon(), id, "survive");
    await effectIn(id, 3);
    await stage.restart();
    await ended(stage.daemon(), id, killed.turnId);
    const report = await replay(id);
    expect(divergencesIn(report)).toEqual([]);
    expect(report.turns.map(({ kind, is }) => `${kind} ${is}`)).toEqual(Array(4).fill("own same"));
    expect(report.turns.map(({ steps }) => steps)).toEqual([3, 2, 1, 2]);
  },
);

const effectIn = (id: string, n = 1) =>
  eventually("a command runs", async () => {
    const types = typesOf(await eventsOf(stage.daemon(), id));
    return types.slice(types.lastIndexOf("turn.started@1")).includes("effect.begun@1") && n > 0;
  });

proves("REP-3", "a replay touches nothing: no request, no file, no process, and not one event", async () => {
  const { model, queue, requests } = stage.scene();
  const cwd = await newFolder();
  const { id } = await begin(stage.daemon(), model, { cwd });
  queue(
    calling(call("write", { path: "b.txt", content: "one" }), call("terminal", { command: "echo $$ >> pids" })),
    answer("Done."),
  );
  await play(stage.daemon(), id, "work");
  const standing = async () => ({
    files: await Promise.all(
      (await readdir(cwd)).toSorted().map(async (name) => [name, await readFile(join(cwd, name), "utf8")]),
    ),
    events: (await eventsOf(stage.daemon(), id)).map(({ id: eventId }) => eventId),
    head: expectOk(await stage.daemon().call<{ seq: number }>("GET", "/api/audit/checkpoint")),
    requests: requests().length,
  });
  await writeFile(join(cwd, "b.txt"), "changed since");
  const before = await standing();
  const deny = { id: "no", effect: "deny", verb: "tool.*", resource: "**" };
  for (const body of [{}, { policy: { rules: [deny] } }]) expect((await replay(id, body)).diverged).toBe(false);
  expect(await standing()).toEqual(before);
});

proves("REP-4", "another model is asked what was asked then; its price, its cost and its budget are told", async () => {
  const { model, queue } = stage.scene();
  const other = stage.scene();
  const { id } = await begin(stage.daemon(), model);
  const first = calling(call("terminal", { command: "echo 1" }));
  queue({ ...first, usage: USAGE }, { ...answer("It is 1."), usage: USAGE });
  await play(stage.daemon(), id, "count");
  other.queue({ ...first, usage: USAGE }, { ...answer("It is 1."), usage: USAGE });
  const same = await replay(id, { model: other.model });
  expect(same).toMatchObject({ diverged: false, compared: { answers: 2 }, spent: { input: 2000, costUsd: 0.009 } });
  expect(same.wouldCost?.costUsd).toBeCloseTo(0.009);
  expect(same.compared?.spent.costUsd).toBeCloseTo(0.009);
  // It was asked with the recorded history: the second request has the recorded result.
  expect(JSON.stringify(other.requests()[1]?.body)).toContain("echo 1");
  other.queue({ ...calling(call("terminal", { command: "rm -rf 1" })), usage: USAGE });
  const differs = await replay(id, { model: other.model });
  expect(differs.diverged).toBe(true);
  expect(divergencesIn(differs)).toMatchObject([{ in: "calls", step: 1 }]);
  const events = await eventsOf(stage.daemon(), id);
  expect(events.map((event) => event.id)).toContain(differs.at);
  other.queue({ ...first, usage: USAGE });
  const poor = await replay(id, { model: other.model, budget: 0.001 });
  expect(poor).toMatchObject({ diverged: false, compared: { answers: 1 } });
  expect(poor.notes.join()).toContain("budget");
  other.queue(failing(401, { error: { message: "Incorrect API key provided", type: "invalid_request_error" } }));
  expectRefusal(await stage.daemon().call("POST", `/sessions/${id}/replay`, { model: other.model }), 502, "model_auth");
  expectRefusal(
    await stage.daemon().call("POST", `/sessions/${id}/replay`, { model: "no/such" }),
    400,
    "unknown_model",
  );
});

proves("REP-4", "whoever may only read may replay, but not spend", async () => {
  const { model, queue, requests } = stage.scene();
  const { id } = await begin(stage.daemon(), model);
  queue(answer("Hello."));
  await play(stage.daemon(), id, "hello");
  const issued = await stage
    .daemon()
    .call<{ secret: string }>("POST", "/api/tokens", { capabilities: ["session.read"] });
  const authorization = `Bearer ${expectOk(issued, 201).secret}`;
  const as = (body: object) => stage.daemon().call<Replay>("POST", `/sessions/${id}/replay`, body, { authorization });
  expect(expectOk(await as({})).diverged).toBe(false);
  expectRefusal(await as({ model }), 403, "denied");
  expect(requests().length).toBe(1);
});

proves("REP-5", "a policy judges what was done: refused, asked, and by which rule", async () => {
  const { model, queue } = stage.scene();
  const cwd = await newFolder();
  const { id } = await begin(stage.daemon(), model, { cwd });
  await writeFile(join(cwd, "secret.txt"), "x");
  queue(
    calling(call("read", { path: "secret.txt" }), call("write", { path: "src/a.ts", content: "" })),
    calling(call("terminal", { command: "curl https://example.org" })),
    answer("Done."),
  );
  await play(stage.daemon(), id, "work");
  const rule = (effect: string, verb: string, resource: string) => ({
    id: `${effect} ${verb}`,
    effect,
    verb,
    resource,
  });
  const rules = [
    rule("deny", "tool.read", "session/*/path/secret.txt"),
    rule("ask", "tool.write", "session/*/path/src/**"),
    rule("deny", "tool.run", "session/*/command/curl*"),
  ];
  const { refused, asked, diverged } = await replay(id, { policy: { rules } });
  expect(diverged).toBe(false);
  expect(refused.map(({ title, was }) => [title, was])).toEqual([
    ["Read secret.txt", "allowed"],
    ["run: curl https://example.org", "allowed"],
  ]);
  expect(refused[1]?.rules).toContain("deny tool.run");
  expect(asked.map(({ verb }) => verb)).toEqual(["tool.write"]);
  expect(await replay(id)).toMatchObject({ refused: [], asked: [], policy: "current" });
  const bad = await stage.daemon().call("POST", `/sessions/${id}/replay`, { policy: { rules: [{ id: "x" }] } });
  expectRefusal(bad, 400, "invalid_request");
});

proves(
  "REP-6",
  "an unknown session or event, an erased prompt, a turn that still runs: said, or replayed as far as it goes",
  async () => {
    const { model, queue } = stage.scene();
    const { id } = await begin(stage.daemon(), model);
    queue(answer("One."), answer("Two."));
    await play(stage.daemon(), id, "first");
    await play(stage.daemon(), id, "second");
    const post = (path: string, body: object) => stage.daemon().call("POST", path, body);
    expectRefusal(await post("/sessions/no-such-session/replay", {}), 404, "session_not_found");
    expectRefusal(await post(`/sessions/${id}/replay`, { until: "no label" }), 404, "event_not_found");
    const events = await eventsOf(stage.daemon(), id);
    const firstEnd = events.find(({ type }) => type === "turn.ended@1");
    expect((await replay(id, { until: firstEnd?.id })).turns.length).toBe(1);
    queue(calling(call("terminal", { command: "sleep 20" })));
    const { turnId } = await prompt(stage.daemon(), id, "third");
    await effectIn(id);
    const running = await replay(id);
    expect(running.diverged).toBe(false);
    expect(running.notes.join()).toContain("still running");
    expectOk(await post(`/sessions/${id}/interrupt`, {}));
    await ended(stage.daemon(), id, turnId);
    const message = events.find(({ type }) => type === "message.completed@1");
    expectOk(await post(`/sessions/${id}/erase`, { events: [message?.id] }));
    const holed = await replay(id);
    expect(holed.turns.map(({ is }) => is)).toEqual(["skipped", "same", "same"]);
    expect(holed.notes.join()).toContain("erased");
  },
);

proves(
  "REP-5",
  "a session of another agent: its calls are judged, its last words compared, its holes named",
  async () => {
    const cwd = await newFolder();
    const begun = await stage.daemon().call<{ readonly id: string }>("POST", "/sessions/agent", {
      ...{ adapter: "demo", cwd, prompt: "say first\nwrite a.txt x\nsay The file\nsay is there." },
    });
    const { id } = expectOk(begun, 201);
    await stage.daemon().call("GET", `/sessions/${id}/wait`);
    const rules = [{ id: "no-write", effect: "deny", verb: "tool.write", resource: "**" }];
    const judged = await replay(id, { policy: { rules } });
    expect(judged).toMatchObject({
      diverged: false,
      judged: 1,
      refused: [{ rules: ["no-write", "tool_policy:auto"] }],
    });
    expect(judged.turns).toMatchObject([{ kind: "foreign", is: "same", text: "The file\nis there." }]);
    const shown = await runCli(["replay", id], { home: stage.home });
    expect(shown.stdout).toContain("1 turn of another agent: judged, not run again.");
    const [said] = (await eventsOf(stage.daemon(), id)).filter(({ type }) => type === "message.completed@1");
    expectOk(await stage.daemon().call("POST", `/sessions/${id}/erase`, { events: [said?.id] }));
    const holed = await replay(id, { policy: { rules } });
    expect(holed).toMatchObject({ turns: [{ is: "skipped" }], refused: [{ rules: ["no-write", "tool_policy:auto"] }] });
    expect(holed.notes.join()).toContain("1 of its events was erased");
  },
);

proves("REP-6", "an archived session is refused, with the way to read it", async () => {
  const { model, queue } = stage.scene();
  const { id } = await begin(stage.daemon(), model);
  queue(answer("Old."));
  await play(stage.daemon(), id, "old");
  expectOk(await stage.daemon().call("POST", `/sessions/${id}/kill`, {}));
  const path = `/sessions/${id}/replay`;
  expectOk(await stage.daemon().call("POST", "/api/gc", { maxAgeDays: 0 }));
  expect(expectRefusal(await stage.daemon().call("POST", path, {}), 409, "session_archived").remedy).toContain(
    "archive",
  );
});

proves("REP-7", "a directory of cases: each is judged, the report is written, and the exit code tells", async () => {
  const { model, queue } = stage.scene();
  const { id } = await begin(stage.daemon(), model);
  queue(calling(call("terminal", { command: "echo hi" })), { ...answer("All good."), usage: USAGE });
  await play(stage.daemon(), id, "greet");
  const folder = await newFolder();
  const rules = [{ id: "no-shell", effect: "deny", verb: "tool.run", resource: "**" }];
  await writeFile(join(folder, "rules.policy"), JSON.stringify({ rules }));
  const write = (name: string, value: object) => writeFile(join(folder, name), JSON.stringify(value));
  await write("good.json", { session: id, expect: { text: "/^All/", costMax: 1, refused: [] } });
  await write("ruled.json", { session: id, policy: "rules.policy", expect: { refused: ["no-shell"] } });
  const run = () => runCliHere("eval", [folder], stage.home);
  const passed = await run();
  expect(passed).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(passed.stdout)).toMatchObject({ ok: true, cases: 2, failed: 0 });
  await write("wrong.json", { session: id, policy: "rules.policy", expect: { refused: [], text: "never said" } });
  await write("gone.json", { session: "no-such-session" });
  const failed = await run();
  expect(failed.exitCode).toBe(1);
  const report = JSON.parse(await readFile(join(folder, "report.json"), "utf8"));
  expect(report).toMatchObject({ ok: false, cases: 4, failed: 2 });
  const markdown = await readFile(join(folder, "report.md"), "utf8");
  expect(markdown).toMatch(/\| good \| ok \| 2 \|/);
  expect(markdown).toContain("session_not_found");
  expect(markdown).toContain("its last words have no never said");
  await write("typo.json", { sesion: id });
  const typo = await run();
  expect(typo.exitCode).toBe(2);
  expect(typo.stderr + typo.stdout).toContain("sesion");
});
