import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { TestDaemon } from "../support/daemon.ts";
import { startWithAgents } from "./support/fake-agents.ts";
import { eventually, expectOk, expectRefusal, PATIENCE, prompt, show, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

interface Activity {
  readonly parts: readonly {
    readonly at: string;
    readonly agent: string;
    readonly turns: number;
    readonly spent?: { readonly input: number; readonly costUsd: number | null };
  }[];
  readonly working: readonly { readonly at: string; readonly busyMs: number }[];
  readonly next: number | null;
}

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startWithAgents({ fake: [] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const activity = async (query = "") => expectOk(await daemon.call<Activity>("GET", `/api/activity?${query}`));

test("turns are summed by agent; an agent that tells nothing has no sum, and a turn that runs counts as work", async () => {
  const spends = await start(daemon, { adapter: "fake" });
  await turn(daemon, spends.id, "tokens 10 5\ncost 0.25");
  await turn(daemon, spends.id, "tokens 1 1\ncost 0.30");
  const silent = await start(daemon, {});
  await turn(daemon, silent.id, "say x");
  const { parts, next } = await activity("step=15");
  expect(next).toBeNull();
  const of = (agent: string) => parts.filter((part) => part.agent === agent);
  const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
  expect(sum(of("fake").map(({ turns }) => turns))).toBe(2);
  expect(sum(of("fake").map(({ spent }) => spent?.input ?? 0))).toBe(11);
  expect(sum(of("fake").map(({ spent }) => spent?.costUsd ?? 0))).toBeCloseTo(0.3);
  expect(of("demo").map(({ spent }) => spent)).toEqual(of("demo").map(() => undefined));

  await prompt(daemon, silent.id, "run sleep 30");
  await eventually("it works", async () => (await show(daemon, silent.id)).busy);
  const busy = async () => sum((await activity()).working.map(({ busyMs }) => busyMs));
  const before = await busy();
  await eventually("the running turn goes on", async () => (await busy()) > before);
  expect((await activity("until=2020-01-01T00:00:00Z")).parts).toEqual([]);
  expectRefusal(await daemon.call("GET", "/api/activity?step=7"), 400, "invalid_request");
});
