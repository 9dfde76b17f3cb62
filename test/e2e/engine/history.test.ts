import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { answer, calling } from "../../engine/model-server/index.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import {
  ended,
  eventsOf,
  eventually,
  expectOk,
  newFolder,
  PATIENCE,
  prompt,
  type Session,
  show,
  start,
} from "../support/talk.ts";
import { call, expectValid, messagesOf, resultsIn, saidIn, textOf } from "./support/chat.ts";
import { begin, COMPLETED, openStage, play, type Stage } from "./support/scenes.ts";

vi.setConfig(PATIENCE);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const fork = async (id: string, body: object = {}): Promise<Session> =>
  expectOk(await stage.daemon().call<Session>("POST", `/sessions/${id}/fork`, body), 201);
const rewind = async (id: string, body: object): Promise<Session> =>
  expectOk(await stage.daemon().call<Session>("POST", `/sessions/${id}/rewind`, body));
const switchTo = async (id: string, agent: string, model?: string): Promise<Session> =>
  expectOk(
    await stage
      .daemon()
      .call<Session>("POST", `/sessions/${id}/switch`, { agent, ...(model === undefined ? {} : { model }) }),
  );
const configure = async (id: string, settings: object): Promise<unknown> =>
  expectOk(await stage.daemon().call("POST", `/sessions/${id}/configure`, settings));
const lastSaid = async (id: string): Promise<string> =>
  String((await eventsOf(stage.daemon(), id, "types=message.completed")).at(-1)?.data["text"]);

proves.concurrent(
  "ENG-12",
  "case 18: a fork in the middle: its requests have only the path, and not one event of the parent changes",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("One."), answer("Two."), answer("Three."), answer("Other."), answer("Four."));
    const { id } = await begin(stage.daemon(), model);
    for (const text of ["first", "second", "third"]) await play(stage.daemon(), id, text);
    const before = await eventsOf(stage.daemon(), id);
    const child = await fork(id, { turn: 1 });
    expect(child.forkedFrom?.sessionId).toBe(id);
    expect(await play(stage.daemon(), child.id, "elsewhere")).toMatchObject(COMPLETED);
    expect(saidIn(requests()[3])).toBe("first\nOne.\nelsewhere");
    expect(await eventsOf(stage.daemon(), id)).toEqual(before);
    // The parent goes on as if there were no fork.
    await play(stage.daemon(), id, "fourth");
    expect(saidIn(requests()[4])).toBe("first\nOne.\nsecond\nTwo.\nthird\nThree.\nfourth");
    expect((await eventsOf(stage.daemon(), id)).slice(0, before.length)).toEqual(before);
  },
);

proves.concurrent(
  "ENG-12",
  "a rewind: the next request has only the path; an undone rewind brings the rest back",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("One."), answer("Two."), answer("Other."), answer("Three."));
    const { id } = await begin(stage.daemon(), model);
    await play(stage.daemon(), id, "first");
    await play(stage.daemon(), id, "second");
    const { head } = await show(stage.daemon(), id);
    await rewind(id, { turn: 1 });
    await play(stage.daemon(), id, "another");
    expect(saidIn(requests()[2])).toBe("first\nOne.\nanother");
    await rewind(id, { to: head });
    await play(stage.daemon(), id, "third");
    expect(saidIn(requests()[3])).toBe("first\nOne.\nsecond\nTwo.\nthird");
  },
);

proves.concurrent(
  "ENG-13",
  "another model in the middle: it has the whole conversation, and no thought of the other's",
  async () => {
    const { model, anthropic, queue, requests } = stage.scene();
    const cwd = await newFolder();
    writeFileSync(join(cwd, "word.txt"), "CODEWORD=willow");
    queue(
      { do: "answer", thought: "SECRET THOUGHT", signature: "c2lnbmVk", calls: [call("read", { path: "word.txt" })] },
      answer("I have read it."),
      answer("It is willow."),
      answer("Still willow."),
    );
    const { id } = await begin(stage.daemon(), anthropic, { cwd });
    expect(await play(stage.daemon(), id, "read the word")).toMatchObject(COMPLETED);
    expect(JSON.stringify(requests()[1]?.body)).toContain("c2lnbmVk");
    await configure(id, { model });
    expect(await play(stage.daemon(), id, "what is it?")).toMatchObject(COMPLETED);
    expect(requests()[2]?.format).toBe("chat");
    expectValid(requests()[2]);
    expect(resultsIn(requests()[2])).toEqual(["1\tCODEWORD=willow"]);
    expect(JSON.stringify(requests()[2]?.body)).not.toContain("c2lnbmVk");
    await configure(id, { model: anthropic });
    expect(await play(stage.daemon(), id, "and now?")).toMatchObject(COMPLETED);
    expect(requests()[3]?.format).toBe("anthropic");
    expect(JSON.stringify(requests()[3]?.body)).toContain("CODEWORD=willow");
  },
);

proves.concurrent(
  "ENG-13",
  "from the demo driver to the engine and back, and in a fork: the code word is recalled",
  async () => {
    const { id } = await start(stage.daemon());
    await play(stage.daemon(), id, "say the word is CODEWORD=rowan");
    expect(await switchTo(id, "nomos", "demo/script")).toMatchObject({ adapterSlug: "nomos", agent: "nomos" });
    expect(await play(stage.daemon(), id, "recall")).toMatchObject(COMPLETED);
    expect(await lastSaid(id)).toBe("The code word is rowan.");
    await switchTo(id, "demo");
    expect(await play(stage.daemon(), id, "say now it is CODEWORD=alder")).toMatchObject(COMPLETED);
    const child = await fork(id, { agent: "nomos", model: "demo/script" });
    expect(child).toMatchObject({ adapterSlug: "nomos" });
    expect(await play(stage.daemon(), child.id, "recall")).toMatchObject(COMPLETED);
    expect(await lastSaid(child.id)).toBe("The code word is alder.");
    await switchTo(id, "nomos", "demo/script");
    await rewind(id, { turn: 2 });
    expect((await show(stage.daemon(), id)).adapterSlug).toBe("nomos");
    expect(await play(stage.daemon(), id, "recall")).toMatchObject(COMPLETED);
    expect(await lastSaid(id)).toBe("The code word is rowan.");
  },
);

proves.concurrent(
  "ENG-13",
  "the demo model becomes another one: it sees calls and results of the demo model's turn",
  async () => {
    const { model, queue, requests } = stage.scene();
    const cwd = await newFolder();
    const { id } = await begin(stage.daemon(), "demo/script", { cwd });
    expect(await play(stage.daemon(), id, "write a.txt CODEWORD=larch\nread a.txt\nsay done")).toMatchObject(COMPLETED);
    await configure(id, { model });
    queue(answer("larch"));
    expect(await play(stage.daemon(), id, "what is in a.txt?")).toMatchObject(COMPLETED);
    expectValid(requests()[0]);
    expect(resultsIn(requests()[0]).at(-1)).toBe("1\tCODEWORD=larch");
  },
);

proves(
  "ENG-12",
  "case 17: a rewind and then a kill: the same head, the dropped events are still in the log, and the path goes on",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("One."), answer("Two."), answer("Other."));
    const { id } = await begin(stage.daemon(), model);
    await play(stage.daemon(), id, "first");
    await play(stage.daemon(), id, "second");
    const { head } = await rewind(id, { turn: 1 });
    const daemon = await stage.restart("kill9");
    expect((await show(daemon, id)).head).toBe(head);
    expect(await play(daemon, id, "another")).toMatchObject(COMPLETED);
    expect(saidIn(requests()[2])).toBe("first\nOne.\nanother");
    const texts = (await eventsOf(daemon, id, "types=message.completed")).map(({ data }) => data["text"]);
    expect(texts).toEqual(["One.", "Two.", "Other."]);
    const path = (await eventsOf(daemon, id, "types=message.completed&view=path")).map(({ data }) => data["text"]);
    expect(path).toEqual(["One.", "Other."]);
  },
);

proves("ENG-14", "case 28: a session of many megabytes after a restart: a prompt is accepted within 2 s", async () => {
  const { model, queue, requests } = stage.scene();
  const cwd = await newFolder();
  const rounds = sampled(128, 6);
  const { id } = await begin(stage.daemon(), model, { cwd });
  queue(
    ...Array.from({ length: rounds }, () =>
      calling(call("terminal", { command: "head -c 1000000 /dev/zero | tr '\\0' x" })),
    ),
    answer("Much was printed."),
  );
  expect(await play(stage.daemon(), id, "print")).toMatchObject(COMPLETED);
  const daemon = await stage.restart("kill9");
  expect((await show(daemon, id)) as unknown).toMatchObject({ usage: { bytes: expect.any(Number) } });
  queue(answer("Yes."));
  const beganMs = performance.now();
  const { turnId } = await prompt(daemon, id, "still there?");
  expect(performance.now() - beganMs).toBeLessThan(2000);
  await eventually("the request", async () => requests().length > rounds + 1);
  expect(performance.now() - beganMs).toBeLessThan(8000);
  expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
  expectValid(requests().at(-1));
  expect(messagesOf(requests().at(-1)).map(textOf).at(-1)).toBe("still there?");
});
