import { expect, vi } from "vitest";
import { startWithAgents } from "../../e2e/support/fake-agents.ts";
import { processesWith } from "../../e2e/support/processes.ts";
import { eventsOf, eventually, expectSound, linesOf, prompt, show, start, turn } from "../../e2e/support/talk.ts";
import { startDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";

vi.setConfig({ testTimeout: 120_000 });

proves(
  "AG-11",
  "a daemon killed during an agent's turn: the agent dies too, the turn is not sent again, its memory is restored",
  async () => {
    const first = await startWithAgents({ fake: [] });
    const { id } = await start(first, { adapter: "fake" });
    await turn(first, id, "the word is plum");
    const { turnId } = await prompt(first, id, "say halfway\nwrite done.txt x\nask go on?\nsay never");
    await eventually("its question", async () => (await show(first, id)).waitingFor === "approval");
    await prompt(first, id, "recall", { queue: true });
    await first.kill9();
    await eventually("no process of it", async () => (await processesWith(id)).length === 0);
    const second = await startDaemon({ home: first.home });
    await eventually("the queue is done", async () => !(await show(second, id)).busy);
    const events = await eventsOf(second, id);
    const ends = events.filter(({ type }) => type === "turn.ended@1").map(({ data }) => data);
    expect(ends).toMatchObject([
      { outcome: "completed" },
      { turnId, outcome: "interrupted" },
      { outcome: "completed" },
    ]);
    expect(events.filter(({ type }) => type === "approval.closed@1")).toMatchObject([{ data: { status: "expired" } }]);
    expect(events.filter(({ type }) => type === "tool.called@1")).toHaveLength(2);
    const attached = events.filter(({ type }) => type === "driver.attached@1").map(({ data }) => data);
    expect(attached).toMatchObject([{ continuity: "fresh" }, { continuity: "native" }]);
    expect((await linesOf(second, id)).findLast((line) => line.startsWith("I heard"))).toContain("the word is plum");
    await expectSound(second);
  },
);

proves("AG-18", "a stopping daemon hibernates its agents and leaves no process", async () => {
  const first = await startWithAgents({ fake: [] });
  const { id } = await start(first, { adapter: "fake" });
  await turn(first, id, "the word is plum");
  expect((await processesWith(id)).length).toBeGreaterThan(0);
  expect(await first.stop()).toBe(0);
  expect(await processesWith(id)).toEqual([]);
  const second = await startDaemon({ home: first.home });
  expect((await show(second, id)).state).toBe("hibernated");
  await turn(second, id, "recall");
  expect((await linesOf(second, id)).join("\n")).toContain("I heard: the word is plum");
});
