import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DaemonHere, startDaemonHere } from "../../support/daemon-here.ts";
import { MCP_VERSIONS, mcpClient } from "../../support/mcp-client.ts";

let daemon: DaemonHere;
beforeAll(async () => {
  daemon = await startDaemonHere();
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function start(body: object = {}): Promise<{ readonly id: string; readonly name: string }> {
  const answer = await daemon.call("POST", "/sessions/agent", { adapter: "demo", ...body });
  return JSON.parse(await answer.text());
}

async function turn(id: string, prompt: string): Promise<void> {
  await daemon.call("POST", `/sessions/${id}/prompt`, { prompt });
  await (await daemon.call("GET", `/sessions/${id}/wait`)).text();
}

describe.each(MCP_VERSIONS)("MCP resources in %s", (version) => {
  test("a session can be read as JSON, as a transcript and as a handoff", async () => {
    const { id, name } = await start({ label: "read me" });
    await turn(id, "say hello\nsay ```three ticks```");
    const client = await mcpClient(daemon, version);
    const session = await client.readResource({ uri: `nomos://sessions/${id}` });
    expect(session.contents).toMatchObject([{ mimeType: "application/json", text: expect.stringContaining(id) }]);
    const transcript = await client.readResource({ uri: `nomos://sessions/${name}/transcript` });
    expect(transcript.contents).toMatchObject([
      { mimeType: "text/plain", text: "hello\n```three ticks```\n── turn-end (completed) ──" },
    ]);
    const handoff = await client.readResource({ uri: `nomos://sessions/${id}/handoff` });
    expect(handoff.contents[0]).toMatchObject({ mimeType: "text/markdown" });
    const { messages } = await client.getPrompt({ name: "session_handoff", arguments: { id } });
    expect(messages).toEqual([
      { role: "user", content: { type: "text", text: Reflect.get(Object(handoff.contents[0]), "text") } },
    ]);
  });

  test("documentation can be listed and read, and no other file", async () => {
    const client = await mcpClient(daemon, version);
    const page = await client.readResource({ uri: "nomos://docs/docs/reference/mcp.md" });
    expect(page.contents).toMatchObject([{ mimeType: "text/markdown", text: expect.stringContaining("# MCP") }]);
    for (const path of ["../package.json", "docs/../package.json", "%2e%2e/package.json", "package.json"])
      await expect(client.readResource({ uri: `nomos://docs/${path}` })).rejects.toMatchObject({ code: -32_602 });
  });

  test("an unknown resource is reported as not found", async () => {
    const client = await mcpClient(daemon, version);
    for (const uri of ["nomos://sessions/nobody", "nomos://nothing", "file:///etc/passwd", "x"])
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602, data: { uri } });
  });

  test("prompts declare their arguments, and are refused without them", async () => {
    const client = await mcpClient(daemon, version);
    const { prompts } = await client.listPrompts();
    expect(prompts).toMatchObject([{ name: "session_handoff", arguments: [{ name: "id", required: true }] }]);
    await expect(client.getPrompt({ name: "session_handoff", arguments: {} })).rejects.toMatchObject({
      data: { code: "invalid_request" },
    });
    await expect(client.getPrompt({ name: "nobody" })).rejects.toMatchObject({ code: -32_602 });
  });

  test("session names complete an id argument", async () => {
    const { name } = await start();
    const client = await mcpClient(daemon, version);
    const argument = { name: "id", value: name.slice(0, 4) };
    const byPrompt = await client.complete({ ref: { type: "ref/prompt", name: "session_handoff" }, argument });
    expect(byPrompt.completion.values).toContain(name);
    const byUri = await client.complete({ ref: { type: "ref/resource", uri: "nomos://sessions/{id}" }, argument });
    expect(byUri.completion.values).toContain(name);
    const nothing = await client.complete({ ref: { type: "ref/resource", uri: "nomos://docs/{+path}" }, argument });
    expect(nothing.completion.values).toEqual([]);
  });
});

test("the list of resources is paged and names each one once", async () => {
  const ids = new Set<string>();
  for (let count = 0; count < 60; count += 1) ids.add((await start()).id);
  const client = await mcpClient(daemon, "2025-11-25");
  const uris: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const asked = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: "resources/list", params: asked });
    uris.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
    pages += 1;
  } while (cursor !== undefined);
  expect(pages).toBeGreaterThan(2);
  expect(new Set(uris).size).toBe(uris.length);
  for (const id of ids) expect(uris).toContain(`nomos://sessions/${id}`);
  expect(uris).toContain("nomos://docs/docs/reference/mcp.md");
  for (const bad of ["x", Buffer.from('{"source":99,"after":null}').toString("base64url")])
    await expect(client.request({ method: "resources/list", params: { cursor: bad } })).rejects.toMatchObject({
      code: -32_602,
    });
});

describe("a changed resource", () => {
  test("a change is notified to a subscribed client with a session, until it unsubscribes", async () => {
    const { id } = await start();
    const client = await mcpClient(daemon, "2025-11-25");
    const told: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void told.push(params.uri));
    const uri = `nomos://sessions/${id}/transcript`;
    await client.subscribeResource({ uri });
    await turn(id, "say one");
    await expect.poll(() => told).toContain(uri);
    await client.unsubscribeResource({ uri });
    const before = told.length;
    await turn(id, "say two");
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(told.length - before).toBeLessThanOrEqual(1);
    await expect(client.subscribeResource({ uri: "nomos://sessions/nobody" })).rejects.toMatchObject({
      data: { code: "session_not_found" },
    });
  });

  test("a change is notified on a stream to a client without a session", async () => {
    const { id } = await start();
    const client = await mcpClient(daemon, "2026-07-28");
    const told: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void told.push(params.uri));
    const uri = `nomos://sessions/${id}`;
    const listening = await client.listen({ resourceSubscriptions: [uri] });
    await turn(id, "say one");
    await expect.poll(() => told).toContain(uri);
    await listening.close();
    await expect(client.listen({ resourceSubscriptions: ["nomos://sessions/nobody"] })).rejects.toThrow();
  });

  test("changes are notified at most four times a second", async () => {
    const { id } = await start();
    const client = await mcpClient(daemon, "2025-11-25");
    let told = 0;
    client.setNotificationHandler("notifications/resources/updated", () => {
      told += 1;
    });
    await client.subscribeResource({ uri: `nomos://sessions/${id}` });
    const startedMs = Date.now();
    await turn(id, Array.from({ length: 60 }, (_one, at) => `say ${at}`).join("\n"));
    await expect.poll(() => told).toBeGreaterThan(0);
    const seconds = (Date.now() - startedMs) / 1000;
    expect(told).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 1);
  });
});
