import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { addAgent } from "../support/fake-agents.ts";
import { processesWith } from "../support/processes.ts";
import { eventsOf, eventually, expectOk, linesOf, newFolder, PATIENCE, prompt, start, turn } from "../support/talk.ts";

vi.setConfig(PATIENCE);
const PROGRAM = join(import.meta.dirname, "../../fixtures/fake-print-agent.ts");
/** More than a pipe holds: a program whose output is not read would block. */
const LONG_CHARS = 500_000;

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const add = async (): Promise<void> => {
  const args = ["{options}", "-"];
  await addAgent(daemon, "once", [], {
    protocol: "print",
    bin_args: [PROGRAM],
    env: { HOME: await newFolder() },
    modes: [
      { id: "bold", bin_args_append: ["--bold"] },
      { id: "loud", bin_args_append: ["--loud"] },
    ],
    models: { bin_args_template: ["-m", "{value}"] },
    print: { schema: "codex", args, resume_args: ["{options}", "resume", "{id}", "-"] },
  });
};
const attachedOf = async (id: string) =>
  (await eventsOf(daemon, id)).filter(({ type }) => type === "driver.attached@1").map(({ data }) => data);

proves("AG-22", "each turn is one process, and the native session id is passed on", async () => {
  await add();
  const { id } = await start(daemon, { adapter: "once", mode: "bold", model: "m 1" });
  expect(await turn(daemon, id, "the word is plum")).toMatchObject({ outcome: "completed" });
  expect(await processesWith(id)).toEqual([]);
  await turn(daemon, id, "again");
  const lines = (await linesOf(daemon, id)).join("\n");
  expect(lines).toContain("args --bold -m m 1 resume -; I heard: the word is plum; now: again");
  expect(lines).toContain("not json at all");
  const [first, second] = await attachedOf(id);
  expect([first, second]).toMatchObject([{ continuity: "fresh", protocol: "print" }, { continuity: "native" }]);
  expect(second?.["nativeId"]).toBe(first?.["nativeId"]);
  const usage = (await eventsOf(daemon, id)).filter(({ type }) => type === "usage.reported@1");
  expect(usage.map(({ data }) => data)).toMatchObject([{ inputTokens: 3, outputTokens: 2 }, {}]);
});

proves("WL-11", "an agent that never asks is not held by enforce, and the session says so once", async () => {
  await add();
  const { id } = await start(daemon, { adapter: "once", sandbox: "enforce" });
  for (const text of ["one", "two"]) await turn(daemon, id, text);
  const notices = (await linesOf(daemon, id)).filter((line) => line.includes("only strict holds it"));
  expect(notices).toHaveLength(1);
});

proves("AG-22", "an agent that lost its session gets a digest; the failure it reports ends the turn", async () => {
  await add();
  const { id } = await start(daemon, { adapter: "once" });
  await turn(daemon, id, "the word is plum");
  await turn(daemon, id, "forget");
  expect(await turn(daemon, id, "on")).toMatchObject({ outcome: "completed" });
  const attached = await attachedOf(id);
  expect(attached).toMatchObject([{ continuity: "fresh" }, { continuity: "native" }, { continuity: "digest" }]);
  expect(String(attached[2]?.["reason"])).toContain("no session");
  expect((await linesOf(daemon, id)).join("\n")).toContain("[person] the word is plum");
  const ends = async () => (await eventsOf(daemon, id)).filter(({ type }) => type === "turn.ended@1").at(-1)?.data;
  await turn(daemon, id, "fail");
  expect(await ends()).toMatchObject({ outcome: "failed", error: { message: expect.stringContaining("out of luck") } });
  await turn(daemon, id, "crash");
  expect(await ends()).toMatchObject({ outcome: "interrupted", error: { code: "agent_crashed" } });
});

proves("AG-22", "an agent that dies without output may have worked: its prompt is not sent again", async () => {
  await add();
  const { id, cwd } = await start(daemon, { adapter: "once" });
  await turn(daemon, id, "the word is plum");
  expect(await turn(daemon, id, "die silently by signal")).toMatchObject({ outcome: "interrupted" });
  expect(await turn(daemon, id, "die silently")).toMatchObject({ outcome: "failed" });
  expect(await readdir(cwd)).toHaveLength(2);
  await turn(daemon, id, "again");
  expect((await attachedOf(id)).map(({ continuity }) => continuity)).toEqual(["fresh", "native"]);
});

proves("AG-22", "all output is drained, however large, and an interrupt ends the process", async () => {
  await add();
  const { id } = await start(daemon, { adapter: "once" });
  expect(await turn(daemon, id, "flood")).toMatchObject({ outcome: "completed" });
  const loud = await start(daemon, { adapter: "once", mode: "loud" });
  expect(await turn(daemon, loud.id, "x".repeat(LONG_CHARS))).toMatchObject({ outcome: "completed" });
  await prompt(daemon, id, "sleep");
  await eventually("its process", async () => (await processesWith(id)).length > 0);
  expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`));
  expect(await processesWith(id)).toEqual([]);
});
