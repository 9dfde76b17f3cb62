import { afterEach, expect, test, vi } from "vitest";
import type { Actor } from "../../domains/index.ts";
import { createInstruments } from "../../services/metrics/instruments.ts";
import type { Services } from "../../syscalls/index.ts";
import { createCatalogue } from "./server.ts";
import { createMcpSessions, type McpSessionLimits } from "./sessions.ts";

const LIMITS: McpSessionLimits = { sessionsMax: 2, idleMs: 1000, openRequestsMax: 2 };
const actor = (principal: string): Actor => ({ principal, capabilities: ["*"], sessionId: null });
const hello = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
  vi.useRealTimers();
});

function sessionsWith(limits: Partial<McpSessionLimits> = {}) {
  const clock = { nowMs: 0 };
  const tokens: Pick<Services["tokens"], "watch"> = { watch: () => () => undefined };
  const services = { daemon: { version: "0" }, tokens, instruments: createInstruments(Date.now) } as Services;
  const catalogue = createCatalogue(services, [], () => undefined);
  const sessions = createMcpSessions(catalogue, { ...LIMITS, ...limits }, () => clock.nowMs);
  ended.push(sessions.close);
  const serve = (method: string, body: unknown, id?: string, who = "operator") => {
    const headers = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(id === undefined ? {} : { "mcp-session-id": id }),
    };
    return sessions.serve(new Request("http://127.0.0.1/mcp", { method, headers }), body, actor(who));
  };
  const open = async (): Promise<string> => {
    const { response, over } = await serve("POST", hello);
    if (!(response instanceof Response)) throw new Error("the handshake was not answered by the library");
    await response.text();
    over();
    return response.headers.get("mcp-session-id") ?? "";
  };
  const listen = (id: string) => serve("GET", undefined, id);
  return { sessions, clock, serve, open, listen };
}

test("the oldest idle session is closed for a new one", async () => {
  const { sessions, clock, open, listen } = sessionsWith();
  const first = await open();
  clock.nowMs = 1;
  const second = await open();
  clock.nowMs = 2;
  await open();
  expect(sessions.count()).toBe(2);
  await expect(listen(first)).rejects.toMatchObject({ code: "mcp_session_not_found" });
  await expect(listen(second)).resolves.toHaveProperty("response");
});

test("sessions in use are not closed: a new one is refused", async () => {
  const { open, listen } = sessionsWith();
  for (let count = 0; count < LIMITS.sessionsMax; count += 1) await listen(await open());
  await expect(open()).rejects.toMatchObject({ code: "overloaded", details: { mcpSessionsMax: 2 } });
});

test("a session has a limited number of open requests", async () => {
  const { open, serve } = sessionsWith();
  const id = await open();
  const ping = { jsonrpc: "2.0", id: 5, method: "ping" };
  const first = await serve("POST", ping, id);
  await serve("POST", { ...ping, id: 6 }, id);
  await expect(serve("POST", { ...ping, id: 7 }, id)).rejects.toMatchObject({ code: "overloaded" });
  first.over();
  await expect(serve("POST", { ...ping, id: 8 }, id)).resolves.toHaveProperty("response");
});

test("an unused session ends by itself; one with a listener does not", async () => {
  vi.useFakeTimers();
  const { sessions, clock, open, listen } = sessionsWith();
  await open();
  const used = await open();
  const { over } = await listen(used);
  clock.nowMs = 1000;
  await vi.advanceTimersByTimeAsync(1000);
  expect(sessions.count()).toBe(1);
  over();
  clock.nowMs = 2000;
  await vi.advanceTimersByTimeAsync(1000);
  expect(sessions.count()).toBe(0);
});

test("another principal's session is reported as unknown", async () => {
  const { open, serve } = sessionsWith();
  const id = await open();
  await expect(serve("GET", undefined, id, "token:1")).rejects.toMatchObject({ code: "mcp_session_not_found" });
});
