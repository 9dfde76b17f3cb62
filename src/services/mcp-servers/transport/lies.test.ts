import { join } from "node:path";
import { expect, test } from "vitest";
import { startHttpMcpServer } from "../../../../test/support/http-mcp-server.ts";
import { everyday, mcpServersHere, textOf } from "../../../../test/support/mcp-servers-here.ts";
import { proves } from "../../../../test/support/proves.ts";

const LIAR = join(import.meta.dirname, "../../../../test/fixtures/mcp-servers/liar.ts");
const liar = (how: string) => ({ command: process.execPath, args: [LIAR, how] });

proves("MS-3", "a server that announces other tools and never lists them holds up no list and no test", async () => {
  await using here = await mcpServersHere({ change: liar("hides-change") }, { limits: { waitMs: 300 } });
  while ((await here.servers.list())[0]?.state !== "connected") await here.tools();
  const startedMs = performance.now();
  expect((await here.servers.list())[0]).toMatchObject({ state: "connected", tools: 3 });
  expect(await here.servers.test("change")).toMatchObject({ ok: true });
  expect(performance.now() - startedMs).toBeLessThan(10_000);
});

proves("MS-3", "an answer that is not valid, and an address where nobody is, are told in a sentence", async () => {
  const server = await startHttpMcpServer();
  const closed = { url: server.url };
  await server[Symbol.asyncDispose]();
  await using here = await mcpServersHere({ bad: liar("no-schema"), gone: { url: "http://127.0.0.1:1/" }, closed });
  expect((await here.tools()).problems).toEqual([
    `bad: its answer to tools/list is not valid: ${[0, 1, 2].map((at) => `tools.${at}.inputSchema.type: expected "object"`).join("; ")}`,
    "closed: it cannot be reached (ECONNREFUSED)",
    "gone: it cannot be reached (bad port)",
  ]);
});

proves("MS-6", "what a server says of the secrets that it was given reaches no result and no error", async () => {
  const env = { API_KEY: { env: "MY_KEY" }, PLACE: "/plain/words" };
  const environment = { MY_KEY: "Bearer very-secret-value" };
  await using here = await mcpServersHere({ told: { ...liar("tells"), env } }, { environment });
  expect(textOf(await here.call("mcp__told__tell"))).toBe("my key is [hidden] in /plain/words");
  expect(textOf(await here.call("mcp__told__structure"))).toBe(`{"secret":"my key is [hidden]"}`);
  await expect(here.call("mcp__told__refuse")).rejects.toThrow("told: my key is [hidden]");
});

proves("MS-4", "a server that was removed during a turn is not started again by a call of that turn", async () => {
  await using here = await mcpServersHere({ every: everyday() });
  const { tools } = await here.tools();
  const count = tools.find(({ name }) => name === "mcp__every__count");
  const call = { sessionId: "s1", turnId: "t", key: "k", signal: new AbortController().signal };
  const spec = { agent: "nomos", sandbox: "off" } as never;
  await here.servers.remove("every");
  await expect(count?.run({}, { ...call, spec })).rejects.toThrow("every: the settings do not offer count");
  expect((await here.notes()).filter((line) => line.startsWith("pid"))).toHaveLength(1);
});

proves("MS-2", "a server that has forgotten the connection and says 400 is connected to again", async () => {
  let isForgotten = false;
  await using server = await startHttpMcpServer((_request, response, body) => {
    if (!isForgotten || !body.includes("tools/call")) return false;
    isForgotten = false;
    response.writeHead(400, { "content-type": "application/json" });
    response.end(
      `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`,
    );
    return true;
  });
  await using here = await mcpServersHere({ remote: { url: server.url } });
  await here.tools();
  isForgotten = true;
  expect(textOf(await here.call("mcp__remote__count"))).toBe("call 1");
});

test("a server that starts is called so", async () => {
  await using here = await mcpServersHere({ mute: everyday("--silent") }, { limits: { waitMs: 10, startMs: 5_000 } });
  await here.tools();
  expect((await here.servers.list())[0]).toMatchObject({ state: "starting", problem: null });
});
