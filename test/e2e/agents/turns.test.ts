import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import type { TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { addAgent, startWithAgents } from "../support/fake-agents.ts";
import {
  type Event,
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  expectSound,
  linesOf,
  newFolder,
  PATIENCE,
  pendingOf,
  prompt,
  show,
  start,
  turn,
} from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startWithAgents({ fake: [], images: ["--images"], plain: ["--no-mcp", "--no-load"] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const data = (events: readonly Event[], type: string) =>
  events.filter((event) => event.type === type).map((event) => event.data);

proves("AG-1", "a turn of a foreign agent is recorded as few, complete events of our own types", async () => {
  const cwd = await newFolder();
  const { id } = await start(daemon, { adapter: "fake", cwd });
  const text = "think hmm\nsay one \nsay two\nwrite notes.txt hello\nplan first,second\nusage 250\nsay done";
  expect(await turn(daemon, id, text)).toMatchObject({ outcome: "completed" });
  expect(await readFile(join(cwd, "notes.txt"), "utf8")).toBe("hello");
  const events = await eventsOf(daemon, id);
  expect(data(events, "driver.attached@1")).toMatchObject([
    { continuity: "fresh", reason: null, program: "fake 1.2.3", protocol: "acp/1", tools: true },
  ]);
  expect(data(events, "message.completed@1")).toMatchObject([
    { role: "thought", text: "hmm" },
    { role: "assistant", text: "one two" },
    { role: "assistant", text: "done" },
  ]);
  expect(data(events, "tool.called@1")).toMatchObject([{ title: "Write notes.txt", kind: "edit" }]);
  expect(data(events, "tool.ended@1")).toMatchObject([
    {
      outcome: "done",
      diffs: [{ before: null, after: { text: "hello" } }],
      places: [{ path: join(cwd, "notes.txt") }],
    },
  ]);
  expect(data(events, "todo.replaced@1")).toMatchObject([
    {
      items: [
        { text: "first", status: "active" },
        { text: "second", status: "open" },
      ],
    },
  ]);
  expect(data(events, "usage.reported@1")).toMatchObject([
    { contextTokens: 250, contextMax: 1000, cost: { amount: 0.5, currency: "USD" } },
  ]);
  expect(data(events, "driver.offered@1").at(-1)).toMatchObject({
    mode: "careful",
    commands: [{ name: "compact" }],
    options: [{ id: "model", values: ["small", "large"] }],
  });
  await expectSound(daemon);
});

proves("AG-1", "an update of an unknown kind is recorded as it came", async () => {
  const { id } = await start(daemon, { adapter: "fake" });
  await turn(daemon, id, "unknown blue");
  const [kept] = data(await eventsOf(daemon, id), "driver.update_kept@1");
  expect(kept).toMatchObject({ kind: "hologram_update" });
  expect(JSON.parse(String(kept?.["text"]))).toEqual({ sessionUpdate: "hologram_update", beam: "blue" });
});

proves("AG-2", "the agent's process outlives the turn and remembers it", async () => {
  const { id } = await start(daemon, { adapter: "fake" });
  await turn(daemon, id, "pid");
  await turn(daemon, id, "the word is plum");
  await turn(daemon, id, "pid\nrecall");
  const lines = await linesOf(daemon, id);
  const pids = lines.flatMap((line) => /pid \d+/.exec(line)?.[0] ?? []);
  expect(new Set(pids).size).toBe(1);
  expect(lines.join("\n")).toContain("the word is plum");
  expect(data(await eventsOf(daemon, id), "driver.attached@1")).toHaveLength(1);
});

proves(
  "AG-3",
  "modes, models and options are chosen by name, and unknown ones are refused before anything starts",
  async () => {
    const { id } = await start(daemon, { adapter: "fake", mode: "bold", model: "large" });
    await turn(daemon, id, "mode");
    expect(await linesOf(daemon, id)).toContain("mode bold model large");
    expect(expectOk(await daemon.call("GET", `/sessions/${id}/offer`))).toMatchObject({
      chosen: { mode: "bold", model: "large" },
      offer: { mode: "bold", modes: [{ id: "careful" }, { id: "bold" }] },
    });
    const configure = (body: object) => daemon.call("POST", `/sessions/${id}/configure`, body);
    expectRefusal(await configure({ mode: "wild" }), 400, "unknown_mode");
    expectRefusal(await configure({ model: "huge" }), 400, "unknown_model");
    expectRefusal(await configure({ options: { colour: "red" } }), 400, "unknown_option");
    expectOk(await configure({ mode: "careful" }));
    await turn(daemon, id, "mode");
    expect(await linesOf(daemon, id)).toContain("mode careful model large");
    const other = await start(daemon, { adapter: "fake", mode: "wild" });
    expect(await turn(daemon, other.id, "say hi")).toMatchObject({ outcome: "failed" });
    const [failed] = data(await eventsOf(daemon, other.id), "turn.ended@1");
    expect(failed).toMatchObject({ error: { code: "unknown_mode" } });
  },
);

proves(
  "AG-4",
  "images and files are sent beside the text; an agent that takes none fails the turn by name",
  async () => {
    const image = { kind: "image", name: "dot.png", mediaType: "image/png", data: "iVBORw0KGgo=" };
    const file = { kind: "resource", name: "a.txt", data: Buffer.from("say from a file").toString("base64") };
    const link = { kind: "link", name: "site", uri: "https://example.org/" };
    const able = await start(daemon, { adapter: "images" });
    const { turnId } = await prompt(daemon, able.id, "say hello", { attachments: [image, file, link] });
    await eventually("its end", async () =>
      (await eventsOf(daemon, able.id)).some(({ type }) => type === "turn.ended@1"),
    );
    const events = await eventsOf(daemon, able.id);
    expect(data(events, "turn.attached@1")).toMatchObject([{ turnId, items: [{ kind: "image", bytes: 8 }, {}, {}] }]);
    expect((await linesOf(daemon, able.id)).join("\n")).toMatch(/<image>[\s\S]*<resource>[\s\S]*<resource_link>/);
    const unable = await start(daemon, { adapter: "fake" });
    await prompt(daemon, unable.id, "say hello", { attachments: [image] });
    const over = await eventually("its end", async () => data(await eventsOf(daemon, unable.id), "turn.ended@1")[0]);
    expect(over).toMatchObject({ outcome: "failed", error: { code: "content_unsupported" } });
    const bad = { prompt: "x", attachments: [{ ...image, data: "not base64!" }] };
    expectRefusal(await daemon.call("POST", `/sessions/${able.id}/prompt`, bad), 400, "invalid_request");
  },
);

proves("AG-5", "a prompt while busy is refused, and the session takes prompts after its turns", async () => {
  const { id } = await start(daemon, { adapter: "fake" });
  const { turnId } = await prompt(daemon, id, "sleep 300");
  expectRefusal(await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: "x" }), 409, "session_busy");
  await eventually("its end", async () => !(await show(daemon, id)).busy);
  expect(data(await eventsOf(daemon, id), "turn.ended@1")).toMatchObject([{ turnId, outcome: "completed" }]);
  expect(await turn(daemon, id, "say again")).toMatchObject({ outcome: "completed" });
});

proves("AG-24", "an agent that answers protocol version 2 is driven in it; any other in version 1", async () => {
  await addAgent(daemon, "second", ["--v2"], { acp_version: 2 });
  const { id, cwd } = await start(daemon, { adapter: "second", model: "large" });
  expect(await turn(daemon, id, "the word is plum\nwhole and this\nwrite a.txt x\nplan one\nmode")).toMatchObject({
    outcome: "completed",
  });
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("x");
  const events = await eventsOf(daemon, id);
  expect(data(events, "driver.attached@1")).toMatchObject([{ program: "fake 2.0.0", protocol: "acp/2", tools: true }]);
  expect(data(events, "message.completed@1")).toMatchObject([
    { text: "the word is plum\n" },
    { text: "and this" },
    { text: "mode careful model large" },
  ]);
  const { turnId } = await prompt(daemon, id, "ask make");
  const approval = await pendingOf(daemon, id);
  expectOk(await daemon.call("POST", `/api/approvals/${approval.id}/approve`));
  await eventually("its end", async () =>
    data(await eventsOf(daemon, id), "turn.ended@1").some((end) => end["turnId"] === turnId),
  );
  expect((await linesOf(daemon, id)).join("\n")).toContain('"optionId":"y"');
  await prompt(daemon, id, "sleep 60000");
  expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`));
  expectOk(await daemon.call("POST", `/sessions/${id}/hibernate`));
  await turn(daemon, id, "recall");
  expect((await linesOf(daemon, id)).join("\n")).toContain("I heard: the word is plum");
  expect(await turn(daemon, id, "die 4")).toMatchObject({ outcome: "interrupted" });
  await addAgent(daemon, "first-only", [], { acp_version: 2 });
  const other = await start(daemon, { adapter: "first-only" });
  expect(await turn(daemon, other.id, "say hi")).toMatchObject({ outcome: "completed" });
  expect(data(await eventsOf(daemon, other.id), "driver.attached@1")).toMatchObject([{ protocol: "acp/1" }]);
});
