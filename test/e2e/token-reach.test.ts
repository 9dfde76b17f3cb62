import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { type Answer, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { mcpClient } from "../support/mcp-client.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import {
  expectOk,
  expectRefusal,
  newFolder,
  PATIENCE,
  type Refused,
  type Session,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

/** The holder of a scoped token as an attacker: it must not get the rights of the person who issued it. */
let daemon: TestDaemon;
let ground: string;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  ground = join(daemon.home, "..", "registered");
  await mkdir(ground);
  expectOk(await daemon.call("POST", "/api/workspaces", { slug: "ground", path: ground }), 201);
});
afterAll(() => daemon[Symbol.asyncDispose]());

const walled = proves.skipIf(!needs("bwrap"));

interface Issued {
  readonly secret: string;
  readonly tokenId: string;
  readonly sandbox: string;
}
type As = <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<Answer<T>>;

const issued = async (capabilities: readonly string[], more: object = {}, as: As = daemon.call): Promise<Issued> =>
  expectOk(await as<Issued>("POST", "/api/tokens", { capabilities, ...more }), 201);
const holder =
  ({ secret }: Pick<Issued, "secret">): As =>
  (method, path, body) =>
    daemon.call(method, path, body, { authorization: `Bearer ${secret}` });
const spawning = async (more: object = {}): Promise<As> => holder(await issued(["session.*"], more));

proves("TK-1", "a scoped token names a sandbox weaker than strict, on any surface: refused, and recorded", async () => {
  const token = await issued(["session.*"]);
  expect(token.sandbox).toBe("strict");
  const as = holder(token);
  for (const sandbox of ["off", "warn", "enforce"])
    expectRefusal(await as("POST", "/sessions/agent", { adapter: "demo", cwd: ground, sandbox }), 403, "sandbox_floor");
  const client = await mcpClient({ url: daemon.url, token: token.secret }, "2025-11-25");
  for (const name of ["session_start", "agent_start", "start_agent_session"]) {
    const { structuredContent } = await client.callTool({
      name,
      arguments: { adapter: "demo", cwd: ground, sandbox: "off" },
    });
    expect((structuredContent as unknown as Refused).error.code).toBe("sandbox_floor");
  }
  const { entries } = expectOk(
    await daemon.call<{ entries: { actor: string; data: object }[] }>(
      "GET",
      "/api/audit/entries?types=gate.denied&limit=1000",
    ),
  );
  const noted = entries.filter(({ actor }) => actor === `token:${token.tokenId}`);
  expect(noted[0]?.data).toMatchObject({ verb: "session.spawn", rules: ["sandbox_floor"] });
});

walled("TK-1", "a scoped token names no sandbox: the session is strict, also in a kept worktree", async () => {
  const as = await spawning();
  const session = expectOk(await as<Session>("POST", "/sessions/agent", { adapter: "demo", cwd: ground }), 201);
  expect(session).toMatchObject({ sandbox: "strict" });
  const child = expectOk(await as<Session>("POST", `/sessions/${session.id}/fork`, { talkOnly: true }), 201);
  expect(child).toMatchObject({ sandbox: "strict" });
});

proves("TK-1", "an external session has no walls: a scoped token cannot open one", async () => {
  const as = await spawning();
  const secrets = await newFolder();
  for (const cwd of [secrets, ground, undefined])
    expectRefusal(await as("POST", "/sessions/external", { pid: process.pid, cwd }), 403, "sandbox_floor");
});

proves("TK-1", "a scoped token cannot drive an operator's session with weak walls", async () => {
  const off = await start(daemon);
  const as = await spawning();
  const head = (await turn(daemon, off.id, "say hello")).turnId;
  expect(head).toBeDefined();
  const ways: readonly (readonly [string, string, object])[] = [
    ["POST", "prompt", { prompt: "run id" }],
    ["POST", "fork", {}],
    ["POST", "rewind", { to: off.head }],
    ["POST", "resume", {}],
    ["POST", "configure", { mode: "yolo" }],
  ];
  for (const [method, verb, body] of ways) {
    expectRefusal(await as(method, `/sessions/${off.id}/${verb}`, body), 403, "sandbox_floor");
    expectRefusal(await as(method, `/sessions/${off.name}/${verb}`, body), 403, "sandbox_floor");
  }
  const client = await mcpClient({ url: daemon.url, token: (await issued(["session.*"])).secret }, "2026-07-28");
  const { structuredContent } = await client.callTool({
    name: "agent_prompt",
    arguments: { sessionId: off.id, prompt: "run id" },
  });
  expect((structuredContent as unknown as Refused).error.code).toBe("sandbox_floor");
});

proves("TK-2", "a scoped token never acts with the person's own rights, whatever its capabilities", async () => {
  const as = holder(await issued(["*"]));
  const outside = join(await newFolder(), "out");
  const manifest = JSON.stringify({ id: "evil", name: "evil", description: "", protocol: "acp", bin: "/bin/sh" });
  const ways: readonly (readonly [string, string, object?])[] = [
    ["PUT", "/api/config", { config: { drivers: { evil: { command: "/bin/sh" } } } }],
    ["POST", "/api/drivers", { manifest }],
    ["POST", "/api/drivers/pi/install", {}],
    ["GET", "/api/drivers/pi/check"],
    ["DELETE", "/api/drivers/pi"],
    ["POST", "/api/sandbox/run", { argv: ["cat", "id_rsa"], cwd: "/root" }],
    ["POST", "/api/workspaces", { slug: "all", path: "/" }],
    ["POST", "/api/backup", { to: outside }],
    ["POST", "/api/audit/export", { to: outside }],
  ];
  for (const [method, path, body] of ways) expectRefusal(await as(method, path, body), 403, "sandbox_floor");
  const client = await mcpClient({ url: daemon.url, token: (await issued(["*"])).secret }, "2025-11-25", "all");
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("session_start");
  for (const name of ["config_set", "driver_add", "sandbox_run", "workspace_add"]) expect(names).not.toContain(name);
});

walled(
  "TK-3",
  "a scoped token starts sessions only in workspaces: no cwd, ground, file or port leads out",
  async () => {
    const secrets = await newFolder();
    await writeFile(join(secrets, "id_rsa"), "secret");
    await writeFile(join(secrets, "driver.ts"), "export default async () => undefined;");
    const link = join(ground, "way-out");
    await symlink(secrets, link);
    const as = holder(await issued(["*"]));
    const begin = (body: object) => as("POST", "/sessions/agent", { adapter: "demo", sandbox: "strict", ...body });
    for (const cwd of [secrets, link, "/", "/root"]) {
      const { details } = expectRefusal(await begin({ cwd }), 403, "denied");
      expect(details).toMatchObject({ rules: ["cwd_unregistered"] });
    }
    expectRefusal(await begin({ ground: "ws://workspaces/ground/way-out" }), 403, "path_outside");
    for (const file of [join(secrets, "driver.ts"), "way-out/driver.ts", join(secrets, "id_rsa")])
      expectRefusal(await begin({ adapter: "script", cwd: ground, file }), 403, "path_outside");
    const { details } = expectRefusal(
      await begin({ cwd: ground, network: { allow: ["127.0.0.1:2375"] } }),
      403,
      "denied",
    );
    expect(details).toMatchObject({ rules: ["network_port"] });
  },
);

walled(
  "TK-3",
  "a strict session replaces its driver file by a link: the next turn does not see the target",
  async () => {
    const secrets = await newFolder();
    await writeFile(join(secrets, "id_rsa"), "s3cr3t");
    await writeFile(
      join(secrets, "driver.ts"),
      `import { readFileSync } from "node:fs"; export default async ({ say }) => { await say(readFileSync("${secrets}/id_rsa", "utf8")); };`,
    );
    const file = join(ground, "driver.ts");
    await writeFile(
      file,
      `import { renameSync, symlinkSync } from "node:fs"; export default async ({ say }) => { symlinkSync("${secrets}/driver.ts", "next"); renameSync("next", "driver.ts"); await say("swapped"); };`,
    );
    const session = await start(daemon, { adapter: "script", cwd: ground, file, sandbox: "strict" });
    expect(await turn(daemon, session.id, "swap")).toMatchObject({ outcome: "completed" });
    expect(await turn(daemon, session.id, "read")).toMatchObject({ outcome: "failed" });
    expect((await daemon.call("GET", `/sessions/${session.id}/events?limit=500`)).text).not.toContain("s3cr3t");
  },
);

proves("TK-3", "no workspace is active: a scoped token does not get the daemon's own directory instead", async () => {
  await using other = await startDaemon();
  const { secret } = expectOk(await other.call<Issued>("POST", "/api/tokens", { capabilities: ["session.*"] }), 201);
  for (const body of [{}, { ground: "ws://workspaces/default" }, { workspaceSlug: "nowhere" }])
    expectRefusal(
      await other.call("POST", "/sessions/agent", { adapter: "demo", ...body }, { authorization: `Bearer ${secret}` }),
      403,
      "denied",
    );
});

proves("TK-4", "a token issued with `off` is listed as such; a strict token cannot issue a weaker one", async () => {
  const token = await issued(["*"], { sandbox: "off" });
  expect(token.sandbox).toBe("off");
  const as = holder(token);
  expectOk(await as("POST", "/sessions/agent", { adapter: "demo", cwd: ground }), 201);
  const { tokens } = expectOk(await daemon.call<{ tokens: Issued[] }>("GET", "/api/tokens"));
  expect(tokens.find(({ tokenId }) => tokenId === token.tokenId)?.sandbox).toBe("off");
  const strict = await issued(["*"], {}, as);
  expect(strict.sandbox).toBe("strict");
  for (const sandbox of ["off", "warn", "enforce"])
    expectRefusal(await holder(strict)("POST", "/api/tokens", { capabilities: ["*"], sandbox }), 403, "sandbox_floor");
  const off = await start(daemon);
  const confined = await issued(["session.prompt"], { sessionId: off.id }, holder(strict));
  expect(confined.sandbox).toBe("strict");
  expectRefusal(
    await holder(confined)("POST", `/sessions/${off.id}/prompt`, { prompt: "run id" }),
    403,
    "sandbox_floor",
  );
  const own = await issued(["session.prompt"], { sessionId: off.id });
  expect(own.sandbox).toBe("off");
  expectOk(await holder(own)("POST", `/sessions/${off.id}/prompt`, { prompt: "say hi" }));
});
