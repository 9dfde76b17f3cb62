import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { mcpClient } from "../support/mcp-client.ts";
import { proves } from "../support/proves.ts";
import { plantDriver } from "./support/driver-file.ts";
import {
  ended,
  eventsOf,
  eventually,
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
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const KB = 1024;
/** One more message that is already written may pass the limit. */
const ONE_PIECE = 24 * KB;

interface Used {
  readonly usage: {
    readonly events: number;
    readonly bytes: number;
    readonly withForks: number;
    readonly limit: number;
  };
}

const limits = async (patch: Readonly<Record<string, number | null>>): Promise<void> => {
  const { config, restart } = expectOk(
    await daemon.call<{ config: unknown; restart: string[] }>("PUT", "/api/config", { config: { limits: patch } }),
  );
  expect(restart).toEqual([]);
  expect(config).toBeDefined();
};
const used = async (id: string): Promise<number> => {
  const session = expectOk(await daemon.call<Session & Used>("GET", `/sessions/${id}`));
  return session.usage.withForks;
};
/** A session that may grow by this much; no other session is limited. */
const sessionWith = async (roomBytes: number, body: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  await limits({ sessionBytes: null });
  const { id } = await start(daemon, body);
  await limits({ sessionBytes: (await used(id)) + roomBytes });
  return id;
};
const untilRefused = async (work: (n: number) => Promise<{ status: number; text: string }>): Promise<number> => {
  for (let n = 0; n < 3000; n += 1) {
    const { status, text } = await work(n);
    if (status === 507) {
      expect(text).toContain("quota_exceeded");
      expect(text).toContain("nomos gc");
      return n;
    }
    expect(status).toBeLessThan(300);
  }
  throw new Error("never refused");
};
const sessionLimit = async (id: string): Promise<number> =>
  expectOk(await daemon.call<Session & Used>("GET", `/sessions/${id}`)).usage.limit;
const expectWithin = async (id: string, overBytes = 0): Promise<void> => {
  expect(await used(id)).toBeLessThanOrEqual((await sessionLimit(id)) + overBytes);
};
/** What must work even when the quota is used up. */
const expectStillReadableAndEndable = async (id: string): Promise<void> => {
  expect((await eventsOf(daemon, id)).length).toBeGreaterThan(0);
  expectOk(await daemon.call("POST", `/sessions/${id}/suspend`, { reason: "full" }));
  expectOk(await daemon.call("POST", `/sessions/${id}/kill`));
  expect(await show(daemon, id)).toMatchObject({ state: "killed" });
};

proves("Q4", "many small events and small calls are refused at the session's quota", async () => {
  const id = await sessionWith(16 * KB);
  const item = { type: "tick", payload: 1 };
  const made = await untilRefused(() => daemon.call("POST", `/sessions/${id}/events`, { events: [item] }));
  expect(made).toBeGreaterThan(10);
  await expectWithin(id);
  for (const [method, path, body] of [
    ["POST", `/sessions/${id}/label`, { label: "l".repeat(200) }],
    ["PUT", `/sessions/${id}/todo`, { items: Array.from({ length: 50 }, () => ({ text: "t", status: "open" })) }],
    ["POST", `/sessions/${id}/prompt`, { prompt: "say hello ".repeat(50) }],
    ["POST", `/sessions/${id}/fork`, {}],
  ] as const)
    expectRefusal(await daemon.call(method, path, body), 507, "quota_exceeded");
  await expectWithin(id);
  const head = (await show(daemon, id)).head;
  expectRefusal(await daemon.call("POST", `/sessions/${id}/rewind`, { to: head }), 507, "quota_exceeded");
  await expectStillReadableAndEndable(id);
});

proves("Q4", "artifacts are refused at the quota by their stored size, and leave no blob behind", async () => {
  const id = await sessionWith(300 * KB);
  const write = (n: number, content: string) =>
    daemon.call("POST", `/sessions/${id}/artifacts`, { path: `a${n}.txt`, content });
  const random = () => randomBytes(50 * KB).toString("base64");
  const made = await untilRefused((n) => write(n, random()));
  expect(made).toBeGreaterThanOrEqual(2);
  await expectWithin(id);
  // The same bytes are stored and counted once; compressible bytes count compressed.
  await limits({ sessionBytes: (await used(id)) + 100 * KB });
  const same = random();
  for (let n = 0; n < 8; n += 1) expectOk(await write(1000 + n, same), 201);
  expectOk(await write(2000, "x".repeat(5_000_000)), 201);
  await expectWithin(id);
  const refused = expectRefusal(
    await daemon.call("POST", `/sessions/${id}/artifacts`, {
      path: "b",
      content: randomBytes(200 * KB).toString("base64"),
    }),
    507,
    "quota_exceeded",
  );
  expect(refused.details).toMatchObject({ scope: "session", limit: await sessionLimit(id) });
  await expectStillReadableAndEndable(id);
});

proves("Q4", "forks, and forks of forks, get no quota of their own", async () => {
  const id = await sessionWith(40 * KB);
  let parent = id;
  const forks: string[] = [];
  const made = await untilRefused(async () => {
    const answer = await daemon.call<Session>("POST", `/sessions/${parent}/fork`, {});
    if (answer.status === 201) {
      parent = answer.body.id;
      forks.push(parent);
      await eventually("started", async () => (await show(daemon, parent)).state !== "starting");
    }
    return answer;
  });
  expect(made).toBeGreaterThan(3);
  await expectWithin(id, ONE_PIECE);
  expectRefusal(
    await daemon.call("POST", `/sessions/${forks[0]}/events`, { events: [{ type: "x", payload: "y".repeat(2000) }] }),
    507,
    "quota_exceeded",
  );
  for (const fork of forks) expectOk(await daemon.call("POST", `/sessions/${fork}/kill`));
  await expectSound(daemon);
});

proves("Q4", "concurrent prompts exceed the quota no more than sequential ones", async () => {
  const id = await sessionWith(60 * KB, { adapter: "demo" });
  expectOk(await daemon.call("POST", `/sessions/${id}/suspend`, { reason: "let them queue" }));
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      daemon.call("POST", `/sessions/${id}/events`, { events: [{ type: "n", payload: `${n}`.padEnd(3000, "x") }] }),
    ),
  );
  const refused = answers.filter(({ status }) => status === 507).length;
  expect(refused).toBeGreaterThan(30);
  await expectWithin(id);
  expectOk(await daemon.call("POST", `/sessions/${id}/kill`));
});

proves("Q4", "a queue of large prompts is refused at the quota, and the admitted ones run to their end", async () => {
  const id = await sessionWith(200 * KB);
  const first = await prompt(daemon, id, "sleep 1500");
  const text = () => `say ${randomBytes(40 * KB).toString("hex")}`;
  const made = await untilRefused(() => daemon.call("POST", `/sessions/${id}/prompt`, { prompt: text(), queue: true }));
  expect(made).toBeGreaterThanOrEqual(2);
  await ended(daemon, id, first.turnId);
  await eventually("an empty queue", async () => !(await show(daemon, id)).busy);
  const ends = (await eventsOf(daemon, id, "types=turn.ended")).map(
    ({ data }) => data["error"] as { code: string } | null,
  );
  expect(ends).toHaveLength(made + 1);
  expect(ends.some((error) => error?.code === "quota_exceeded")).toBe(true);
  await expectStillReadableAndEndable(id);
});

for (const [what, text] of [
  ["speaks without end", 'export default async ({ say }) => { for (;;) await say("word ".repeat(1000)); };'],
  [
    "ignores the refusal",
    'export default async ({ say, event }) => { for (;;) { await say("word ".repeat(1000)).catch(() => undefined); await event("tick", 1).catch(() => undefined); } };',
  ],
  [
    "writes artifacts without end",
    "export default async ({ artifact }) => { for (let n = 0; ; n += 1) await artifact('a' + (n % 90), crypto.randomUUID().repeat(300)); };",
  ],
  [
    "prints a flood of output",
    'export default async ({ tools }) => { await tools.run("head -c 40000000 /dev/urandom | base64"); };',
  ],
  [
    "rewrites its todo without end",
    'export default async ({ todo }) => { for (;;) await todo([{ text: "x".repeat(900), status: "open" }]); };',
  ],
] as const)
  proves.onOneStore("Q3", `a turn that ${what} fails at the quota by name; its earlier output stays`, async () => {
    const id = await sessionWith(150 * KB, { adapter: "script", file: await plantDriver(text) });
    expect(await turn(daemon, id, "go")).toMatchObject({ outcome: "failed" });
    const end = (await eventsOf(daemon, id, "types=turn.ended")).at(-1);
    expect(end?.data["error"]).toMatchObject({ code: "quota_exceeded" });
    expect(JSON.stringify(end?.data)).toContain('\\"scope\\":\\"session\\"');
    expect(await show(daemon, id)).toMatchObject({ state: "idle", busy: false });
    expect(await used(id)).toBeGreaterThan(100 * KB);
    // A piece of printed output is at most this large, compressed.
    await expectWithin(id, 300 * KB);
    if (what === "speaks without end") expect((await linesOf(daemon, id)).join("\n")).toContain("word word");
    expectRefusal(
      await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: "x".repeat(4000) }),
      507,
      "quota_exceeded",
    );
    await limits({ sessionBytes: null });
    expectOk(await daemon.call("POST", `/sessions/${id}/kill`));
  });

proves.onOneStore("Q4", "MCP refuses with the same message, and so do reports on an external session", async () => {
  const id = await sessionWith(8 * KB);
  const client = await mcpClient(daemon, "2025-11-25");
  const call = () =>
    client.callTool({ name: "event_add", arguments: { id, events: [{ type: "tick", payload: "p".repeat(500) }] } });
  let answer = await call();
  for (let n = 0; n < 50 && answer.isError !== true; n += 1) answer = await call();
  expect(JSON.stringify(answer)).toContain("quota_exceeded");
  await expectWithin(id);
  await limits({ sessionBytes: null });
  const opened = expectOk(
    await daemon.call<Session>("POST", "/sessions/external", { pid: process.pid, agent: "external" }),
    201,
  );
  const { turnId } = expectOk(
    await daemon.call<{ turnId: string }>("POST", `/sessions/${opened.id}/turns`, { input: "outside" }),
    201,
  );
  await limits({ sessionBytes: (await used(opened.id)) + 20 * KB });
  await untilRefused(() =>
    daemon.call("POST", `/sessions/${opened.id}/turns/${turnId}/messages`, { text: "m".repeat(4000) }),
  );
  await expectWithin(opened.id, ONE_PIECE);
  expectOk(await daemon.call("POST", `/sessions/${opened.id}/turns/${turnId}/end`, { outcome: "completed" }));
  expectOk(await daemon.call("POST", `/sessions/${opened.id}/finish`, { exitCode: 0 }));
});

proves(
  "Q4",
  "the home's quota covers everything together; questions can still be answered, and raising it helps",
  async () => {
    await limits({ sessionBytes: null });
    const asking = await start(daemon);
    const { turnId } = await prompt(daemon, asking.id, "ask may I go on\nsay yes");
    const { id: approval } = await pendingOf(daemon, asking.id);
    const idle = await start(daemon);
    const status = expectOk(
      await daemon.call<{ usage: { eventBytes: number; blobBytes: number } }>("GET", "/api/status"),
    );
    const now = status.usage.eventBytes + status.usage.blobBytes;
    await limits({ homeBytes: now + 10 * KB });
    const made = await untilRefused(() =>
      daemon.call("POST", `/sessions/${idle.id}/events`, { events: [{ type: "tick", payload: "p".repeat(1000) }] }),
    );
    expect(made).toBeGreaterThan(2);
    await untilRefused(() =>
      daemon.call("POST", `/sessions/${idle.id}/events`, { events: [{ type: "t", payload: 1 }] }),
    );
    for (const [path, body] of [
      ["/sessions/agent", { adapter: "demo", prompt: "say hi".repeat(200) }],
      [`/sessions/${idle.id}/prompt`, { prompt: "p".repeat(4000) }],
      ["/api/agents", { slug: "another", name: "n".repeat(100), driver: "demo", tools: { run: "auto" } }],
    ] as const) {
      const error = expectRefusal(await daemon.call("POST", path, body), 507, "quota_exceeded");
      expect(error.details).toMatchObject({ scope: "home", limit: now + 10 * KB });
    }
    expectOk(await daemon.call("POST", `/api/approvals/${approval}/approve`, {}));
    await ended(daemon, asking.id, turnId);
    expectOk(await daemon.call("POST", `/sessions/${idle.id}/kill`, undefined, { "idempotency-key": "k1" }));
    expectOk(await daemon.call("POST", `/sessions/${idle.id}/kill`, undefined, { "idempotency-key": "k2" }));
    await expectSound(daemon);
    // From the command line, which brings its own idempotency key.
    const raised = await daemon.cli("config", "set", "limits.homeBytes", String(now + 10_000_000));
    expect(raised).toMatchObject({ exitCode: 0 });
    expectOk(await daemon.call("POST", `/sessions/${asking.id}/prompt`, { prompt: "say again" }));
  },
);

proves("Q1", "usage is exact after a kill of the daemon, and the check compares it", async () => {
  await using other = await startDaemon();
  const { id } = await start(other);
  await turn(other, id, `say ${"hello ".repeat(2000)}\nrun seq 1 20000`);
  const before = expectOk(await other.call<Session & Used>("GET", `/sessions/${id}`)).usage;
  await other.kill9();
  await using again = await startDaemon({ home: other.home });
  const after = expectOk(await again.call<Session & Used>("GET", `/sessions/${id}`)).usage;
  expect(after).toEqual(before);
  await expectSound(again);
  const [shown] = expectOk(await again.call<{ sessions: Session[] }>("GET", "/sessions")).sessions;
  expect(shown).not.toHaveProperty("usage");
});

proves("Q5", "the limit of living sessions holds, also when all start at once", async () => {
  await using other = await startDaemon();
  expectOk(await other.call("PUT", "/api/config", { config: { limits: { liveSessionsMax: 3 } } }));
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => other.call<Session>("POST", "/sessions/agent", { adapter: "demo", cwd: "/tmp" })),
  );
  const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
  expect(made.length).toBeLessThanOrEqual(3);
  while (made.length < 3)
    made.push(expectOk(await other.call<Session>("POST", "/sessions/agent", { adapter: "demo", cwd: "/tmp" }), 201).id);
  const refused = await other.call("POST", `/sessions/${made[0]}/fork`, {});
  expect(expectRefusal(refused, 429, "limit_reached").details).toMatchObject({
    limit: "limits.liveSessionsMax",
    max: 3,
  });
  expectOk(await other.call("POST", `/sessions/${made[0]}/kill`));
  expectOk(await other.call("POST", `/sessions/${made[1]}/fork`, {}), 201);
});
