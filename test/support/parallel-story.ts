import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import {
  approvalsOf,
  type Event,
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectSound,
  newFolder,
  prompt,
  start,
} from "../e2e/support/talk.ts";
import { startDaemon, type TestDaemon } from "./daemon.ts";

/** A driver file: three parallel effects, two questions and a process, each with its own key. */
const DRIVER = `import { existsSync } from "node:fs";
export default async (turn) => {
  turn.reach({ at: "begin" });
  const go = async () => {
    while (!existsSync(turn.cwd + "/go")) await new Promise((done) => setTimeout(done, 20));
  };
  const serve = async () => {
    const server = await turn.process(["sh", "-c", "echo server >> marks; cat > /dev/null; echo closed"], { key: "server" });
    await go();
    await server.closeInput();
    return server.wait();
  };
  const [a, b, c, reply, server] = await Promise.all([
    turn.tools.run("echo a >> marks; seq 1 20000", { key: "a" }),
    turn.tools.run("echo b >> marks; until [ -e go ]; do sleep 0.02; done", { key: "b" }),
    turn.tools.write("c.txt", "c", { key: "c" }),
    turn.ask("Deploy?", ["yes", "no"], { key: "deploy", checkpoint: { at: "deploy" } }),
    serve(),
  ]);
  let whole = "";
  for (let after = 0; after !== null; ) {
    const page = await turn.output(a.effectId, { after, limit: 2 });
    whole += page.pieces.map(({ text }) => text).join("");
    after = page.next;
  }
  const outcomes = [a, b, c, server].map(({ outcome }) => outcome);
  await turn.event("finished", {
    outcomes,
    reply,
    bytes: a.outputBytes,
    beginning: a.output.length,
    isWhole: whole === Array.from({ length: 20000 }, (_, n) => n + 1 + "\\n").join(""),
    resumed: turn.resumed.map(({ question }) => question).sort(),
    checkpoint: turn.checkpoint,
  });
};
`;

export interface ParallelStory {
  readonly id: string;
  readonly turnId: string;
  readonly cwd: string;
}

export async function beginStory(daemon: TestDaemon): Promise<ParallelStory> {
  const cwd = await newFolder();
  const file = join(await newFolder(), "parallel.ts");
  await writeFile(file, DRIVER);
  const slug = "parallel";
  await daemon.call("POST", "/api/agents", { slug, driver: "script", tools: { write: "always_ask" } });
  const { id } = await start(daemon, { adapter: "script", agent: slug, file, cwd });
  const { turnId } = await prompt(daemon, id, "go");
  return { id, turnId, cwd };
}

/** Lets the process and the slow command end. */
export async function letGo({ cwd }: ParallelStory): Promise<void> {
  await writeFile(join(cwd, "go"), "");
}

export async function settledEffects(daemon: TestDaemon, { id }: ParallelStory, count: number): Promise<void> {
  const types = "types=effect.settled";
  await eventually(`${count} effects settled`, async () => (await eventsOf(daemon, id, types)).length === count);
}

export async function pendingQuestions(daemon: TestDaemon, { id }: ParallelStory) {
  return (await approvalsOf(daemon, id)).filter(({ status }) => status === "pending");
}

export async function answerAll(daemon: TestDaemon, story: ParallelStory): Promise<void> {
  for (const { id, question } of await pendingQuestions(daemon, story)) {
    const option = question === "Deploy?" ? "yes" : "once";
    expectOk(await daemon.call("POST", `/api/approvals/${id}/approve`, { option }));
  }
}

/**
 * What must hold after a restart, wherever the daemon was killed: by the log, the turn goes on or has ended; nothing
 * ran twice; each effect is settled, or waits for its question.
 */
export async function expectLedgerHolds(daemon: TestDaemon, story: ParallelStory): Promise<"open" | "over"> {
  const { id, turnId, cwd } = story;
  const events = (await eventsOf(daemon, id)).filter(({ data }) => data["turnId"] === turnId);
  const of = (type: string) => events.filter((event) => event.type === type);
  const ends = of("turn.ended@1");
  const pending = await pendingQuestions(daemon, story);
  const waiting = new Set(of("approval.requested@1").map(({ data }) => data["effectId"]));
  for (const { data } of of("effect.intended@1")) {
    const settled = of("effect.settled@1").filter((event) => event.data["effectId"] === data["effectId"]);
    const begun = of("effect.begun@1").filter((event) => event.data["effectId"] === data["effectId"]);
    expect(begun.length).toBeLessThanOrEqual(1);
    if (ends.length === 0 && settled.length === 0) expect(waiting).toContain(data["effectId"]);
    else expect(settled).toHaveLength(1);
    const isUnknown = settled[0]?.data["outcome"] === "unknown";
    if (isUnknown) expect(settled[0]?.data["redo"]).toBe(data["redo"]);
  }
  const marks = (await readFile(join(cwd, "marks"), "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  expect(marks).toEqual([...new Set(marks)]);
  if (ends.length === 0) return "open";
  expect(ends).toHaveLength(1);
  expect(pending).toEqual([]);
  return "over";
}

/** The uncut turn: each answer reached its own call. */
export async function expectFinished(daemon: TestDaemon, story: ParallelStory): Promise<Event["data"]> {
  expect(await ended(daemon, story.id, story.turnId)).toMatchObject({ outcome: "completed" });
  await expectLedgerHolds(daemon, story);
  const [finished] = await eventsOf(daemon, story.id, "types=x.finished");
  expect(finished?.data["payload"]).toMatchObject({
    outcomes: ["done", "done", "done", "done"],
    reply: { approved: true, option: "yes" },
    bytes: 108_894,
    beginning: 16_384,
    isWhole: true,
  });
  expect(await readFile(join(story.cwd, "c.txt"), "utf8")).toBe("c");
  expect((await readFile(join(story.cwd, "marks"), "utf8")).split("\n").toSorted()).toEqual(["", "a", "b", "server"]);
  return Object(finished?.data["payload"]);
}

/**
 * Kills the daemon when the session has this many events, goes on in the next one, and answers the questions. If the
 * number is never reached it is killed after the turn.
 */
export async function killAtEvent(home: string, at: number): Promise<void> {
  const before = await startDaemon({ home });
  const story = await beginStory(before);
  await letGo(story);
  await eventually(`event ${at}`, async () => {
    const types = (await eventsOf(before, story.id)).map(({ type }) => type);
    if (types.length >= at || types.includes("turn.ended@1")) return true;
    if (types.filter((type) => type === "effect.settled@1").length >= 3) await answerAll(before, story);
    return false;
  });
  await before.kill9();

  const after = await startDaemon({ home });
  const left = await expectLedgerHolds(after, story);
  await eventually("the turn is over", async () => {
    await answerAll(after, story);
    return (await eventsOf(after, story.id, "types=turn.ended")).length > 0;
  });
  const { outcome } = await ended(after, story.id, story.turnId);
  if (left === "open") expect(outcome).toBe("completed");
  if (outcome === "completed") await expectFinished(after, story);
  await expectLedgerHolds(after, story);
  await expectSound(after);
  await after.stop();
}
