import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { answer, calling, failing } from "../../engine/model-server/index.ts";
import { proves } from "../../support/proves.ts";
import { readStream } from "../support/stream-reader.ts";
import { eventsOf, newFolder, PATIENCE, typesOf } from "../support/talk.ts";
import { call, expectValid, messagesOf, resultsIn, saidIn } from "./support/chat.ts";
import { begin, COMPLETED, openStage, play, type Stage } from "./support/scenes.ts";

vi.setConfig(PATIENCE);

/** The last provider of the stage, which no case takes. */
const FALLBACK = "p39/large";

let stage: Stage;
beforeAll(async () => {
  const keyless = { api: "anthropic", key: { env: "NO_SUCH_KEY" } };
  const fallbacks = ["keyless/claude", FALLBACK];
  stage = await openStage({ models: { fallbacks, providers: { keyless } } });
});
afterAll(() => stage[Symbol.asyncDispose]());

proves.concurrent(
  "ENG-1",
  "case 1: a call and then text: the facts are in order, and the turn ends once and settles once",
  async () => {
    const { model, queue } = stage.scene();
    queue({ do: "answer", thought: "Hm.", text: "I look.", calls: [call("ls", {})] }, answer("Nothing there."));
    const { id } = await begin(stage.daemon(), model);
    expect(await play(stage.daemon(), id, "look")).toMatchObject(COMPLETED);
    const events = await eventsOf(stage.daemon(), id);
    expect(typesOf(events).slice(typesOf(events).indexOf("turn.started@1"))).toEqual([
      "turn.started@1",
      "snapshot.taken@1",
      "context.composed@1",
      "step.started@1",
      "message.completed@1",
      "message.completed@1",
      "tool.called@1",
      "step.ended@1",
      "usage.reported@1",
      "tool.ended@1",
      "step.started@1",
      "message.completed@1",
      "step.ended@1",
      "usage.reported@1",
      "turn.ended@1",
      "turn.settled@1",
    ]);
    const steps = events.filter(({ type }) => type === "step.ended@1").map(({ data }) => data);
    expect(steps).toMatchObject([
      { stop: "tool_calls", usage: { input: 100, output: 20, cacheRead: 40 }, costMicroUsd: 720, error: null },
      { stop: "stop" },
    ]);
    expect(steps[0]?.["parts"]).toMatchObject([{ kind: "thought" }, { kind: "text" }, { kind: "call", name: "ls" }]);
  },
);

proves.concurrent(
  "ENG-2",
  "case 2: an unknown tool, input that is no JSON, and fields that are wrong: error results, and nothing is run",
  async () => {
    const { model, queue, requests } = stage.scene();
    const cwd = await newFolder();
    queue(
      calling(
        call("launch_missiles", { at: "once" }),
        call("write", '{"path": "a.txt", "content": "half'),
        call("write", { path: "b.txt" }),
        call("terminal", { command: 7, timeoutMs: "soon" }),
      ),
      answer("I give up."),
    );
    const { id } = await begin(stage.daemon(), model, { cwd });
    expect(await play(stage.daemon(), id, "go")).toMatchObject(COMPLETED);
    const results = resultsIn(requests()[1]);
    expect(results[0]).toMatch(/no tool launch_missiles.*read, write, edit/s);
    expect(results[1]).toContain("not valid JSON");
    expect(results[2]).toContain("content");
    expect(results[3]).toContain("did not run");
    expectValid(requests()[1]);
    expect(await readdir(cwd)).toEqual([]);
    const events = await eventsOf(stage.daemon(), id);
    expect(events.filter(({ type }) => type.startsWith("effect."))).toEqual([]);
    const ends = events.filter(({ type }) => type === "tool.ended@1");
    expect(ends.map(({ data }) => data["outcome"])).toEqual(["failed", "failed", "failed", "failed"]);
  },
);

proves.concurrent("ENG-3", "case 3: results stand in the order of the calls in the next request", async () => {
  const { model, queue, requests } = stage.scene();
  const cwd = await newFolder();
  // The first one is slow to read, the last one is quick.
  await writeFile(join(cwd, "slow.txt"), "slow\n".repeat(4_000_000));
  await writeFile(join(cwd, "quick.txt"), "quick\n");
  const slow = call("read", { path: "slow.txt", offset: 3_999_999 });
  queue(calling(slow, call("ls", {}), call("read", { path: "quick.txt" })), answer("Read."));
  const { id } = await begin(stage.daemon(), model, { cwd });
  expect(await play(stage.daemon(), id, "read both")).toMatchObject(COMPLETED);
  const results = resultsIn(requests()[1]);
  expect(results[0]).toContain("slow");
  expect(results[1]).toContain("quick.txt");
  expect(results[2]).toContain("1\tquick");
  const sent = messagesOf(requests()[1]).flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  const answered = messagesOf(requests()[1]).flatMap(({ tool_call_id }) => tool_call_id ?? []);
  expect(answered).toEqual(sent);
  // What the engine remembers is what the log says: nothing stands twice in the next turn.
  queue(answer("Again."));
  expect(await play(stage.daemon(), id, "and?")).toMatchObject(COMPLETED);
  expect(messagesOf(requests()[2]).map(({ role }) => role)).toEqual([
    ...["system", "user", "assistant", "tool", "tool", "tool", "assistant", "user"],
  ]);
});

proves.concurrent(
  "ENG-1",
  "case 35: U+2028 in a streamed answer and in a result: it stays one record, on the stream and in the next request",
  async () => {
    const { model, queue, requests } = stage.scene();
    const cwd = await newFolder();
    const odd = "one\u2028two\u2029three";
    await writeFile(join(cwd, "odd.txt"), odd);
    queue(
      {
        do: "answer",
        text: odd,
        calls: [call("read", { path: "odd.txt" }), call("terminal", { command: "cat odd.txt" })],
      },
      answer(odd),
    );
    const { id } = await begin(stage.daemon(), model, { cwd });
    const stream = await readStream(stage.daemon(), `/sessions/${id}/stream`);
    expect(await play(stage.daemon(), id, odd)).toMatchObject(COMPLETED);
    const events = await eventsOf(stage.daemon(), id);
    const said = events.filter(({ type }) => type === "message.completed@1").map(({ data }) => data["text"]);
    expect(said).toEqual([odd, odd]);
    expect(saidIn(requests()[1]).split(odd).length).toBe(5);
    await stream.until("the end of the turn", ({ data }) => data["type"] === "turn.settled@1");
    const pieces = stream.items.filter(({ event, data }) => event === "delta" && data["source"] === "message");
    expect(pieces.map(({ data }) => data["text"]).join("")).toBe(odd + odd);
  },
);

proves.concurrent("ENG-1", "thoughts are streamed before the answer, apart from it, and recorded once", async () => {
  const { model, queue } = stage.scene();
  const [thought, text] = ["First I look at the question.", "It is seven."];
  queue({ do: "answer", thought, text, paceMs: 20 });
  const { id } = await begin(stage.daemon(), model);
  const stream = await readStream(stage.daemon(), `/sessions/${id}/stream`);
  expect(await play(stage.daemon(), id, "how many?")).toMatchObject(COMPLETED);
  await stream.until("the end of the turn", ({ data }) => data["type"] === "turn.settled@1");
  const pieces = stream.items.filter(({ event }) => event === "delta").map(({ data }) => data);
  const of = (source: string) => pieces.filter((piece) => piece["source"] === source).map((piece) => piece["text"]);
  expect([of("thought").join(""), of("message").join("")]).toEqual([thought, text]);
  expect(pieces.findLastIndex((piece) => piece["source"] === "thought")).toBeLessThan(
    pieces.findIndex((piece) => piece["source"] === "message"),
  );
  const said = await eventsOf(stage.daemon(), id, "types=message.completed");
  expect(said.map(({ data }) => [data["role"], data["text"]])).toEqual([
    ["thought", thought],
    ["assistant", text],
  ]);
});

proves.concurrent(
  "ENG-7",
  "a model that fails for good: the next one with a key answers, and the log says which",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(failing(401, { error: { message: "no such key" } }));
    const { id } = await begin(stage.daemon(), model);
    expect(await play(stage.daemon(), id, "hello")).toMatchObject(COMPLETED);
    expect(requests().length).toBe(1);
    const steps = await eventsOf(stage.daemon(), id, "types=step.ended");
    expect(steps.map(({ data }) => [data["model"], data["stop"]])).toEqual([
      [model, "error"],
      [FALLBACK, "stop"],
    ]);
    const said = await eventsOf(stage.daemon(), id, "types=message.completed");
    expect(said.map(({ data }) => data["text"])).toEqual(["ok"]);
  },
);
