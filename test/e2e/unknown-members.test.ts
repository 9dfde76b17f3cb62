import { afterAll, beforeAll, expect, test } from "vitest";
import { startCli, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { lineTalk } from "../support/line-talk.ts";
import { MCP_VERSIONS, mcpClient } from "../support/mcp-client.ts";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const warning = async (method: string, path: string, body?: unknown) => {
  const { status, headers } = await daemon.call(method, path, body);
  return [status, headers.get("nomos-warning")];
};

test("HTTP names unknown members in a header, with an answer and with a refusal", async () => {
  const started = await daemon.call<{ id: string }>("POST", "/sessions/agent", { adapter: "demo", promt: "say hi" });
  expect([started.status, started.headers.get("nomos-warning")]).toEqual([201, 'unknown-members="promt"']);
  const todo = { items: [{ text: "a", status: "open", stat: 1 }] };
  const at = `/sessions/${started.body.id}/todo`;
  expect(await warning("PUT", at, todo)).toEqual([200, 'unknown-members="items.stat"']);
  expect(await warning("POST", "/sessions/agent", { adaptor: "demo" })).toEqual([400, 'unknown-members="adaptor"']);
  expect(await warning("GET", "/sessions?stat=idle")).toEqual([200, 'unknown-members="stat"']);
  expect(await warning("GET", "/api/metrics?x=1")).toEqual([200, 'unknown-members="x"']);
  expect(await warning("GET", "/sessions")).toEqual([200, null]);
  const { headers, body } = await fetch(`${daemon.url}/api/events?fro=1`, {
    headers: { authorization: `Bearer ${daemon.token}` },
  });
  expect(headers.get("nomos-warning")).toBe('unknown-members="fro"');
  await body?.cancel();
});

test("a hostile name is harmless in the header", async () => {
  const hostile = {
    'a"\r\nSet-Cookie: x=1': 1,
    "\u001b[31mred": 1,
    "\u202eüber": 1,
    [`long${"g".repeat(100_000)}`]: 1,
  };
  const { status, headers } = await daemon.call("POST", "/sessions/agent", { adapter: "demo", ...hostile });
  expect(status).toBe(201);
  expect(headers.get("set-cookie")).toBeNull();
  expect(headers.get("nomos-warning")).toMatch(/^unknown-members="[\w%.:=, -]{10,400}"$/);
});

test("MCP names them in _meta, and not the members that a tool adds", async () => {
  for (const version of MCP_VERSIONS) {
    const client = await mcpClient(daemon, version);
    const call = async (name: string, given: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: given }))._meta?.["nomos/unknownMembers"];
    expect(await call("session_list", { stat: "idle" })).toEqual(["stat"]);
    expect(await call("session_show", { id: "nobody", foo: 1 })).toEqual(["foo"]);
    expect(await call("session_list", {})).toBeUndefined();
    expect(await call("event_stream", { limit: 1, waitMs: 0, foo: 1 })).toEqual(["foo"]);
    expect((await call("event_stream", { limit: 1, waitMs: 0 })) ?? []).toEqual([]);
  }
});

test("RPC names them beside the result", async () => {
  const talk = lineTalk(startCli(["rpc"], { home: daemon.home }));
  talk.say({ id: 1, method: "session.list", params: { stat: "idle" } });
  talk.say({ id: 2, method: "session.list", params: {} });
  expect(await talk.answer(1)).toMatchObject({ result: {}, unknownMembers: ["stat"] });
  expect(await talk.answer(2)).not.toHaveProperty("unknownMembers");
  await talk.end();
});

test("the command line warns on stderr and goes on", async () => {
  const { id } = (await daemon.call<{ id: string }>("POST", "/sessions/agent", { adapter: "demo" })).body;
  const items = JSON.stringify([{ text: "a", status: "open", "al\u001b[31mow": 1 }]);
  const { exitCode, stdout, stderr } = await daemon.cli("todo", "replace", id, "--items", items, "--json");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringMatching(/^warning: the daemon does not know "items\.al/),
  });
  expect(stderr).not.toContain("\u001b");
  expect(JSON.parse(stdout)).toMatchObject({ items: [{ text: "a" }] });
});
