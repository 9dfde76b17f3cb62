import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { WebSocket } from "ws";
import { type Answer, newHome, runCli, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { plantDriver } from "./support/driver-file.ts";
import { readStream } from "./support/stream-reader.ts";
import { ended, eventually, expectOk, expectRefusal, PATIENCE, prompt, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

/** Whatever a token opened ends with the token, and a token ends with its maker. */
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Issued {
  readonly secret: string;
  readonly tokenId: string;
}
type As = <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<Answer<T>>;

const holder =
  ({ secret }: Pick<Issued, "secret">): As =>
  (method, path, body) =>
    daemon.call(method, path, body, { authorization: `Bearer ${secret}` });
const issued = async (more: object = {}, as: As = daemon.call): Promise<Issued> => {
  const body = { capabilities: ["session.*", "system.read", "token.admin"], ...more };
  return expectOk(await as<Issued>("POST", "/api/tokens", body), 201);
};
const revoke = async ({ tokenId }: Issued) => expectOk(await daemon.call("DELETE", `/api/tokens/${tokenId}`));
const isGood = async (token: Issued): Promise<boolean> => (await holder(token)("GET", "/sessions")).status === 200;

proves("TK-8", "a token expires: it is refused everywhere and in no list, also after a restart", async () => {
  const token = await issued({ ttlMs: 1000 });
  expect(await isGood(token)).toBe(true);
  await eventually("the end of its time", async () => !(await isGood(token)));
  expectRefusal(await holder(token)("GET", "/api/status"), 401, "unauthorized");
  const { tokens } = expectOk(await daemon.call<{ tokens: Issued[] }>("GET", "/api/tokens"));
  expect(tokens.map(({ tokenId }) => tokenId)).not.toContain(token.tokenId);
  expectRefusal(await daemon.call("DELETE", `/api/tokens/${token.tokenId}`), 409, "token_revoked");
});

proves("TK-8", "a token is revoked: every token issued with it, at any depth, is invalid too", async () => {
  const first = await issued();
  const second = await issued({}, holder(first));
  const third = await issued({}, holder(second));
  const other = await issued();
  expect(await isGood(third)).toBe(true);
  await revoke(first);
  expect(await Promise.all([first, second, third, other].map(isGood))).toEqual([false, false, false, true]);
  const { tokens } = expectOk(await daemon.call<{ tokens: Issued[] }>("GET", "/api/tokens"));
  const listed = tokens.map(({ tokenId }) => tokenId);
  for (const { tokenId } of [first, second, third]) expect(listed).not.toContain(tokenId);
});

proves("TK-8", "a token issues one with a longer life: that one ends with its maker", async () => {
  const short = await issued({ ttlMs: 60_000 });
  const { tokenId } = await issued({ ttlMs: 600_000_000 }, holder(short));
  const endless = await issued({}, holder(short));
  const { tokens } = expectOk(
    await daemon.call<{ tokens: { tokenId: string; expiresAtMs: number | null }[] }>("GET", "/api/tokens"),
  );
  const endOf = (id: string) => tokens.find((one) => one.tokenId === id)?.expiresAtMs;
  expect([endOf(tokenId), endOf(endless.tokenId)]).toEqual([endOf(short.tokenId), endOf(short.tokenId)]);
});

proves("TK-8", "an endless chain of tokens that issue tokens is refused early", async () => {
  let last = await issued();
  const refused: number[] = [];
  for (let n = 0; n < 20 && refused.length === 0; n += 1) {
    const answer = await holder(last)<Issued>("POST", "/api/tokens", { capabilities: ["token.admin"] });
    if (answer.status === 201) last = answer.body;
    else refused.push(answer.status);
  }
  expect(refused).toEqual([403]);
});

proves(
  "TK-9",
  "an open stream, WebSocket, MCP session and long call end when the maker's token is revoked",
  async () => {
    const { id } = await start(daemon);
    const maker = await issued();
    const token = await issued({}, holder(maker));
    const headers = { authorization: `Bearer ${token.secret}` };
    const sse = await readStream(daemon, `/sessions/${id}/stream`, headers);
    const socket = new WebSocket(`${daemon.url.replace("http", "ws")}/api/ws`, { headers });
    await once(socket, "open");
    const closed = once(socket, "close");
    const mcp = (body: object | null, more: object = {}) =>
      fetch(`${daemon.url}/mcp`, {
        method: body === null ? "GET" : "POST",
        headers: {
          ...headers,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          ...more,
        },
        ...(body === null ? {} : { body: JSON.stringify(body) }),
      });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const hello = await mcp({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    await hello.text();
    const listening = await mcp(null, { "mcp-session-id": hello.headers.get("mcp-session-id") ?? "" });
    expect(listening.status).toBe(200);
    const heard = listening.text().catch(() => "cut");
    const { turnId } = await prompt(daemon, id, "sleep 20000");
    const waiting = holder(token)("GET", `/sessions/${id}/wait?turnId=${turnId}&timeoutMs=60000`);
    await sleep(700);
    await revoke(maker);
    expectRefusal(await waiting, 401, "unauthorized");
    await eventually("the stream ends", async () => sse.isOver());
    expect((await closed)[0]).toBe(1008);
    expect(await heard).toBeDefined();
    await daemon.call("POST", `/sessions/${id}/interrupt`);
    await ended(daemon, id, turnId);
  },
);

proves.onOneStore(
  "TK-9",
  "a stream opened with a session's own token ends with the process that had the token",
  async () => {
    const file = await plantDriver(
      `export default async ({ say }) => { await say("KEY " + process.env.NOMOS_TOKEN); await new Promise((r) => setTimeout(r, 2000)); };`,
    );
    const { id } = await start(daemon, { adapter: "script", file });
    const { turnId } = await prompt(daemon, id, "go");
    const key = await eventually("the key", async () => {
      const { text } = await daemon.call("GET", `/sessions/${id}/events?types=message.completed`);
      return /nst_[0-9a-f]+/.exec(text)?.[0];
    });
    const stolen = await readStream(daemon, `/sessions/${id}/stream`, { authorization: `Bearer ${key}` });
    expect(stolen.status).toBe(200);
    await ended(daemon, id, turnId);
    await eventually("the stream ends", async () => stolen.isOver());
    const seen = stolen.items.length;
    await turn(daemon, id, "again");
    expect(stolen.items).toHaveLength(seen);
  },
);

proves(
  "TK-10",
  "a backup older than a revocation is restored: none of its tokens is valid, and the restore says so",
  async () => {
    const [revoked, kept] = [await issued(), await issued()];
    const { path } = expectOk(await daemon.call<{ path: string }>("POST", "/api/backup", {}));
    await revoke(revoked);
    const home = await newHome();
    const report = await runCli(["restore", path, "--json"], { home });
    expect(report.json()).toMatchObject({ tokensEnded: expect.toSatisfy((n: number) => n >= 2) });
    await using other = await startDaemon({ home });
    for (const { secret } of [revoked, kept])
      expectRefusal(
        await other.call("GET", "/sessions", undefined, { authorization: `Bearer ${secret}` }),
        401,
        "unauthorized",
      );
    expect(expectOk(await other.call("GET", "/api/tokens"))).toEqual({ tokens: [] });
    expect(expectOk(await other.call("GET", "/api/doctor?rebuild=true"))).toMatchObject({ ok: true });
    const again = await other.call<Issued>("POST", "/api/tokens", { capabilities: ["session.list"] });
    const headers = { authorization: `Bearer ${expectOk(again, 201).secret}` };
    expectOk(await other.call("GET", "/sessions", undefined, headers));
  },
);
