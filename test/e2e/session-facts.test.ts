import { afterAll, beforeAll, expect, vi } from "vitest";
import type { TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { addAgent, startWithAgents } from "./support/fake-agents.ts";
import {
  eventsOf,
  expectOk,
  expectRefusal,
  expectSound,
  linesOf,
  PATIENCE,
  pendingOf,
  prompt,
  type Session,
  show,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startWithAgents({ fake: [], forks: ["--fork"] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const rename = async (id: string, title: string | null) =>
  expectOk(await daemon.call<Session>("POST", `/sessions/${id}/rename`, { title }));
const listed = async (id: string) =>
  expectOk(await daemon.call<{ sessions: Session[] }>("GET", "/sessions")).sessions.find((one) => one.id === id);

proves("SF-1", "a session's title is the first line of its first prompt, until it is renamed", async () => {
  const { id } = await start(daemon);
  expect((await show(daemon, id)).title).toBeUndefined();
  await turn(daemon, id, "\n  say hello  \nsay more");
  await turn(daemon, id, "say another");
  expect((await show(daemon, id)).title).toBe("say hello");
  expect((await listed(id))?.title).toBe("say hello");
  expect((await rename(id, "  The build ")).title).toBe("The build");
  expect((await rename(id, "")).title).toBeUndefined();
  await turn(daemon, id, "say third");
  expect((await show(daemon, id)).title).toBeUndefined();
  const given = await start(daemon, { title: "Given", prompt: "say hello" });
  expect(given.title).toBe("Given");
  expectRefusal(
    await daemon.call("POST", `/sessions/${id}/rename`, { title: "x".repeat(201) }),
    400,
    "invalid_request",
  );
  const fork = expectOk(await daemon.call<Session>("POST", `/sessions/${given.id}/fork`, {}), 201);
  expect(fork.title).toBeUndefined();
});

proves("SF-1", "a title is erased with what it came from, and no list keeps it", async () => {
  const { id } = await start(daemon);
  await turn(daemon, id, "say secret-title-one");
  const first = (await eventsOf(daemon, id, "types=turn.admitted"))[0];
  expect((await listed(id))?.title).toBe("say secret-title-one");
  expectOk(await daemon.call("POST", `/sessions/${id}/erase`, { events: [first?.id] }));
  expect((await listed(id))?.title).toBeUndefined();
  await rename(id, "secret-title-two");
  const [titled] = await eventsOf(daemon, id, "types=session.titled");
  expectOk(await daemon.call("POST", `/sessions/${id}/erase`, { events: [titled?.id] }));
  expect((await show(daemon, id)).title).toBeUndefined();
  await turn(daemon, id, "say y");
  expect((await show(daemon, id)).title).toBeUndefined();
  await expectSound(daemon);
});

proves(
  "SF-2",
  "what an agent says it spent adds up: tokens of each turn, and its share of a growing cost",
  async () => {
    const { id } = await start(daemon, { adapter: "fake" });
    await turn(daemon, id, "say nothing told");
    expect((await show(daemon, id)).spent).toBeUndefined();
    await turn(daemon, id, "tokens 10 5 100 7\ncost 0.01\ncost 0.25");
    expect((await show(daemon, id)).spent).toEqual({
      input: 10,
      output: 5,
      cacheRead: 100,
      cacheWrite: 7,
      costUsd: 0.25,
    });
    await turn(daemon, id, "tokens 1 1\ncost 0.30");
    const spent = { input: 11, output: 6, cacheRead: 100, cacheWrite: 7, costUsd: 0.3 };
    expect((await show(daemon, id)).spent).toEqual(spent);
    expect((await listed(id))?.spent).toEqual(spent);
    const told = (await eventsOf(daemon, id, "types=usage.reported")).map(({ data }) => data["spent"]);
    expect(told).toMatchObject([{ costMicroUsd: 250_000 }, { input: 1, costMicroUsd: 50_000 }]);
    // In a new process the agent goes on with its sum, or begins anew.
    expectOk(await daemon.call("POST", `/sessions/${id}/hibernate`, {}));
    await turn(daemon, id, "cost 0.40");
    expect((await show(daemon, id)).spent?.costUsd).toBe(0.4);
    expectOk(await daemon.call("POST", `/sessions/${id}/hibernate`, {}));
    await turn(daemon, id, "cost 0.05\ncost 0.06");
    expect((await show(daemon, id)).spent?.costUsd).toBe(0.46);
    const head = (await show(daemon, id)).head;
    await turn(daemon, id, "tokens 1 1");
    expectOk(await daemon.call("POST", `/sessions/${id}/rewind`, { to: head }));
    expect((await show(daemon, id)).spent).toMatchObject({ input: 12, costUsd: 0.46 });
    await expectSound(daemon);
  },
);

proves("SF-2", "a fork has spent nothing, also where the agent's sum goes on with its parent's", async () => {
  const parent = await start(daemon, { adapter: "forks" });
  await turn(daemon, parent.id, "tokens 3 3\ncost 2");
  const fork = expectOk(await daemon.call<Session>("POST", `/sessions/${parent.id}/fork`, {}), 201);
  expect(fork.spent).toBeUndefined();
  await turn(daemon, fork.id, "cost 2.5");
  expect((await show(daemon, fork.id)).spent?.costUsd).toBe(0.5);
  await addAgent(daemon, "second", ["--v2"], { acp_version: 2 });
  const second = await start(daemon, { adapter: "second" });
  await turn(daemon, second.id, "tokens 4 2");
  const spent = { input: 4, output: 2, cacheRead: 0, cacheWrite: 0, costUsd: null };
  expect((await show(daemon, second.id)).spent).toEqual(spent);
});

proves("SF-2", "nonsense in an agent's report is not counted, and an interrupted turn is", async () => {
  const { id } = await start(daemon, { adapter: "fake" });
  await turn(daemon, id, "tokens -5 1e300\ncost -3\ncost NaN\ntokens 2 2");
  await turn(daemon, id, "tokens -5 1e300");
  expect((await show(daemon, id)).spent).toEqual({ input: 2, output: 2, cacheRead: 0, cacheWrite: 0, costUsd: null });
  await prompt(daemon, id, "tokens 8 8\nask go on?");
  await pendingOf(daemon, id);
  expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`));
  expect((await show(daemon, id)).spent).toMatchObject({ input: 10, output: 10 });
  expect(await linesOf(daemon, id)).toContain("── turn-end (interrupted) ──");
});
