import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { addAgent, startWithAgents } from "../support/fake-agents.ts";
import { processesWith } from "../support/processes.ts";
import {
  type Event,
  eventsOf,
  eventually,
  linesOf,
  newFolder,
  PATIENCE,
  type Session,
  show,
  start,
  turn,
} from "../support/talk.ts";

vi.setConfig(PATIENCE);
const PRINT_AGENT = join(import.meta.dirname, "../../fixtures/fake-print-agent.ts");
/** The agent fills the time in when it fails, so that a slow machine does not make it a past one. */
const limitIn = (seconds: number) => `Claude AI usage limit reached|{now+${seconds}}`;

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startWithAgents({ fake: [], telling: [] }, { onQuota: "continue" });
  const { exitCode, stderr } = await daemon.cli("config", "set", "drivers.telling.onQuota", "tell");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const data = (events: readonly Event[], type: string) =>
  events.filter((event) => event.type === type).map((event) => event.data);
const promptsOf = async (at: TestDaemon, id: string) =>
  data(await eventsOf(at, id), "turn.admitted@1").map(({ prompt: text }) => text);
const untilOf = async (at: TestDaemon, id: string) =>
  String(data(await eventsOf(at, id), "quota.reached@1").at(-1)?.["until"]);
const waitOf = async (at: TestDaemon, id: string) => {
  const session: Session & { readonly waitingUntil?: string } = await show(at, id);
  return { waitingFor: session.waitingFor, waitingUntil: session.waitingUntil, state: session.state };
};
const resetOf = (at: TestDaemon, id: string) =>
  eventually("the reset", async () => data(await eventsOf(at, id), "quota.reset@1").length > 0);

/** The turns that the reset admits have all ended when this resolves. */
const continued = async (at: TestDaemon, id: string): Promise<void> => {
  await resetOf(at, id);
  await eventually("the end of what it admitted", async () => {
    const events = await eventsOf(at, id);
    return data(events, "turn.admitted@1").length === data(events, "turn.ended@1").length;
  });
};

proves.concurrent(
  "AG-28",
  "a limit ends the turn, the session waits, and at the reset one turn continues",
  async () => {
    const { id, name } = await start(daemon, { adapter: "fake" });
    await turn(daemon, id, "say the word is plum");
    expect(await turn(daemon, id, `say halfway\nfail ${limitIn(4)}`)).toMatchObject({ outcome: "interrupted" });
    const until = await untilOf(daemon, id);
    expect(await waitOf(daemon, id)).toEqual({ waitingFor: "quota", waitingUntil: until, state: "idle" });
    const row = (await daemon.cli("ps")).stdout.split("\n").find((line) => line.includes(name));
    expect(row).toContain("quota until");
    expect(Math.abs(Date.parse(until) - Date.now())).toBeLessThan(60_000);
    expect(await processesWith(id)).toEqual([]);
    const stopped = await eventsOf(daemon, id);
    const [reached] = data(stopped, "quota.reached@1");
    expect(reached).toMatchObject({ onReset: "continue", reason: expect.stringContaining("usage limit reached") });
    expect(data(stopped, "turn.ended@1").at(-1)).toMatchObject({
      outcome: "interrupted",
      error: { code: "quota_reached", message: expect.stringContaining("Claude AI usage limit reached") },
    });
    const pair = stopped.filter(({ type }) => type === "quota.reached@1" || type === "turn.ended@1").slice(-2);
    expect(pair.map(({ type }) => type)).toEqual(["quota.reached@1", "turn.ended@1"]);
    expect(pair[0]?.at).toBe(pair[1]?.at);

    await continued(daemon, id);
    const events = await eventsOf(daemon, id);
    expect(data(events, "turn.admitted@1").at(-1)).toMatchObject({
      turnId: reached?.["nextTurnId"],
      prompt: "continue",
    });
    expect((await promptsOf(daemon, id)).filter((one) => one === "continue")).toHaveLength(1);
    expect(data(events, "turn.ended@1").at(-1)).toMatchObject({ outcome: "completed" });
    expect(data(events, "driver.attached@1").at(-1)).toMatchObject({ continuity: "native" });
    expect(await waitOf(daemon, id)).toEqual({ waitingFor: undefined, waitingUntil: undefined, state: "idle" });
  },
);

proves.concurrent("AG-28", "with `tell`, set while the daemon runs, the reset gives a notice and no turn", async () => {
  const { id } = await start(daemon, { adapter: "telling" });
  await turn(daemon, id, `fail ${limitIn(1)}`);
  expect(data(await eventsOf(daemon, id), "quota.reached@1")).toMatchObject([{ onReset: "tell" }]);
  await resetOf(daemon, id);
  const notices = data(await eventsOf(daemon, id), "driver.noticed@1").map(({ title }) => String(title));
  expect(notices.filter((title) => title.includes("usage limit has reset"))).toHaveLength(1);
  await sleep(300);
  expect(await promptsOf(daemon, id)).toHaveLength(1);
  expect(await waitOf(daemon, id)).toMatchObject({ waitingFor: undefined });
});

proves.concurrent("AG-28", "a person's prompt in between cancels the wait: nothing continues by itself", async () => {
  const { id } = await start(daemon, { adapter: "fake" });
  await turn(daemon, id, `fail ${limitIn(4)}`);
  const until = await untilOf(daemon, id);
  expect(await turn(daemon, id, "say never mind")).toMatchObject({ outcome: "completed" });
  expect(await waitOf(daemon, id)).toMatchObject({ waitingFor: undefined, waitingUntil: undefined });
  await sleep(Math.max(0, Date.parse(until) - Date.now()) + 500);
  expect(await promptsOf(daemon, id)).toEqual([`fail ${limitIn(4)}`, "say never mind"]);
  expect(data(await eventsOf(daemon, id), "quota.reset@1")).toEqual([]);
});

proves.concurrent("AG-28", "an answer that is only a limit's notice is a limit; words about one are not", async () => {
  const { id } = await start(daemon, { adapter: "fake" });
  const notice = limitIn(3600);
  expect(await turn(daemon, id, `timed Note: ${notice}`)).toMatchObject({ outcome: "completed" });
  expect(await turn(daemon, id, `write notes.txt x\ntimed ${notice}`)).toMatchObject({ outcome: "completed" });
  expect(await turn(daemon, id, `think hm\ntimed ${notice}`)).toMatchObject({ outcome: "completed" });
  expect(await turn(daemon, id, `timed ${notice}\nsay and more`)).toMatchObject({ outcome: "completed" });
  expect(await waitOf(daemon, id)).toMatchObject({ waitingFor: undefined });
  expect(await turn(daemon, id, `timed ${notice}`)).toMatchObject({ outcome: "interrupted" });
  expect(await waitOf(daemon, id)).toMatchObject({ waitingFor: "quota", waitingUntil: await untilOf(daemon, id) });
  expect(await turn(daemon, id, `timed ${notice}\nstop refusal`)).toMatchObject({ outcome: "interrupted" });
  expect(await turn(daemon, id, "say I will not\nstop refusal")).toMatchObject({ outcome: "failed" });
  const short = "fail 429 Too Many Requests. Please retry in 12s";
  expect(await turn(daemon, id, short)).toMatchObject({ outcome: "failed" });
  expect(await waitOf(daemon, id)).toMatchObject({ waitingFor: undefined });
});

proves.concurrent("AG-28", "a one-shot program that fails with a limit waits and continues, too", async () => {
  await addAgent(daemon, "once", [], {
    protocol: "print",
    bin_args: [PRINT_AGENT],
    env: { HOME: await newFolder() },
    print: { schema: "codex", args: ["-"], resume_args: ["resume", "{id}", "-"] },
  });
  const { id } = await start(daemon, { adapter: "once" });
  expect(await turn(daemon, id, `fail ${limitIn(4)}`)).toMatchObject({ outcome: "interrupted" });
  const waitingUntil = await untilOf(daemon, id);
  expect(await waitOf(daemon, id)).toEqual({ waitingFor: "quota", waitingUntil, state: "idle" });
  await continued(daemon, id);
  expect((await promptsOf(daemon, id)).filter((one) => one === "continue")).toHaveLength(1);
  expect((await linesOf(daemon, id)).join("\n")).toContain("now: continue");
});

proves.concurrent("AG-28", "a limit that resets while no daemon runs is continued once by the next one", async () => {
  await using first = await startWithAgents({ fake: [] }, { onQuota: "continue" });
  const { id } = await start(first, { adapter: "fake" });
  const text = `fail ${limitIn(2)}`;
  expect(await turn(first, id, text)).toMatchObject({ outcome: "interrupted" });
  const until = await untilOf(first, id);
  await first.kill9();
  await sleep(Math.max(0, Date.parse(until) - Date.now()) + 100);
  await using second = await startDaemon({ home: first.home });
  await continued(second, id);
  expect(await promptsOf(second, id)).toEqual([text, "continue"]);
});
