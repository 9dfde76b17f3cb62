import { mkdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { type Attempt, CALLER, callAs } from "./support/caller.ts";
import { plantDriver } from "./support/driver-file.ts";
import {
  eventsOf,
  expectOk,
  expectRefusal,
  newFolder,
  PATIENCE,
  type Refused,
  type Session,
  show,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

/** Delegation from the attacker's side: a session has only its own token, and tries everything. */
let daemon: TestDaemon;
let file: string;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

type Nested = Session & { parentSessionId?: string; depth: number; ground: string; agentSlug?: string };

/** New agents for each test: `lead` may start the named ones, all with the calling driver. */
const agents = async (grants: { readonly [slug: string]: readonly string[] }): Promise<void> => {
  file = await plantDriver(CALLER);
  const { config } = expectOk(await daemon.call<{ config: { drivers?: object } }>("GET", "/api/config"));
  await daemon.call("PUT", "/api/config", { config: { drivers: { ...config.drivers, caller: { file } } } });
  for (const [slug, delegatesTo] of Object.entries(grants)) {
    await daemon.call("DELETE", `/api/agents/${slug}`);
    expectOk(await daemon.call("POST", "/api/agents", { slug, driver: "caller", delegatesTo }), 201);
  }
};
const root = async (agent: string | null, body: object = {}): Promise<Session> =>
  start(daemon, { adapter: "caller", ...(agent === null ? {} : { agent }), ...body });
const spawnOf = (agent: string | null, body: object = {}): Attempt => [
  "POST",
  "/sessions/agent",
  { adapter: "caller", ...(agent === null ? {} : { agent }), ...body },
];
const asked = async (id: string, ...calls: readonly Attempt[]): Promise<readonly (readonly [number, unknown])[]> =>
  callAs(daemon, id, calls);
const codes = (answers: readonly (readonly [number, unknown])[]): readonly string[] =>
  answers.map(([, body]) => (body as Refused).error?.code ?? "done");
const count = async (): Promise<number> =>
  expectOk(await daemon.call<{ sessions: [] }>("GET", "/sessions?limit=1000")).sessions.length;

proves("G11", "a session without an agent, or whose agent delegates to nobody, cannot start a session", async () => {
  await agents({ lead: [], worker: [] });
  const before = await count();
  for (const agent of [null, "lead"]) {
    const { id } = await root(agent);
    const answers = await asked(id, spawnOf("worker"), spawnOf(null), spawnOf("lead"), spawnOf("caller"));
    expect(answers.map(([status]) => status)).toEqual([403, 403, 403, 403]);
    expect(codes(answers)).toEqual(Array.from({ length: 4 }, () => "delegation_denied"));
  }
  expect(await count()).toBe(before + 2);
});

proves(
  "G11",
  "the list is closed and compares agents, not spellings; an unlisted agent is denied under any name",
  async () => {
    await agents({ lead: ["aip://42/worker@1.0.0"], worker: [], other: [] });
    const { id, cwd } = await root("lead");
    const names = ["worker", "agent:worker", "ws://agents/worker", "aip://42/worker"];
    const allowed = await asked(id, ...names.map((name) => spawnOf(name)));
    expect(allowed.map(([status]) => status)).toEqual(names.map(() => 201));
    for (const [, child] of allowed)
      expect(child).toMatchObject({ parentSessionId: id, depth: 1, cwd, agentSlug: "worker", adapterSlug: "caller" });
    const denied = await asked(
      id,
      spawnOf("other"),
      spawnOf("agent:other"),
      spawnOf("lead"),
      spawnOf("nobody"),
      spawnOf("not an agent"),
      ["POST", "/sessions/agent", { adapter: "demo", agent: "worker" }],
      ["POST", "/sessions/agent", { adapter: "caller", agent: "other", delegates: ["other"], role: "manager" }],
    );
    expect(codes(denied)).toEqual([
      "delegation_denied",
      "delegation_denied",
      "delegation_denied",
      "invalid_agent",
      "invalid_agent",
      "delegation_denied",
      "delegation_denied",
    ]);
    const log = expectOk(
      await daemon.call<{ entries: { data: unknown; actor: string }[] }>(
        "GET",
        "/api/audit/entries?types=gate.denied&limit=1000",
      ),
    );
    expect(log.entries).toContainEqual(
      expect.objectContaining({
        actor: `session:${id}`,
        data: expect.objectContaining({ rules: ["delegation_denied"] }),
      }),
    );
  },
);

proves.onOneStore(
  "G12",
  "the caller is known by its token alone: no header, field or address makes a session a root",
  async () => {
    await agents({ lead: [], worker: [] });
    const victim = await root("lead");
    const { id } = await root(null);
    const forged = { "x-nomos-session": victim.id, "x-session-id": victim.id, callersessionid: victim.id };
    const answers = await asked(
      id,
      ["POST", "/sessions/agent", { adapter: "demo", parentSessionId: null }],
      ["POST", "/sessions/agent", { adapter: "demo", parentSessionId: victim.id, callerSessionId: victim.id }],
      ["POST", `/sessions/agent?callerSessionId=${victim.id}`, { adapter: "demo" }, forged],
      ["POST", "/sessions/agent", { adapter: "demo" }, { authorization: "" }],
      ["POST", "/sessions/agent", { adapter: "demo" }, { authorization: `Bearer ${victim.id}` }],
      ["POST", "/sessions/external", { pid: 1 }],
      ["POST", `/sessions/${id}/fork`, {}],
      ["POST", "/api/tokens", { capabilities: ["session.spawn"] }],
      ["POST", "/api/agents", { slug: "mine", driver: "demo", delegatesTo: ["demo"] }],
      ["PUT", "/api/config", { config: { delegationDepthMax: 16 } }],
    );
    expect(answers.map(([status]) => status)).toEqual([403, 403, 403, 401, 401, 403, 403, 403, 403, 403]);
  },
);

proves.onOneStore("G12", "every name of the tool is gated over MCP too", async () => {
  await agents({ lead: [] });
  const { id } = await root("lead");
  const init = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const tools = ["session_start", "agent_start", "start_agent_session"];
  const accept = { accept: "application/json, text/event-stream" };
  const begun = await daemon.call<{ secret: string }>("POST", "/api/tokens", {
    sessionId: id,
    capabilities: ["session.spawn", "session.read", "session.prompt"],
  });
  const key = { ...accept, authorization: `Bearer ${expectOk(begun, 201).secret}` };
  const opened = await daemon.call("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "initialize", params: init }, key);
  const session = { ...key, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  await daemon.call("POST", "/mcp", { jsonrpc: "2.0", method: "notifications/initialized" }, session);
  for (const name of tools) {
    const params = { name, arguments: { adapter: "caller", agent: "lead" } };
    const answer = await daemon.call("POST", "/mcp", { jsonrpc: "2.0", id: 2, method: "tools/call", params }, session);
    expect(answer.text).toContain("delegation_denied");
    expect(answer.text).toContain('"isError":true');
  }
});

proves.onOneStore(
  "G13",
  "a child works on its parent's ground, by name or by real directory, and nowhere else",
  async () => {
    await agents({ lead: ["worker"], worker: [] });
    const ground = await newFolder();
    const elsewhere = await newFolder();
    await mkdir(join(ground, "sub/deep"), { recursive: true });
    await mkdir(join(ground, "own"));
    await symlink(elsewhere, join(ground, "out"));
    await symlink("/", join(ground, "sub/root"));
    await symlink(join(ground, "sub"), join(ground, "in"));
    for (const [slug, path] of Object.entries({ ground, elsewhere, inner: join(ground, "own") }))
      expectOk(await daemon.call("POST", "/api/workspaces", { slug, path }), 201);
    const parent = expectOk(
      await daemon.call<Nested>("POST", "/sessions/agent", {
        adapter: "caller",
        agent: "lead",
        ground: "ws://workspaces/ground",
      }),
      201,
    );
    expectOk(await daemon.call("POST", "/api/workspaces/elsewhere/use"));
    const [same, below, linked] = await asked(
      parent.id,
      spawnOf("worker"),
      spawnOf("worker", { ground: "workspace:ground/sub/deep" }),
      spawnOf("worker", { ground: "ws://workspaces/ground/in" }),
    );
    expect(same?.[1]).toMatchObject({ ground: "ws://workspaces/ground", cwd: ground, workspaceSlug: "ground" });
    expect(below?.[1]).toMatchObject({ ground: "ws://workspaces/ground/sub/deep", cwd: join(ground, "sub/deep") });
    expect(linked?.[1]).toMatchObject({ cwd: join(ground, "sub") });
    const refused = await asked(
      parent.id,
      spawnOf("worker", { ground: "ws://workspaces/elsewhere" }),
      spawnOf("worker", { ground: "ws://workspaces/inner" }),
      spawnOf("worker", { ground: "ws://workspaces/default" }),
      spawnOf("worker", { ground: "ws://workspaces/ground/out" }),
      spawnOf("worker", { ground: "ws://workspaces/ground/sub/root/etc" }),
      spawnOf("worker", { ground: "ws://workspaces/ground/../elsewhere" }),
      spawnOf("worker", { ground: "ws://workspaces/ground/%2e%2e" }),
      spawnOf("worker", { ground: "ws://workspaces/ground/sub\\..\\.." }),
      spawnOf("worker", { ground: `file://${elsewhere}` }),
      spawnOf("worker", { ground: "ws://workspaces/ground/nowhere" }),
      spawnOf("worker", { cwd: ground }),
      spawnOf("worker", { workspaceSlug: "elsewhere" }),
      spawnOf("worker", { file: "/etc/passwd" }),
    );
    expect(codes(refused)).toEqual([
      ...Array.from({ length: 5 }, () => "cwd_outside_parent"),
      ...Array.from({ length: 4 }, () => "invalid_ground"),
      "cwd_missing",
      ...Array.from({ length: 3 }, () => "invalid_request"),
    ]);
    await rename(ground, `${ground}-moved`);
    await symlink(elsewhere, ground);
    const moved = await daemon.call<{ secret: string }>("POST", "/api/tokens", {
      sessionId: parent.id,
      capabilities: ["session.spawn"],
    });
    const late = await daemon.call(
      "POST",
      "/sessions/agent",
      { adapter: "caller", agent: "worker" },
      {
        authorization: `Bearer ${moved.body.secret}`,
      },
    );
    expectRefusal(late, 403, "cwd_outside_parent");
    await rm(ground);
    await rename(`${ground}-moved`, ground);
  },
);

proves(
  "G14",
  "depth and number of living children are limited; a child that ends frees a place, a race does not",
  async () => {
    await agents({ lead: ["lead"] });
    expectOk(await daemon.call("PUT", "/api/config", { config: { delegationDepthMax: 2, delegationChildrenMax: 3 } }));
    const { id } = await root("lead");
    const issue = async (sessionId: string) =>
      expectOk(
        await daemon.call<{ secret: string }>("POST", "/api/tokens", {
          sessionId,
          capabilities: ["session.spawn", "session.read", "session.kill"],
        }),
        201,
      ).secret;
    const spawn = (secret: string) =>
      daemon.call<Nested>(
        "POST",
        "/sessions/agent",
        { adapter: "caller", agent: "lead" },
        { authorization: `Bearer ${secret}` },
      );
    const secret = await issue(id);
    const raced = await Promise.all(Array.from({ length: 8 }, () => spawn(secret)));
    expect(raced.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const answer of raced.filter(({ status }) => status !== 201))
      expectRefusal(answer, 429, "child_quota_exceeded");
    const [first] = raced.filter(({ status }) => status === 201);
    const child = first?.body as Nested;
    const own = { authorization: `Bearer ${secret}` };
    expectOk(await daemon.call("POST", `/sessions/${child.id}/kill`, {}, own));
    expect((await spawn(secret)).status).toBe(201);
    expectRefusal(await spawn(secret), 429, "child_quota_exceeded");
    const living = raced.filter(({ status, body }) => status === 201 && body.id !== child.id)[0]?.body as Nested;
    const grandchild = expectOk(await spawn(await issue(living.id)), 201);
    expect(grandchild).toMatchObject({ depth: 2, parentSessionId: living.id });
    expectRefusal(await spawn(await issue(grandchild.id)), 403, "max_depth_exceeded");
    expectRefusal(await spawn(await issue(child.id)), 409, "session_ended");
    expectOk(await daemon.call("GET", `/sessions/${grandchild.id}`, undefined, own));
    expectOk(
      await daemon.call("PUT", "/api/config", { config: { delegationDepthMax: null, delegationChildrenMax: null } }),
    );
  },
);

proves("G15", "a session reads, prompts and ends its descendants, and no sibling or ancestor", async () => {
  await agents({ lead: ["worker"], worker: [] });
  const stranger = await root("lead");
  const parent = await root("lead");
  const [spawned] = await asked(parent.id, spawnOf("worker", { prompt: "[]" }));
  const child = spawned?.[1] as Nested;
  const [[, list], seen, output, prompted] = (await asked(
    parent.id,
    ["GET", "/sessions"],
    ["GET", `/sessions/${child.id}`],
    ["GET", `/sessions/${child.id}/output`],
    ["POST", `/sessions/${child.id}/prompt`, { prompt: "[]", queue: true }],
    ["GET", `/sessions/${child.id}/wait`],
  )) as [[number, { sessions: Nested[] }], ...[number, unknown][]];
  expect(list.sessions.map(({ id }) => id).sort()).toEqual([parent.id, child.id].sort());
  expect([seen?.[0], output?.[0], prompted?.[0]]).toEqual([200, 200, 200]);
  const upward = await asked(
    child.id,
    ["GET", `/sessions/${parent.id}`],
    ["GET", `/sessions/${parent.id}/output`],
    ["POST", `/sessions/${parent.id}/prompt`, { prompt: "[]", queue: true }],
    ["POST", `/sessions/${parent.id}/kill`, {}],
  );
  const beside = await asked(
    parent.id,
    ["GET", `/sessions/${stranger.id}/output`],
    ["POST", `/sessions/${stranger.id}/prompt`, { prompt: "[]", queue: true }],
    ["POST", `/sessions/${stranger.id}/kill`, {}],
    ["POST", `/sessions/${child.id}/fork`, {}],
    ["DELETE", `/sessions/${child.id}`],
    ["POST", `/sessions/${child.id}/label`, { label: "mine" }],
    ["POST", `/sessions/${child.id}/events`, { events: [{ type: "note", payload: 1 }] }],
    ["POST", "/api/tokens", { sessionId: child.id, capabilities: ["session.read"] }],
  );
  expect([...upward, ...beside].map(([status]) => status)).toEqual([...upward, ...beside].map(() => 403));
  const [killed] = await asked(parent.id, ["POST", `/sessions/${child.id}/kill`, {}]);
  expect(killed).toEqual([200, { ok: true, id: child.id }]);
  expect(await show(daemon, child.id)).toMatchObject({ status: "killed" });
});

proves(
  "G16",
  "rights that the operator removes are gone at once, and no descendant has more than its ancestors",
  async () => {
    await agents({ lead: ["worker", "helper"], worker: ["helper", "other"], helper: [], other: [] });
    const parent = await root("lead");
    const [spawned] = await asked(parent.id, spawnOf("worker"));
    const worker = spawned?.[1] as Nested;
    expect(codes(await asked(worker.id, spawnOf("helper"), spawnOf("other")))).toEqual(["done", "delegation_denied"]);
    await agents({ lead: [] });
    const after = await asked(parent.id, spawnOf("worker"), [
      "POST",
      `/sessions/${worker.id}/prompt`,
      { prompt: "[]" },
    ]);
    expect(codes(after)).toEqual(["delegation_denied", "delegation_denied"]);
    await agents({ lead: ["worker", "helper", "other"] });
    expect(codes(await asked(parent.id, spawnOf("other"), spawnOf("worker")))).toEqual(["delegation_denied", "done"]);
    expect((await eventsOf(daemon, parent.id)).filter(({ type }) => type === "session.delegated@1")).toHaveLength(2);
  },
);

proves("G17", "the list of startable agents comes from the gate: each answer equals that of a real spawn", async () => {
  await agents({ lead: ["worker", "lead"], worker: ["lead"], other: [] });
  const parent = await root("lead");
  const [spawned] = await asked(parent.id, spawnOf("worker"));
  const worker = spawned?.[1] as Nested;
  for (const id of [parent.id, worker.id, (await root("other")).id, (await root(null)).id]) {
    const path = `/sessions/${id}/delegates`;
    const outlook = expectOk(
      await daemon.call<{ agents: { slug: string; driver: string; allowed: boolean; code: string | null }[] }>(
        "GET",
        path,
      ),
    );
    const [mine] = await asked(id, ["GET", path]);
    expect(mine?.[1]).toEqual(expect.objectContaining({ agents: outlook.agents }));
    const tried = await asked(
      id,
      ...outlook.agents.map(
        ({ slug, driver }): Attempt => ["POST", "/sessions/agent", { adapter: driver, agent: slug }],
      ),
    );
    expect(codes(tried)).toEqual(outlook.agents.map(({ allowed, code }) => (allowed ? "done" : code)));
  }
  await turn(daemon, parent.id, "[]");
});
