import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { answer, calling } from "../../engine/model-server/index.ts";
import { proves } from "../../support/proves.ts";
import { readStream } from "../support/stream-reader.ts";
import {
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  idle,
  newFolder,
  PATIENCE,
  prompt,
  show,
  start,
  turn,
  typesOf,
} from "../support/talk.ts";
import { call, expectValid, messagesOf, saidIn, textOf } from "./support/chat.ts";
import { begin, openStage, type Stage } from "./support/scenes.ts";

vi.setConfig(PATIENCE);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Steered {
  readonly turnId: string;
  readonly steered?: true;
}

const steer = async (id: string, text: string): Promise<Steered> =>
  expectOk(await stage.daemon().call<Steered>("POST", `/sessions/${id}/prompt`, { prompt: text, steer: true }));
const asking = (requests: () => readonly unknown[], n: number) =>
  eventually(`request ${n}`, async () => requests().length >= n);
const calling1 = (id: string) =>
  eventually("a tool runs", async () => typesOf(await eventsOf(stage.daemon(), id)).includes("effect.begun@1"));

proves.concurrent(
  "ENG-4",
  "case 8: a steering message while a tool runs: the next request contains it once, and no other turn begins",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(calling(call("terminal", { command: "sleep 0.5" })), answer("Turned."));
    const { id } = await begin(stage.daemon(), model);
    const { turnId } = await prompt(stage.daemon(), id, "go straight");
    await calling1(id);
    expect(await steer(id, "turn left now")).toMatchObject({ turnId, steered: true });
    expect(await ended(stage.daemon(), id, turnId)).toMatchObject({ outcome: "completed" });
    expect(saidIn(requests()[1]).split("turn left now").length).toBe(2);
    expect(messagesOf(requests()[1]).at(-1)?.role).toBe("user");
    expectValid(requests()[1]);
    expect(requests().length).toBe(2);
    const events = await eventsOf(stage.daemon(), id);
    const steered = events.find(({ type }) => type === "turn.steered@1");
    expect(steered?.data).toMatchObject({ turnId, text: "turn left now" });
    const steps = events.filter(({ type }) => type === "step.started@1").map(({ data }) => data["steers"]);
    expect(steps).toEqual([[], [steered?.data["steerId"]]]);
    expect(typesOf(events).filter((type) => type === "turn.admitted@1").length).toBe(1);
  },
);

proves.concurrent(
  "ENG-4",
  "case 9: a steering message while the last answer streams: it is answered before the turn ends",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("This is the end of the answer.", { pauseMs: 400 }), answer("One thing more."));
    const { id } = await begin(stage.daemon(), model);
    const { turnId } = await prompt(stage.daemon(), id, "say something");
    await asking(requests, 1);
    await steer(id, "and one thing more");
    expect(await ended(stage.daemon(), id, turnId)).toMatchObject({ outcome: "completed" });
    expect(messagesOf(requests()[1]).slice(-2).map(textOf)).toEqual([
      "This is the end of the answer.",
      "and one thing more",
    ]);
    const types = typesOf(await eventsOf(stage.daemon(), id));
    expect(types.filter((type) => type === "turn.ended@1").length).toBe(1);
    expect(types.lastIndexOf("turn.steered@1")).toBeLessThan(types.indexOf("turn.ended@1"));
  },
);

proves.concurrent(
  "ENG-4",
  "several steering messages at once: one step contains all of them, oldest first",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(calling(call("terminal", { command: "sleep 0.4" })), answer("Yes."));
    const { id } = await begin(stage.daemon(), model);
    const { turnId } = await prompt(stage.daemon(), id, "go");
    await calling1(id);
    for (const text of ["first", "second", "third"]) await steer(id, text);
    await ended(stage.daemon(), id, turnId);
    expect(saidIn(requests()[1]).slice(-"first\nsecond\nthird".length)).toBe("first\nsecond\nthird");
  },
);

proves.concurrent(
  "ENG-4",
  "a steering message for an idle session is a prompt; a driver that cannot take one refuses",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("Hello."));
    const { id } = await begin(stage.daemon(), model);
    const { turnId, steered } = await steer(id, "hello");
    expect(steered).toBeUndefined();
    expect(await ended(stage.daemon(), id, turnId)).toMatchObject({ outcome: "completed" });
    expect(requests().length).toBe(1);
    const demo = await start(stage.daemon());
    await prompt(stage.daemon(), demo.id, "sleep 2000");
    const refused = await stage.daemon().call("POST", `/sessions/${demo.id}/prompt`, { prompt: "x", steer: true });
    expectRefusal(refused, 409, "steer_unsupported");
  },
);

proves.concurrent("ENG-4", "case 10: queued prompts run after the turn, one at a time and in order", async () => {
  const { model, queue, requests } = stage.scene();
  queue(answer("One.", { pauseMs: 300 }), answer("Two."), answer("Three."));
  const { id } = await begin(stage.daemon(), model);
  await prompt(stage.daemon(), id, "first");
  expect(await prompt(stage.daemon(), id, "second", { queue: true })).toMatchObject({ queued: true });
  await prompt(stage.daemon(), id, "third", { queue: true });
  await idle(stage.daemon(), id);
  expect(
    requests().map((request) =>
      messagesOf(request)
        .filter(({ role }) => role !== "system")
        .map(textOf),
    ),
  ).toEqual([["first"], ["first", "One.", "second"], ["first", "One.", "second", "Two.", "third"]]);
  const types = typesOf(await eventsOf(stage.daemon(), id)).filter((type) =>
    /turn\.(started|ended|settled)/.test(type),
  );
  expect(types).toEqual([
    ...["turn.started@1", "turn.ended@1", "turn.started@1", "turn.ended@1", "turn.started@1", "turn.ended@1"],
    "turn.settled@1",
  ]);
});

proves.concurrent(
  "ENG-5",
  "case 11: an interrupt while an answer streams: the connection is cut within a second, what was said stays, nothing is retried, and the queue goes on",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer(`So it begins ${"and goes on ".repeat(200)}`, { paceMs: 25 }), answer("Next."));
    const { id } = await begin(stage.daemon(), model);
    const stream = await readStream(stage.daemon(), `/sessions/${id}/stream`);
    const { turnId } = await prompt(stage.daemon(), id, "talk");
    const { turnId: next } = await prompt(stage.daemon(), id, "and then?", { queue: true });
    await stream.until("some text", ({ event }) => event === "delta");
    const beganMs = performance.now();
    const cut = eventually("the connection is cut", async () => requests()[0]?.isCut() && performance.now(), 5000);
    expectOk(await stage.daemon().call("POST", `/sessions/${id}/interrupt`, {}));
    expect((await cut) - beganMs).toBeLessThan(1000);
    expect(await ended(stage.daemon(), id, turnId)).toMatchObject({ outcome: "interrupted" });
    expect(await ended(stage.daemon(), id, next)).toMatchObject({ outcome: "completed" });
    expect(requests().length).toBe(2);
    expectValid(requests()[1]);
    const said = messagesOf(requests()[1])
      .filter(({ role }) => role === "assistant")
      .map(textOf);
    expect(said[0]).toMatch(/^So it/);
    expect(saidIn(requests()[1])).toContain("[the earlier turn was interrupted]");
    const steps = (await eventsOf(stage.daemon(), id)).filter(({ type }) => type === "step.ended@1");
    expect(steps.map(({ data }) => data["stop"])).toEqual(["aborted", "stop"]);
  },
);

proves.concurrent(
  "ENG-5",
  "an interrupt before the first byte, and one while a tool runs: the turn ends, and the next request is valid",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue({ do: "silence" }, calling(call("terminal", { command: "sleep 60" }), call("ls", {})), answer("Fine."));
    const { id } = await begin(stage.daemon(), model);
    const silent = await prompt(stage.daemon(), id, "one");
    await asking(requests, 1);
    expectOk(await stage.daemon().call("POST", `/sessions/${id}/interrupt`, {}));
    expect(await ended(stage.daemon(), id, silent.turnId)).toMatchObject({ outcome: "interrupted" });
    const running = await prompt(stage.daemon(), id, "two");
    await calling1(id);
    const beganMs = performance.now();
    expectOk(await stage.daemon().call("POST", `/sessions/${id}/interrupt`, {}));
    expect(performance.now() - beganMs).toBeLessThan(4000);
    expect(await ended(stage.daemon(), id, running.turnId)).toMatchObject({ outcome: "interrupted" });
    expect(await turn(stage.daemon(), id, "three")).toMatchObject({ outcome: "completed" });
    for (const request of requests()) expectValid(request);
    expect(requests().length).toBe(3);
    expect((await show(stage.daemon(), id)).busy).toBe(false);
  },
);

proves(
  "ENG-6",
  "case 12: kill -9 while a command runs: the turn goes on by itself, the call has a result, and the command ran once",
  async () => {
    const { model, queue, requests } = stage.scene();
    const cwd = await newFolder();
    queue(calling(call("terminal", { command: "echo ran >> ran.txt; sleep 30" }), call("read", { path: "ran.txt" })));
    const { id } = await begin(stage.daemon(), model, { cwd });
    const { turnId } = await prompt(stage.daemon(), id, "go");
    await eventually("it runs", () => readFile(join(cwd, "ran.txt"), "utf8").catch(() => null));
    await steer(id, "remember the milk");
    queue(answer("I see."));
    const daemon = await stage.restart("kill9");
    expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
    expect(await readFile(join(cwd, "ran.txt"), "utf8")).toBe("ran\n");
    expect(requests().length).toBe(2);
    expectValid(requests()[1]);
    const results = messagesOf(requests()[1])
      .filter(({ role }) => role === "tool")
      .map(textOf);
    expect(results[0]).toMatch(/restarted while this ran|outcome is unknown/);
    expect(results[1]).toContain("1\tran");
    // Case 8: it was only said to the daemon that is gone.
    expect(saidIn(requests()[1])).toContain("remember the milk");
    const types = typesOf(await eventsOf(daemon, id));
    expect(types).toContain("turn.resumed@1");
    expect(types.filter((type) => type === "turn.ended@1").length).toBe(1);
    expect(types.filter((type) => type === "tool.ended@1").length).toBe(2);
  },
);

proves(
  "ENG-6",
  "kill -9 while an answer streams: the answer is asked for again, and half of it is in no request",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("half of an answer that nobody will finish", { paceMs: 100 }), answer("The whole answer."));
    const { id } = await begin(stage.daemon(), model);
    const { turnId } = await prompt(stage.daemon(), id, "go");
    await asking(requests, 1);
    const daemon = await stage.restart("kill9");
    expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
    expect(
      messagesOf(requests()[1])
        .filter(({ role }) => role !== "system")
        .map(textOf),
    ).toEqual(["go"]);
    expect(requests()[0]?.isCut()).toBe(true);
  },
);

proves("ENG-6", "a daemon that is stopped and started again during a turn: the turn goes on", async () => {
  const { model, queue, requests } = stage.scene();
  const cwd = await newFolder();
  await writeFile(join(cwd, "a.txt"), "CODEWORD=maple");
  queue(calling(call("read", { path: "a.txt" })), answer("x".repeat(400), { paceMs: 100 }), answer("It is maple."));
  const { id } = await begin(stage.daemon(), model, { cwd });
  const { turnId } = await prompt(stage.daemon(), id, "go");
  await asking(requests, 2);
  const daemon = await stage.restart("stop");
  expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
  expect(saidIn(requests().at(-1))).toContain("CODEWORD=maple");
  for (const request of requests()) expectValid(request);
});
