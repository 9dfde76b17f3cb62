import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startHttpMcpServer, startOAuthServer } from "../../../test/support/http-mcp-server.ts";
import { type McpServersHere, mcpServersHere, textOf } from "../../../test/support/mcp-servers-here.ts";
import { proves } from "../../../test/support/proves.ts";

const settled = (here: McpServersHere, words: string): Promise<void> =>
  new Promise((resolve) => {
    const look = setInterval(() => {
      if (!here.logged.some((line) => line.includes(words))) return;
      clearInterval(look);
      resolve();
    }, 20);
  });

async function login(here: McpServersHere, name: string): Promise<void> {
  const { page } = await here.servers.login(name);
  const answer = await fetch(page);
  expect(await answer.text()).toContain("You can close this page");
  await settled(here, "logged in to an MCP server");
}

test("a server with an address is used, with headers from the environment and from files", async () => {
  await using server = await startHttpMcpServer();
  const headers = { "X-Key": { env: "MY_KEY" }, Authorization: { env: "MY_KEY", prefix: "Bearer " } };
  await using here = await mcpServersHere(
    { remote: { url: server.url, headers } },
    { environment: { MY_KEY: "abc123xyz" } },
  );
  expect(textOf(await here.call("mcp__remote__count"))).toBe("call 1");
  expect(server.headersSeen.at(-1)).toMatchObject({ "x-key": "abc123xyz", authorization: "Bearer abc123xyz" });
  const listed = JSON.stringify(await here.servers.list());
  expect(listed).toContain("X-Key (env MY_KEY)");
  expect(listed).not.toContain("abc123xyz");
});

proves("MS-2", "an address that is gone is named, and used again when it is back", async () => {
  const lost = { is: false };
  await using server = await startHttpMcpServer((request) => {
    if (lost.is) request.socket.destroy();
    return lost.is;
  });
  await using here = await mcpServersHere({ remote: { url: server.url } });
  expect(textOf(await here.call("mcp__remote__count"))).toBe("call 1");
  lost.is = true;
  await expect(here.call("mcp__remote__count")).rejects.toThrow(/remote: .*the call was under way/);
  lost.is = false;
  expect(textOf(await here.call("mcp__remote__count"))).toBe("call 2");
  expect(server.calls()).toBe(2);
});

proves(
  "MS-3",
  "answers that lie: wrong ids, no results, too large, floods of events; each is named, none is believed",
  async () => {
    let lie = (_id: unknown): string => "";
    await using server = await startHttpMcpServer((_request, response, body) => {
      const { method, id } =
        body === "" ? { method: "", id: 0 } : (JSON.parse(body) as { method: string; id: unknown });
      if (method !== "tools/call") return false;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(lie(id));
      return true;
    });
    await using here = await mcpServersHere({ remote: { url: server.url, timeoutMs: 500 } });
    const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
    const call = () => here.call("mcp__remote__count").catch((thrown: Error) => thrown.message);
    lie = () => event({ id: 4711, result: { content: [{ type: "text", text: "not yours" }] } });
    expect(await call()).toMatch(/^remote: /);
    lie = (id) => event({ id, result: { content: "no list" } });
    expect(await call()).toMatch(/^remote: /);
    lie = (id) => event({ id, result: { content: [{ type: "text", text: "x".repeat(9_000_000) }] } });
    expect(await call()).toMatch(/^remote: it sent a message of more than 8388608 bytes/);
    lie = () => event({ method: "notifications/message", params: { level: "info", data: "x" } }).repeat(5_000);
    await here.tools();
    expect(await call()).toMatch(/remote: /);
    expect(server.calls()).toBe(0);
  },
);

proves(
  "MS-5",
  "a login by the browser: registered once, PKCE, tokens for the person alone and never shown",
  async () => {
    await using server = await startOAuthServer();
    await using here = await mcpServersHere({ remote: { url: server.url } });
    expect((await here.tools()).problems).toEqual(["remote wants a login."]);
    expect(await here.servers.test("remote")).toMatchObject({
      ok: false,
      says: expect.stringContaining("nomos mcp-server login"),
    });
    await login(here, "remote");
    expect(textOf(await here.call("mcp__remote__count"))).toBe("call 1");
    const file = join(here.home, "keys", "mcp", "remote.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { tokens } = JSON.parse(await readFile(file, "utf8")) as { tokens: { access_token: string } };
    const shown = JSON.stringify([await here.servers.list(), here.logged, await here.servers.test("remote")]);
    expect(shown).not.toContain(tokens.access_token);
    expect((await here.servers.list())[0]).toMatchObject({ login: "ok" });
    await login(here, "remote");
    expect(server.registrations()).toBe(1);
    await here.servers.remove("remote");
    await expect(stat(file)).rejects.toThrow("ENOENT");
  },
);

proves("MS-5", "the answer of a login counts only with the state that it began with", async () => {
  await using server = await startOAuthServer();
  await using here = await mcpServersHere({ remote: { url: server.url } });
  const { page } = await here.servers.login("remote");
  const redirect = new URL(new URL(page).searchParams.get("redirect_uri") ?? "");
  redirect.searchParams.set("code", "stolen");
  redirect.searchParams.set("state", "guessed");
  expect((await fetch(redirect)).status).toBe(404);
  expect(here.logged).toEqual([]);
});

proves("MS-5", "two processes and many calls need a new token at once: it is refreshed once", async () => {
  await using server = await startOAuthServer();
  await using here = await mcpServersHere({ remote: { url: server.url } });
  await login(here, "remote");
  await here.call("mcp__remote__count");
  const other = fileURLToPath(new URL("../../../test/fixtures/mcp-servers/use-login.ts", import.meta.url));
  const { spawn } = await import("node:child_process");
  const child = spawn(process.execPath, [other, here.home, server.url], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = child.stdout.setEncoding("utf8")[Symbol.asyncIterator]();
  expect((await lines.next()).value).toContain("ready");
  server.expire();
  child.stdin.write("go\n");
  const [mine, theirs] = await Promise.all([
    Promise.all(Array.from({ length: 8 }, () => here.call("mcp__remote__count"))),
    lines.next(),
  ]);
  expect(mine.map(textOf).every((text) => text.startsWith("call"))).toBe(true);
  expect(theirs.value).toContain("answered 8");
  expect(server.refreshes()).toBe(1);
  child.kill();
});

proves("MS-5", "a refresh that is refused asks for a new login, and sends the old token no more", async () => {
  await using server = await startOAuthServer();
  await using here = await mcpServersHere({ remote: { url: server.url } });
  await login(here, "remote");
  await here.call("mcp__remote__count");
  server.expire();
  server.revoke();
  await expect(here.call("mcp__remote__count")).rejects.toMatchObject({ code: "mcp_login_needed" });
  expect((await here.servers.list())[0]).toMatchObject({ login: "over" });
});

test("a lock that a dead process left does not stop a refresh for ever; a token file with rubbish counts as none", async () => {
  await using server = await startOAuthServer();
  await using here = await mcpServersHere({ remote: { url: server.url } });
  await mkdir(join(here.home, "keys", "mcp"), { recursive: true });
  await writeFile(join(here.home, "keys", "mcp", "remote.json"), "{rubbish");
  expect((await here.tools()).problems).toEqual(["remote wants a login."]);
  await login(here, "remote");
  const { utimes } = await import("node:fs/promises");
  const lock = join(here.home, "keys", "mcp", "remote.json.lock");
  await writeFile(lock, "");
  await utimes(lock, new Date(0), new Date(0));
  server.expire();
  expect(textOf(await here.call("mcp__remote__count"))).toMatch(/^call/);
});

test("a login where there is none to do is refused with the reason", async () => {
  await using server = await startHttpMcpServer();
  await using here = await mcpServersHere({ remote: { url: server.url }, program: { command: "true" } });
  await expect(here.servers.login("remote")).rejects.toMatchObject({ code: "mcp_login_unsupported" });
  await expect(here.servers.login("program")).rejects.toMatchObject({ code: "mcp_login_unsupported" });
  await expect(here.servers.login("other")).rejects.toMatchObject({ code: "mcp_server_not_found" });
});
