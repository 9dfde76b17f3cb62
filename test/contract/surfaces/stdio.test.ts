import { once } from "node:events";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { BIN, newHome, runCli, startCli, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { lineTalk } from "../../support/line-talk.ts";
import { connectedClient, MCP_VERSIONS } from "../../support/mcp-client.ts";
import { initialize, rawMcp, shakeHands } from "../../support/mcp-raw.ts";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

function start(command: "rpc" | "mcp", env: Readonly<Record<string, string>> = {}, home = daemon.home) {
  const child = startCli([command], { home, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, ...lineTalk(child) };
}

async function scopedToken(capabilities: readonly string[]): Promise<string> {
  const { body } = await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities });
  return body.secret;
}

describe("nomos rpc", () => {
  test("nomos rpc answers calls, and ends with its input when everything is answered", async () => {
    const { say, answer, end } = start("rpc");
    say({ id: 1, method: "session.start", params: { adapter: "demo", prompt: "sleep 300\nsay done" } });
    const { result } = await answer(1);
    const id = Reflect.get(Object(result), "id");
    say({ id: 2, method: "session.wait", params: { id } });
    expect(await end()).toBe(0);
    expect(await answer(2)).toMatchObject({ result: { turn: { outcome: "completed" } } });
  });

  test("nomos rpc reports malformed, overlong and undecodable lines without an id, and goes on", async () => {
    const { child, say, answer, received } = start("rpc");
    say("not json\n");
    child.stdin.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    child.stdin.write(`"${"x".repeat(24_000_001)}"\n`);
    say({ id: "after", method: "session.list" });
    await answer("after");
    const codes = received.flatMap(({ id, error }) => (id === null ? [Reflect.get(Object(error), "code")] : []));
    expect(codes.sort()).toEqual(["invalid_utf8", "malformed_json", "payload_too_large"]);
  });

  test("nomos rpc splits lines at LF only", async () => {
    const { say, answer } = start("rpc");
    const label = "one\u2028two\u2029three\u0085four";
    say({ id: label, method: "session.start", params: { adapter: "demo", label } });
    expect(await answer(label)).toMatchObject({ result: { label } });
  });

  test("nomos rpc follows a stream while it answers calls", async () => {
    const { say, answer, heard } = start("rpc");
    say({ id: 1, method: "session.start", params: { adapter: "demo" } });
    const id = Reflect.get(Object((await answer(1))["result"]), "id");
    say({ id: 2, method: "subscribe", params: { method: "session.stream", params: { id } } });
    expect(await answer(2)).toEqual({ id: 2, result: { subscription: "s1" } });
    say({ id: 3, method: "session.prompt", params: { id, prompt: "say streamed" } });
    await answer(3);
    const line = await heard(({ event, data }) => event === "line" && Reflect.get(Object(data), "line") === "streamed");
    expect(line).toMatchObject({ subscription: "s1", data: { stream: "stdout" } });
    const event = await heard((message) => message["event"] === "event");
    expect(event["cursor"]).toBe(Reflect.get(Object(event["data"]), "seq"));
    say({ id: 4, method: "session.kill", params: { id } });
    await heard(({ event: kind }) => kind === "end");
    expect(await heard(({ event: kind }) => kind === "closed")).toMatchObject({ data: { reason: "ended" } });
  });

  /** Their answers are many times what a pipe holds. */
  const CALLS = 600;
  test("nomos rpc waits for a reader that does not read, and loses nothing", async () => {
    const child = startCli(["rpc"], { home: daemon.home });
    onTestFinished(() => void child.kill("SIGKILL"));
    for (let id = 0; id < CALLS; id += 1) child.stdin.write(`${JSON.stringify({ id, method: "driver.list" })}\n`);
    child.stdin.end();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const talk = lineTalk(child);
    await once(child, "close");
    expect(new Set(talk.received.map(({ id }) => id)).size).toBe(CALLS);
  });

  test("nomos rpc uses $NOMOS_TOKEN where it is set", async () => {
    const { say, answer } = start("rpc", { NOMOS_TOKEN: await scopedToken(["session.list"]) });
    say({ id: 1, method: "session.list" });
    expect(await answer(1)).toHaveProperty("result");
    say({ id: 2, method: "session.start", params: { adapter: "demo" } });
    expect(await answer(2)).toMatchObject({ error: { code: "denied" } });
  });

  test("nomos rpc with a wrong token is refused as over HTTP", async () => {
    const answer = await runCli(["rpc", "--json"], { home: daemon.home, env: { NOMOS_TOKEN: "nmt_0" } });
    expect(answer.exitCode).toBe(3);
    expect(answer.json()).toMatchObject({ error: { code: "unauthorized" } });
  });
});

describe("nomos mcp", () => {
  test.each(MCP_VERSIONS)("nomos mcp serves the official client in %s", async (version) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, "mcp"],
      env: { ...process.env, NOMOS_HOME: daemon.home } as Record<string, string>,
    });
    const client = await connectedClient(transport, version);
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("session_start");
    const started = await client.callTool({
      name: "session_start",
      arguments: { adapter: "demo", prompt: "sleep 1200" },
    });
    const id = Reflect.get(Object(started.structuredContent), "id");
    const seen: number[] = [];
    const waited = await client.callTool(
      { name: "session_wait", arguments: { id } },
      { onprogress: ({ progress }) => void seen.push(progress) },
    );
    expect(waited.structuredContent).toMatchObject({ turn: { outcome: "completed" } });
    expect(seen.length).toBeGreaterThan(0);
    await client.callTool({ name: "session_prompt", arguments: { id, prompt: "sleep 20000" } });
    const cancel = new AbortController();
    const hanging = client.callTool({ name: "session_wait", arguments: { id } }, { signal: cancel.signal });
    setTimeout(() => cancel.abort("enough"), 100);
    await expect(hanging).rejects.toThrow("enough");
    await client.callTool({ name: "session_interrupt", arguments: { id } });
  });

  test("nomos mcp notifies changes that the client subscribed to", async () => {
    const { say, answer, heard } = start("mcp");
    say(initialize("2025-11-25"));
    await answer(1);
    say({ jsonrpc: "2.0", method: "notifications/initialized" });
    const { body } = await daemon.call<{ id: string }>("POST", "/sessions/agent", { adapter: "demo" });
    const uri = `nomos://sessions/${body.id}`;
    say({ jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri } });
    await answer(2);
    await daemon.call("POST", `/sessions/${body.id}/prompt`, { prompt: "say changed" });
    const told = await heard(({ method }) => method === "notifications/resources/updated");
    expect(told).toMatchObject({ params: { uri } });
  });

  test("nomos mcp passes refusals on under the id of the request", async () => {
    const { say, answer, heard, end } = start("mcp");
    say("bad\n");
    expect(await heard(({ error }) => error !== undefined)).toMatchObject({ id: null, error: { code: -32_700 } });
    say({ jsonrpc: "2.0", id: "early", method: "tools/list" });
    expect(await answer("early")).toMatchObject({ error: { data: { code: "mcp_session_missing" } } });
    expect(await end()).toBe(0);
  });

  test("nomos mcp ends soon after its input, whatever is running", async () => {
    const { say, answer, end } = start("mcp");
    say(initialize("2025-11-25"));
    await answer(1);
    say({ jsonrpc: "2.0", method: "notifications/initialized" });
    const { body } = await daemon.call<{ id: string }>("POST", "/sessions/agent", {
      adapter: "demo",
      prompt: "sleep 30000",
    });
    say({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "session_wait", arguments: { id: body.id } } });
    const startedMs = Date.now();
    expect(await end()).toBe(0);
    expect(Date.now() - startedMs).toBeLessThan(6_000);
    await daemon.call("POST", `/sessions/${body.id}/kill`);
  });
});

describe("a daemon that is restarted", () => {
  test("after a restart nomos mcp reconnects, and the client needs no new handshake", async () => {
    const home = await newHome();
    const before = await startDaemon({ home });
    const { say, answer, end } = start("mcp", {}, home);
    say(initialize("2025-11-25"));
    await answer(1);
    say({ jsonrpc: "2.0", method: "notifications/initialized" });
    say({
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "session_start", arguments: { adapter: "demo" } },
    });
    await answer(2);
    await before.stop();
    await startDaemon({ home });
    say({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "session_list" } });
    expect(await answer(3)).toMatchObject({ result: { structuredContent: { sessions: [{ adapterSlug: "demo" }] } } });
    expect(await end()).toBe(0);
  });

  test("a restart ends nomos rpc with an exit code that says so", async () => {
    const home = await newHome();
    const one = await startDaemon({ home });
    const { child, say, answer } = start("rpc", {}, home);
    say({ id: 1, method: "system.status" });
    await answer(1);
    const gone = once(child, "close");
    await one.stop();
    const [exitCode] = await gone;
    expect(exitCode).toBe(6);
  });

  test("a restart does not wait for listeners", async () => {
    const home = await newHome();
    const one = await startDaemon({ home });
    const mcp = rawMcp(one);
    const headers = await shakeHands(mcp, "2025-11-25");
    const listening = await mcp.send("GET", headers);
    expect(listening.status).toBe(200);
    const socket = new WebSocket(`${one.url.replace("http", "ws")}/api/ws`, {
      headers: { authorization: `Bearer ${one.token}` },
    });
    onTestFinished(() => socket.terminate());
    await once(socket, "open");
    socket.pause();
    const startedMs = Date.now();
    expect(await one.stop()).toBe(0);
    expect(Date.now() - startedMs).toBeLessThan(4_000);
    await listening.body?.cancel();
  });
});
