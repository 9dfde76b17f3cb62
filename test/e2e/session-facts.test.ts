import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { addAgent, startWithAgents } from "./support/fake-agents.ts";
import {
  eventsOf,
  expectOk,
  expectRefusal,
  expectSound,
  linesOf,
  newFolder,
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

interface Turns {
  readonly turns: readonly {
    readonly turn: number;
    readonly turnId: string;
    readonly prompt: string | null;
    readonly outcome: string | null;
    readonly endedAt?: string;
    readonly rewound: boolean;
    readonly eventId: string | null;
    readonly spent?: object;
  }[];
  readonly next: number | null;
}
const turnsOf = async (id: string, query = "") =>
  expectOk(await daemon.call<Turns>("GET", `/sessions/${id}/turns${query}`));

proves("SF-3", "turns have numbers, which rewind, fork and diff take; a rewound turn keeps its own", async () => {
  const { id } = await start(daemon);
  for (const word of ["one", "two", "three"]) await turn(daemon, id, `\nwrite ${word} x\nsay ${word}`);
  const listed = await turnsOf(id);
  expect(listed.turns.map(({ turn: number, prompt: text }) => `${number} ${text}`)).toEqual([
    "1 write one x",
    "2 write two x",
    "3 write three x",
  ]);
  expect(listed).toMatchObject({ turns: [{ outcome: "completed", rewound: false }, {}, {}], next: null });
  const back = expectOk(
    await daemon.call<Session & { removed: string[] }>("POST", `/sessions/${id}/rewind`, { turn: 1 }),
  );
  expect(back.removed.toSorted()).toEqual(["three", "two"]);
  await turn(daemon, id, "say four");
  expect((await turnsOf(id)).turns.map(({ turn: number, rewound }) => [number, rewound])).toEqual([
    [1, false],
    [2, true],
    [3, true],
    [4, false],
  ]);
  const second = (await turnsOf(id)).turns[1];
  expect(expectOk(await daemon.call("GET", `/sessions/${id}/diff?turn=2`))).toMatchObject({ turnId: second?.turnId });
  expectOk(await daemon.call("POST", `/sessions/${id}/rewind`, { to: second?.eventId }));
  expect((await turnsOf(id)).turns.map(({ rewound }) => rewound)).toEqual([false, false, true, true]);
  const fork = expectOk(await daemon.call<Session>("POST", `/sessions/${id}/fork`, { turn: 1 }), 201);
  expect(fork.forkedFrom?.eventId).toBe(listed.turns[0]?.eventId);
  expect(await turnsOf(fork.id)).toEqual({ turns: [], next: null });
  expectRefusal(await daemon.call("GET", "/sessions/nobody/turns"), 404, "session_not_found");
});

proves("SF-3", "turns come by pages; a running one has no end, and an erased one no prompt", async () => {
  const { id } = await start(daemon);
  for (let n = 0; n < 5; n += 1) await turn(daemon, id, `say ${n}`);
  await prompt(daemon, id, "ask go on?");
  await prompt(daemon, id, "say queued", { queue: true });
  await pendingOf(daemon, id);
  const first = await turnsOf(id, "?limit=2");
  expect([first.turns.map(({ turn: number }) => number), first.next]).toEqual([[1, 2], 2]);
  const second = await turnsOf(id, "?limit=2&after=2");
  expect([second.turns.map(({ turn: number }) => number), second.next]).toEqual([[3, 4], 4]);
  const last = await turnsOf(id, "?limit=2&after=4");
  expect([last.turns.map(({ turn: number }) => number), last.next]).toEqual([[5, 6], null]);
  expect(last.turns[1]).toMatchObject({ outcome: null, eventId: null, rewound: false, prompt: "ask go on?" });
  expect(last.turns[1]).not.toHaveProperty("endedAt");
  expectOk(await daemon.call("POST", `/sessions/${id}/kill`, {}));
  const [admitted] = await eventsOf(daemon, id, "types=turn.admitted");
  expectOk(await daemon.call("POST", `/sessions/${id}/erase`, { events: [admitted?.id] }));
  expect((await turnsOf(id)).turns).toMatchObject([{ prompt: null }, {}, {}, {}, {}, { outcome: "interrupted" }]);
});

proves("SF-7", "prune forgets ended sessions by age and label; living ones and worktrees with work stay", async () => {
  await using own = await startDaemon();
  const prune = async (body: object = {}) => {
    const answer = await own.call<{ forgotten: Named[]; kept: (Named & { reason: string })[] }>(
      "POST",
      "/api/sessions/prune",
      body,
    );
    return expectOk(answer);
  };
  const names = (sessions: readonly Named[]) => sessions.map(({ name }) => name).toSorted();
  expect(await prune()).toEqual({ forgotten: [], kept: [] });
  const alive = await start(own);
  const [one, two] = [await start(own, { label: "tmp" }), await start(own)];
  const cwd = await newFolder();
  execFileSync("git", ["init", "-q", cwd]);
  const working = await start(own, { cwd, worktree: true });
  await turn(own, working.id, "write kept.txt work");
  const idle = await start(own, { cwd, worktree: true });
  for (const { id } of [one, two, working, idle]) expectOk(await own.call("POST", `/sessions/${id}/kill`, {}));
  expect((await prune({ olderThanMs: 3_600_000 })).forgotten).toEqual([]);
  expect(names((await prune({ label: "tmp" })).forgotten)).toEqual([one.name]);
  const { forgotten, kept } = await prune();
  expect(names(forgotten)).toEqual(names([two, idle]));
  expect(kept).toEqual([{ id: working.id, name: working.name, reason: "its worktree holds work" }]);
  const { sessions } = expectOk(await own.call<{ sessions: Session[] }>("GET", "/sessions"));
  expect(names(sessions)).toEqual(names([alive, working]));
  expect(expectOk(await own.call("GET", `/api/worktrees/${working.name}`))).toMatchObject({ id: working.id });
  await expectSound(own);
});

interface Named {
  readonly id: string;
  readonly name: string;
}
