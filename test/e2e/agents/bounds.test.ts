import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, vi } from "vitest";
import type { TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { startWithAgents } from "../support/fake-agents.ts";
import { eventsOf, expectOk, expectRefusal, PATIENCE, type Session, show, start, turn } from "../support/talk.ts";

vi.setConfig(PATIENCE);

/** Data of foreign agents, and sessions started by sessions, are under the same limits as everything else. */
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startWithAgents({ fake: [] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const KB = 1024;
const limits = async (patch: Readonly<Record<string, number | null>>): Promise<void> => {
  expectOk(await daemon.call("PUT", "/api/config", { config: { limits: patch } }));
};
const used = async (id: string): Promise<number> =>
  expectOk(await daemon.call<Session & { usage: { withForks: number } }>("GET", `/sessions/${id}`)).usage.withForks;
const count = async (): Promise<number> =>
  expectOk(await daemon.call<{ sessions: [] }>("GET", "/sessions?limit=1000")).sessions.length;
/** Its stream is full. */
const fill = async (id: string): Promise<void> => {
  await limits({ sessionBytes: (await used(id)) + 4 * KB });
  for (let n = 0; n < 200; n += 1) {
    const { status } = await daemon.call("POST", `/sessions/${id}/events`, { events: [{ type: "tick", payload: n }] });
    if (status === 507) return;
  }
  throw new Error("never refused");
};
const spawnAs = async (id: string) => {
  const key = { sessionId: id, capabilities: ["session.spawn", "session.read"] };
  const { secret } = expectOk(await daemon.call<{ secret: string }>("POST", "/api/tokens", key), 201);
  const body = { adapter: "fake", agent: "hand" };
  return () => daemon.call("POST", "/sessions/agent", body, { authorization: `Bearer ${secret}` });
};
const lead = async (): Promise<string> => {
  for (const agent of [
    { slug: "hand", driver: "fake" },
    { slug: "head", driver: "fake", delegatesTo: ["hand"] },
  ])
    await daemon.call("POST", "/api/agents", agent);
  return (await start(daemon, { adapter: "fake", agent: "head" })).id;
};

proves(
  "Q3",
  "a foreign agent's turn over the quota fails by name, and the next turn works once there is room",
  async () => {
    const { id } = await start(daemon, { adapter: "fake" });
    await turn(daemon, id, "say up");
    await limits({ sessionBytes: (await used(id)) + 60 * KB });
    expect(await turn(daemon, id, "write a.txt b\n".repeat(200))).toMatchObject({ outcome: "failed" });
    const end = (await eventsOf(daemon, id, "types=turn.ended")).at(-1);
    expect(end?.data["error"]).toMatchObject({ code: "quota_exceeded" });
    expect(await show(daemon, id)).toMatchObject({ state: "idle", busy: false });
    await limits({ sessionBytes: null });
    expect(await turn(daemon, id, "say on")).toMatchObject({ outcome: "completed" });
  },
);

proves("Q4", "attachments, notes and settings over the quota are refused and leave nothing behind", async () => {
  const { id } = await start(daemon, { adapter: "fake" });
  await turn(daemon, id, "say up");
  await limits({ sessionBytes: (await used(id)) + 20 * KB });
  const before = await used(id);
  const data = randomBytes(60 * KB).toString("base64");
  const attachments = [{ kind: "resource", name: "noise.bin", mediaType: "text/plain", data }];
  const prompted = await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: "say hi", attachments });
  expectRefusal(prompted, 507, "quota_exceeded");
  expect(await used(id)).toBe(before);
  await fill(id);
  for (const [path, body] of [
    ["note", { text: "n".repeat(3000) }],
    ["configure", { mode: "bold", options: {} }],
  ] as const)
    expectRefusal(await daemon.call("POST", `/sessions/${id}/${path}`, body), 507, "quota_exceeded");
  await limits({ sessionBytes: null });
});

proves("Q4", "a session at its quota cannot start another one, and none is left half started", async () => {
  const id = await lead();
  const spawn = await spawnAs(id);
  expectOk(await spawn(), 201);
  await fill(id);
  const before = await count();
  expectRefusal(await spawn(), 507, "quota_exceeded");
  expect(await count()).toBe(before);
  await limits({ sessionBytes: null });
  expectOk(await spawn(), 201);
});

proves("Q5", "sessions started by sessions count against the limit of living sessions", async () => {
  const spawn = await spawnAs(await lead());
  const { sessions } = expectOk(await daemon.call<{ sessions: [] }>("GET", "/sessions?onlyAlive=true&limit=1000"));
  await limits({ liveSessionsMax: sessions.length + 2 });
  const answers = await Promise.all(Array.from({ length: 6 }, () => spawn()));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(answers.filter(({ text }) => text.includes("limit_reached"))).toHaveLength(4);
  await limits({ liveSessionsMax: null });
});
