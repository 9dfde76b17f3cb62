import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { read } from "../../../src/syscalls/define.ts";
import type { Syscall } from "../../../src/syscalls/index.ts";
import { type DaemonHere, startDaemonHere } from "../../support/daemon-here.ts";
import { MCP_VERSIONS, mcpClient } from "../../support/mcp-client.ts";
import { messagesIn, rawMcp, shakeHands } from "../../support/mcp-raw.ts";

/** Running calls, and cancelled ones. */
const hanging = { started: 0, aborted: 0 };
const hang: Syscall = read({
  name: "test.hang",
  summary: "Waits until it is taken back",
  permission: "test.use",
  roles: [],
  needs: [],
  about: "system",
  input: z.object({}),
  output: z.object({}),
  errors: [],
  http: { method: "POST", path: "/api/test/hang" },
  cli: { positional: [] },
  answer: ({ signal, progress }) => {
    hanging.started += 1;
    progress({ message: "hanging" });
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        hanging.aborted += 1;
        resolve({});
      });
    });
  },
});

let daemon: DaemonHere;
beforeAll(async () => {
  daemon = await startDaemonHere({ moreSyscalls: [hang] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

type Called = { readonly structuredContent?: unknown };

function codeOf(result: Called): unknown {
  const { structuredContent } = result;
  const error: unknown = Reflect.get(Object(structuredContent), "error");
  return Reflect.get(Object(error), "code");
}

function memberOf(result: Called, name: string): unknown {
  return Reflect.get(Object(result.structuredContent), name);
}

describe.each(MCP_VERSIONS)("MCP tools in %s", (version) => {
  test("a refusal is a result with code, message, remedy and details, as data and as text", async () => {
    const client = await mcpClient(daemon, version);
    const result = await client.callTool({ name: "session_show", arguments: { id: "nobody" } });
    const error = {
      code: "session_not_found",
      details: { id: "nobody" },
      message: expect.any(String),
      remedy: expect.any(String),
    };
    expect(result).toMatchObject({ isError: true, structuredContent: { error } });
    expect(result.content).toEqual([{ type: "text", text: JSON.stringify(result.structuredContent) }]);
  });

  test("wrong input is refused and the field named, as on every surface", async () => {
    const client = await mcpClient(daemon, version);
    const result = await client.callTool({ name: "session_start", arguments: { adapter: 5 } });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "invalid_request", details: { issues: [{ field: "adapter" }] } } },
    });
  });

  test("an unknown tool is a protocol error", async () => {
    const client = await mcpClient(daemon, version);
    await expect(client.callTool({ name: "no_such_tool" })).rejects.toMatchObject({ code: -32_602 });
  });

  test("a write with an idempotency key is done once", async () => {
    const client = await mcpClient(daemon, version);
    const call = () =>
      client.callTool({
        name: "session_start",
        arguments: { adapter: "demo" },
        _meta: { "nomos/idempotencyKey": `once-${version}` },
      });
    const [first, second] = [await call(), await call()];
    expect(memberOf(first, "id")).toBe(memberOf(second, "id"));
    const other = await client.callTool({
      name: "session_start",
      arguments: { adapter: "demo", label: "another" },
      _meta: { "nomos/idempotencyKey": `once-${version}` },
    });
    expect(codeOf(other)).toBe("idempotency_key_reused");
  });

  test("a long call reports progress to a client that asked for it", async () => {
    const client = await mcpClient(daemon, version);
    const started = await client.callTool({
      name: "session_start",
      arguments: { adapter: "demo", prompt: "sleep 1400" },
    });
    const seen: { readonly progress: number; readonly message?: string | undefined }[] = [];
    const result = await client.callTool(
      { name: "session_wait", arguments: { id: memberOf(started, "id") } },
      { onprogress: (progress) => void seen.push(progress) },
    );
    expect(memberOf(result, "turn")).toMatchObject({ outcome: "completed" });
    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(seen.map(({ progress }) => progress)).toEqual(seen.map((_one, at) => at));
    expect(seen.some(({ message }) => message?.includes("is busy"))).toBe(true);
  });

  test("a cancelled call stops", async () => {
    const client = await mcpClient(daemon, version);
    const { started, aborted } = hanging;
    const cancel = new AbortController();
    const call = client.callTool({ name: "test_hang" }, { signal: cancel.signal });
    await expect.poll(() => hanging.started).toBe(started + 1);
    cancel.abort("enough");
    await expect(call).rejects.toThrow("enough");
    await expect.poll(() => hanging.aborted).toBe(aborted + 1);
    await expect(client.callTool({ name: "system_status" })).resolves.not.toHaveProperty("isError");
  });

  test("a stream is collected, and the next call goes on where it stopped", async () => {
    const client = await mcpClient(daemon, version);
    const started = await client.callTool({ name: "session_start", arguments: { adapter: "demo", prompt: "say one" } });
    const id = memberOf(started, "id");
    await client.callTool({ name: "session_wait", arguments: { id } });
    const events: unknown[] = [];
    let after: unknown;
    for (let page = 0; page < 20; page += 1) {
      const asked = { id, limit: 2, waitMs: 50, ...(after === undefined ? {} : { after }) };
      const result = await client.callTool({ name: "session_stream", arguments: asked });
      const items = z
        .array(z.object({ event: z.string(), id: z.number().optional() }))
        .parse(memberOf(result, "items"));
      const found = items.flatMap((item) => (item.event === "event" ? [item.id] : []));
      if (found.length === 0) break;
      events.push(...found);
      after = memberOf(result, "cursor");
    }
    const all = await client.callTool({ name: "session_events", arguments: { id } });
    const seqs = z.array(z.object({ seq: z.number() })).parse(memberOf(all, "events"));
    expect(events).toEqual(seqs.map(({ seq }) => seq));
  });

  test("the limits of a stream are validated", async () => {
    const client = await mcpClient(daemon, version);
    const result = await client.callTool({ name: "event_stream", arguments: { limit: 0 } });
    expect(codeOf(result)).toBe("invalid_request");
  });

  test("an image among the artifacts is returned as an image", async () => {
    const client = await mcpClient(daemon, version);
    const started = await client.callTool({ name: "session_start", arguments: { adapter: "demo" } });
    const id = memberOf(started, "id");
    const content = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]).toString("base64");
    const written = { id, path: "a b/pixel.png", content, encoding: "base64", mediaType: "image/png" };
    await client.callTool({ name: "artifact_write", arguments: written });
    const result = await client.callTool({ name: "artifact_read", arguments: { id, path: "a b/pixel.png" } });
    expect(result.content).toEqual([{ type: "image", mimeType: "image/png", data: content }]);
    const document = await client.readResource({ uri: `nomos://sessions/${String(id)}/artifacts/a%20b/pixel.png` });
    expect(document.contents).toMatchObject([{ mimeType: "image/png", blob: content }]);
  });
});

describe("MCP with a scoped token", () => {
  test("a scoped token sees the tools it may call and is refused the others", async () => {
    const token = await daemon.scoped(["session.list", "session.read"]);
    for (const version of MCP_VERSIONS) {
      const client = await mcpClient({ ...daemon, token }, version, "all");
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining(["session_list", "agent_sessions_list", "session_output", "agent_output"]),
      );
      for (const hidden of [
        "session_start",
        "agent_start",
        "session_kill",
        "agent_kill",
        "token_issue",
        "system_shutdown",
      ])
        expect(names).not.toContain(hidden);
      for (const name of ["session_start", "agent_start", "start_agent_session"]) {
        const result = await client.callTool({ name, arguments: { adapter: "demo" } });
        expect(codeOf(result)).toBe("denied");
      }
    }
  });

  test("a session's token sees that session and nothing else", async () => {
    const started = await daemon.call("POST", "/sessions/agent", { adapter: "demo" });
    const { id }: { id: string } = JSON.parse(await started.text());
    const other = await daemon.call("POST", "/sessions/agent", { adapter: "demo" });
    const { id: otherId }: { id: string } = JSON.parse(await other.text());
    const token = await daemon.scoped(["session.*", "system.*"], id);
    const client = await mcpClient({ ...daemon, token }, "2025-11-25", "all");
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["session_show", "turn_say", "artifact_write"]));
    for (const hidden of ["session_search", "session_open", "system_status", "doc_list", "ws_ticket"])
      expect(names).not.toContain(hidden);
    expect(await client.callTool({ name: "session_show", arguments: { id } })).not.toHaveProperty("isError");
    const own = await client.callTool({ name: "session_list", arguments: {} });
    expect(JSON.stringify(own)).toContain(id);
    expect(JSON.stringify(own)).not.toContain(otherId);
    const refusedOther = await client.callTool({ name: "session_show", arguments: { id: otherId } });
    expect(codeOf(refusedOther)).toBe("denied");
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([`nomos://sessions/${id}`, `nomos://sessions/${id}/transcript`]);
    await expect(client.readResource({ uri: `nomos://sessions/${otherId}` })).rejects.toMatchObject({
      data: { code: "denied" },
    });
    await expect(client.subscribeResource({ uri: `nomos://sessions/${otherId}` })).rejects.toMatchObject({
      data: { code: "denied" },
    });
  });
});

describe("AIP-46", () => {
  test("both families of names act on the sessions that HTTP shows", async () => {
    const client = await mcpClient(daemon, "2025-11-25");
    const started = await client.callTool({
      name: "start_agent_session",
      arguments: { adapter: "demo", label: "aip" },
    });
    const sessionId = memberOf(started, "id");
    const sessions = await (await daemon.call("GET", `/sessions/${String(sessionId)}`)).json();
    expect(sessions).toMatchObject({ id: sessionId, label: "aip" });
    const prompted = await client.callTool({
      name: "agent_prompt",
      arguments: { sessionId, prompt: "say one\nsay two\nsay three\nsleep 30000" },
    });
    expect(prompted.structuredContent).toMatchObject({ ok: true, id: sessionId, sessionId });
    const busy = await client.callTool({ name: "prompt_agent_session", arguments: { sessionId, prompt: "say no" } });
    expect(codeOf(busy)).toBe("session_busy");
    await expect
      .poll(async () => (await client.callTool({ name: "agent_output", arguments: { sessionId, lastN: 2 } })).content)
      .toEqual([{ type: "text", text: "two\nthree" }]);
    const killed = await client.callTool({ name: "kill_agent_session", arguments: { sessionId } });
    expect(killed.structuredContent).toEqual({ ok: true, id: sessionId, sessionId });
    const alive = await client.callTool({ name: "agent_sessions_list", arguments: { onlyAlive: true } });
    const left = z.array(z.object({ id: z.string() })).parse(memberOf(alive, "sessions"));
    expect(left.map(({ id }) => id)).not.toContain(sessionId);
  });
});

test("the stream of a cancelled call is closed, and its place is free again", async () => {
  const mcp = rawMcp(daemon);
  const headers = await shakeHands(mcp, "2025-11-25");
  for (let id = 100; id < 180; id += 1) {
    const call = await mcp.post({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "test_hang" } }, headers);
    await mcp.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }, headers);
    expect(await messagesIn(call)).toEqual([]);
  }
});
