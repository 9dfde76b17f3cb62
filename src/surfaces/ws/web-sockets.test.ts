import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import * as z from "zod";
import { type Actor, compilePolicy, DEFAULT_RULES } from "../../domains/index.ts";
import { createInstruments } from "../../services/metrics/instruments.ts";
import { read, stream } from "../../syscalls/define.ts";
import { createPasses, type Services, type StreamItem, type Syscall } from "../../syscalls/index.ts";
import { createAccess } from "../http/access.ts";
import { createWebSockets, type WsOptions } from "./web-sockets.ts";

const OPERATOR: Actor = { principal: "operator", capabilities: ["*"], sessionId: null };
const common = {
  summary: "For this test",
  permission: "test.use",
  roles: [],
  needs: [],
  about: "system" as const,
  errors: [],
  http: { method: "POST" as const, path: "/x" },
  cli: { positional: [] },
};
const produced = { items: 0, ended: false };
const FLOOD_ITEMS = 20_000;
const SYSCALLS: readonly Syscall[] = [
  read({
    ...common,
    name: "test.echo",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    answer: async (_context, { text }) => ({ text }),
  }),
  read({
    ...common,
    name: "test.slow",
    input: z.object({}),
    output: z.object({}),
    answer: () => new Promise<Record<string, never>>((resolve) => setTimeout(() => resolve({}), 300)),
  }),
  stream({
    ...common,
    name: "test.flood",
    input: z.object({}),
    output: z.object({}),
    items: async ({ signal }) => flood(signal),
  }),
];

async function* flood(signal: AbortSignal): AsyncGenerator<StreamItem> {
  try {
    for (let id = 1; id <= FLOOD_ITEMS && !signal.aborted; id += 1) {
      produced.items = id;
      yield { event: "event", id, data: "x".repeat(2000) };
    }
  } finally {
    produced.ended = true;
  }
}

const close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of close.splice(0)) await one();
});

async function serve(given: Partial<WsOptions> & { readonly secrets?: Map<string, Actor> } = {}) {
  const { secrets = new Map([["secret", OPERATOR]]) } = given;
  const passes = createPasses({
    nowMs: Date.now,
    steadyMs: () => performance.now(),
    iso: (ms) => new Date(ms).toISOString(),
  });
  const compiled = compilePolicy(["test.use"], DEFAULT_RULES);
  const policy: Services["policy"] = { current: () => compiled, replace: async () => [] };
  const tokens: Pick<Services["tokens"], "watch"> = { watch: () => () => undefined };
  const services = { passes, policy, tokens, instruments: createInstruments(Date.now) } as Services;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const authenticate = async (secret: string) => secrets.get(secret) ?? null;
  const sockets = createWebSockets({
    services,
    syscalls: SYSCALLS,
    authenticate,
    recall: async (actor) => ([...secrets.values()].includes(actor) ? actor : null),
    access: createAccess({
      authenticate,
      ready: () => true,
      reached: () => ({ port, publicUrl: null }),
      isOwnUser: async () => true,
    }),
    requestBytesMax: 10_000,
    ...given,
  });
  server.on("upgrade", sockets.upgrade);
  close.push(async () => {
    sockets.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const open = async (
    headers: Record<string, string> = { authorization: "Bearer secret" },
    protocols: string[] = [],
    autoPong = true,
  ) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws`, protocols, { headers, autoPong });
    close.push(async () => socket.terminate());
    await once(socket, "open");
    return talk(socket);
  };
  const refused = async (headers: Record<string, string>, path = "/api/ws", protocols: string[] = []) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { headers });
    const [, answer] = await once(socket, "unexpected-response");
    let text = "";
    for await (const part of answer) text += String(part);
    return { status: answer.statusCode, body: JSON.parse(text) };
  };
  return { open, refused, passes, secrets, port };
}

function talk(socket: WebSocket) {
  const received: Record<string, unknown>[] = [];
  const gone = once(socket, "close");
  socket.on("message", (data) => received.push(JSON.parse(String(data))));
  return {
    socket,
    received,
    say: (message: unknown) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    answer: async (id: unknown) => {
      await expect.poll(() => received.find((one) => one["id"] === id)).toBeDefined();
      return received.find((one) => one["id"] === id);
    },
    closed: async (): Promise<unknown> => (await gone)[0],
  };
}

describe("opening a WebSocket", () => {
  test("a WebSocket opens with a token in the header", async () => {
    const { open } = await serve();
    const { say, answer } = await open();
    say({ id: 1, method: "test.echo", params: { text: "hello" } });
    expect(await answer(1)).toEqual({ id: 1, result: { text: "hello" } });
  });

  test("a WebSocket opens with a pass among the subprotocols, once; the pass is not echoed", async () => {
    const { open, refused, passes } = await serve();
    const offered = ["nomos.rpc.v1", `nomos.ticket.${passes.issue(OPERATOR).ticket}`];
    const { socket } = await open({}, offered);
    expect(socket.protocol).toBe("nomos.rpc.v1");
    expect(await refused({}, "/api/ws", offered)).toMatchObject({
      status: 401,
      body: { error: { code: "unauthorized" } },
    });
  });

  test.each([
    ["without anything", {}, 401, "unauthorized"],
    ["with a wrong token", { authorization: "Bearer nobody" }, 401, "unauthorized"],
    [
      "from a foreign page",
      { authorization: "Bearer secret", origin: "https://evil.example" },
      403,
      "forbidden_origin",
    ],
    ["for a foreign host", { authorization: "Bearer secret", host: "evil.example" }, 403, "forbidden_host"],
  ])("a WebSocket is refused %s", async (_what, headers, status, code) => {
    const { refused } = await serve();
    expect(await refused({ ...headers })).toMatchObject({ status, body: { error: { code } } });
  });

  test("a WebSocket at another path is refused", async () => {
    const { refused } = await serve();
    expect(await refused({ authorization: "Bearer secret" }, "/mcp")).toMatchObject({ status: 404 });
  });

  test("after too many wrong tokens no further token is checked", async () => {
    const { refused } = await serve();
    const statuses: unknown[] = [];
    for (let count = 0; count < 45; count += 1) statuses.push((await refused({})).status);
    expect(statuses).toContain(429);
  });

  test("a revoked token: the next message closes the WebSocket", async () => {
    const { open, secrets } = await serve();
    const { say, answer, closed } = await open();
    secrets.clear();
    say({ id: 1, method: "test.echo", params: { text: "x" } });
    expect(await answer(1)).toMatchObject({ error: { code: "unauthorized" } });
    expect(await closed()).toBe(1008);
  });

  test("a revoked token of a client that only listens: the next ping closes the WebSocket", async () => {
    const { open, secrets, passes } = await serve({ limits: { pingMs: 30 } });
    const { closed } = await open({}, ["nomos.rpc.v1", `nomos.ticket.${passes.issue(OPERATOR).ticket}`]);
    secrets.clear();
    expect(await closed()).toBe(1008);
  });
});

describe("WebSocket messages", () => {
  test("unreadable messages are refused, and the connection goes on", async () => {
    const { open } = await serve();
    const { socket, say, answer, received } = await open();
    say("{");
    socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: true });
    say({ id: 1, method: "test.echo", params: { text: "still here" } });
    expect(await answer(1)).toHaveProperty("result");
    const codes = received.map((one) => Reflect.get(Object(one["error"]), "code"));
    expect(codes).toEqual(["malformed_json", "invalid_utf8", undefined]);
  });

  test("a large number of messages is answered in full", async () => {
    const { open } = await serve();
    const { say, received } = await open();
    for (let id = 0; id < 2000; id += 1) say({ id, method: "test.echo", params: { text: String(id) } });
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(2000);
    expect(new Set(received.map(({ id }) => id)).size).toBe(2000);
  });

  test("a message that is too large ends the connection", async () => {
    const { open } = await serve();
    const { say, closed } = await open();
    say({ id: 1, method: "test.echo", params: { text: "x".repeat(20_000) } });
    expect(await closed()).toBe(1009);
  });
});

describe("WebSocket readers", () => {
  test("a slow reader is sent no more than fits, and gets everything in the end", async () => {
    produced.items = 0;
    const { open } = await serve({ limits: { unsentBytesMax: 10_000 } });
    const { socket, say, received } = await open();
    say({ id: 1, method: "subscribe", params: { method: "test.flood" } });
    await expect.poll(() => received.length).toBeGreaterThan(1);
    socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = produced.items;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(produced.items).toBe(before);
    expect(before).toBeLessThan(FLOOD_ITEMS);
    socket.resume();
    await expect.poll(() => received.at(-1)?.["event"], { timeout: 20_000 }).toBe("closed");
    expect(received.filter((one) => one["event"] === "event")).toHaveLength(FLOOD_ITEMS);
  });

  test("a reader that reads nothing is cut off, and its subscription stops fetching", async () => {
    produced.ended = false;
    const { open } = await serve({ limits: { unsentBytesMax: 10_000, stalledMs: 100 } });
    const { socket, say, received } = await open();
    say({ id: 1, method: "subscribe", params: { method: "test.flood" } });
    await expect.poll(() => received.length).toBeGreaterThan(1);
    socket.pause();
    await expect.poll(() => produced.ended).toBe(true);
    expect(produced.items).toBeLessThan(FLOOD_ITEMS);
  });

  test("a reader that does not answer pings is cut off", async () => {
    const { open } = await serve({ limits: { pingMs: 40 } });
    const { closed } = await open({ authorization: "Bearer secret" }, [], false);
    expect(await closed()).toBe(1006);
  });

  test("a client with as many calls under way as it may have: its pong is not read, and it stays connected", async () => {
    const { open } = await serve({ limits: { pingMs: 20, callsMax: 1 } });
    const { say, answer } = await open();
    say({ id: 1, method: "test.slow" });
    expect(await answer(1)).toEqual({ id: 1, result: {} });
  });

  test("who answers stays", async () => {
    const { open } = await serve({ limits: { pingMs: 20 } });
    const { socket } = await open();
    let pings = 0;
    socket.on("ping", () => {
      pings += 1;
    });
    await expect.poll(() => pings).toBeGreaterThan(3);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });
});
