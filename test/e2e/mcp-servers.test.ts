import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon } from "../support/daemon.ts";
import { type DaemonHere, startDaemonHere } from "../support/daemon-here.ts";
import { EVERYDAY } from "../support/mcp-servers-here.ts";
import { proves } from "../support/proves.ts";
import { eventually, newFolder, PATIENCE } from "./support/talk.ts";

vi.setConfig(PATIENCE);

const require = createRequire(import.meta.url);

let daemon: DaemonHere;
let folder = "";
let note = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nomos-mcp-"));
  note = join(folder, "note");
  const every = { command: process.execPath, args: [EVERYDAY, "--note", note] };
  const rules = [{ id: "no-fail", effect: "deny", verb: "tool.mcp", resource: "session/*/every/fail" }];
  daemon = await startDaemonHere({ config: { mcpServers: { every }, policy: { rules } } });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const json = async <T>(method: string, path: string, body?: unknown, token?: string): Promise<T> => {
  const answer = await daemon.call(method, path, body, token);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${text}`);
  return JSON.parse(text) as T;
};

interface Played {
  readonly id: string;
  readonly of: (type: string) => readonly Readonly<Record<string, unknown>>[];
}

async function play(order: object, prompt: string): Promise<Played> {
  const { id } = await json<{ id: string }>("POST", "/sessions/agent", {
    cwd: await newFolder(),
    sandbox: "off",
    ...order,
  });
  await json("POST", `/sessions/${id}/prompt`, { prompt });
  await eventually("the end of the turn", async () => !(await json<{ busy: boolean }>("GET", `/sessions/${id}`)).busy);
  const { events } = await json<{ events: { type: string; data: Readonly<Record<string, unknown>> }[] }>(
    "GET",
    `/sessions/${id}/events?limit=500`,
  );
  return { id, of: (type) => events.filter((event) => event.type === type).map(({ data }) => data) };
}

const OWN = { adapter: "nomos", model: "demo/script" };

/** A foreign agent: a program with the session's token, which uses our MCP endpoint as any client does. */
async function foreign(body: string): Promise<object> {
  const library = pathToFileURL(require.resolve("@modelcontextprotocol/client")).href.replace(
    /index\.cjs$/,
    "index.mjs",
  );
  const file = join(await newFolder(), "agent.ts");
  await writeFile(
    file,
    `import { Client, StreamableHTTPClientTransport } from ${JSON.stringify(library)};
    export default async ({ say }) => {
      const client = new Client({ name: "agent", version: "1" });
      const requestInit = { headers: { authorization: "Bearer " + process.env.NOMOS_TOKEN } };
      await client.connect(new StreamableHTTPClientTransport(new URL(process.env.NOMOS_URL + "/mcp"), { requestInit }));
      const id = process.env.NOMOS_SESSION_ID;
      ${body}
      await client.close();
    };`,
  );
  return { adapter: "script", file };
}

const saidIn = ({ of }: Played): readonly unknown[] => of("message.completed@1").map(({ text }) => text);

proves(
  "MS-7",
  "the own engine calls a tool of a server: judged, in the ledger, with the session's identity",
  async () => {
    await json("GET", `/sessions/${(await play(OWN, "say warm")).id}/tools?waitMs=20000`);
    const played = await play(OWN, "call mcp__every__who {}\ncall mcp__every__fail {}\nsay done");
    const [who, fail] = played.of("tool.ended@1").map(({ output }) => (output as { text: string }).text);
    expect(who).toContain(played.id);
    expect(fail).toContain("no-fail");
    expect(played.of("effect.intended@1")).toMatchObject([{ kind: "mcp", detail: { tool: "mcp__every__who" } }]);
  },
);

proves(
  "MS-7",
  "a foreign agent has the same tools through our endpoint, and its calls are effects of its turn",
  async () => {
    const played = await play(
      await foreign(`
      const { tools } = await client.listTools();
      const echo = tools.find((tool) => tool.name === "mcp__every__echo");
      await say(JSON.stringify(echo?.inputSchema?.required));
      const done = await client.callTool({ name: "mcp__every__who", arguments: {} });
      await say(done.content[0].text);
      const wrong = await client.callTool({ name: "mcp__every__fail", arguments: {} });
      await say(JSON.stringify([wrong.isError, wrong.content[0].text.includes("no-fail")]));
      const key = { name: "tool_call", arguments: { id, name: "mcp__every__count" }, _meta: { "nomos/idempotencyKey": "once" } };
      const first = await client.callTool(key);
      const again = await client.callTool(key);
      await say(JSON.stringify(first.content) === JSON.stringify(again.content) ? "once" : "twice");
    `),
      "go",
    );
    expect(saidIn(played)).toEqual(['["text"]', expect.stringContaining(played.id), "[true,true]", "once"]);
    expect(played.of("effect.intended@1").map(({ kind, detail }) => [kind, (detail as { tool: string }).tool])).toEqual(
      [
        ["mcp", "mcp__every__who"],
        ["mcp", "mcp__every__count"],
      ],
    );
    expect(played.of("effect.settled@1")).toMatchObject([{ outcome: "done" }, { outcome: "done" }]);
  },
);

proves("MS-7", "outside of a turn, for another session, and with a viewer's token a call is refused", async () => {
  const idle = await play(OWN, "say hi");
  const refused = await daemon.call("POST", `/sessions/${idle.id}/tools/call`, { name: "mcp__every__echo" });
  expect([refused.status, await refused.json()]).toMatchObject([409, { error: { code: "no_running_turn" } }]);
  const other = await play(
    await foreign(`
      const theirs = { id: ${JSON.stringify(idle.id)}, name: "mcp__every__echo" };
      const result = await client.callTool({ name: "tool_call", arguments: theirs });
      await say(JSON.stringify(result.structuredContent?.error?.code));
    `),
    "go",
  );
  expect(saidIn(other)).toEqual(['"denied"']);
  const viewer = await daemon.scoped(["session.read"]);
  const viewed = await daemon.call("POST", `/sessions/${idle.id}/tools/call`, { name: "mcp__every__echo" }, viewer);
  expect(viewed.status).toBe(403);
});

proves("MS-1", "all sessions of the daemon, own and foreign, share one process; it goes when they sleep", async () => {
  const pids = async () => (await readFile(note, "utf8")).split("\n").filter((line) => line.startsWith("pid"));
  const ids = await Promise.all([play(OWN, "call mcp__every__count {}"), play(OWN, "call mcp__every__count {}")]);
  expect(new Set(await pids()).size).toBe(1);
  const { sessions } = await json<{ sessions: { id: string }[] }>("GET", "/sessions?limit=100");
  for (const { id } of sessions) await daemon.call("POST", `/sessions/${id}/hibernate`, {});
  await eventually("the end of the server", async () => {
    const { servers } = await json<{ servers: { processes: number }[] }>("GET", "/api/mcp-servers");
    return servers[0]?.processes === 0;
  });
  expect(ids).toHaveLength(2);
});

proves(
  "MS-6",
  "no answer shows a value of a variable or a header, and the file of the configuration stays private",
  async () => {
    await json("POST", "/api/mcp-servers", { name: "secret", argv: ["true"], env: ["TOKEN=plain-secret"] });
    await json("POST", "/api/mcp-servers", {
      settings: '{"r":{"url":"http://x.test/?k=tok3n","headers":{"A":"s3cr3t-header"}}}',
    });
    const shown = JSON.stringify([
      await json("GET", "/api/mcp-servers"),
      await json("GET", "/api/config"),
      await json("GET", "/api/config/explain").catch(() => null),
    ]);
    for (const secret of ["plain-secret", "s3cr3t-header", "tok3n"]) expect(shown).not.toContain(secret);
    await json("DELETE", "/api/mcp-servers/secret");
    await json("DELETE", "/api/mcp-servers/r");
  },
);

proves("MS-8", "after kill -9 of the daemon no process of a server is left", async () => {
  const one = await startDaemon();
  const file = join(await newFolder(), "note");
  const argv = [process.execPath, EVERYDAY, "--note", file];
  await one.call("POST", "/api/mcp-servers", { name: "every", argv });
  const { body } = await one.call<{ id: string }>("POST", "/sessions/agent", {
    adapter: "demo",
    cwd: await newFolder(),
  });
  await one.call("GET", `/sessions/${body.id}/tools?waitMs=20000`);
  const processes = async () => (await one.call<{ servers: { processes: number }[] }>("GET", "/api/mcp-servers")).body;
  expect(await processes()).toMatchObject({ servers: [{ processes: 1, sessions: 1, tools: 10 }] });
  const marks = await readFile(file, "utf8");
  expect(marks).toContain("pid ");
  const running = async (): Promise<boolean> => {
    const { execFileSync } = await import("node:child_process");
    return execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
      .split("\n")
      .some((line) => line.includes(file));
  };
  expect(await running()).toBe(true);
  await one.kill9();
  await eventually("the end of the server", async () => !(await running()));
});
