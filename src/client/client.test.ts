import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { ClientError, createClient, type StreamItem } from "./index.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A loopback server that answers as the test says; the client uses the real `fetch`. */
async function serve(answer: (seen: Seen, response: ServerResponse, count: number) => void) {
  const requests: Seen[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const seen = { method: request.method, url: request.url, headers: request.headers, body };
    requests.push(seen);
    answer(seen, response, requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { requests, client: createClient({ url: `http://127.0.0.1:${port}/`, token: "secret" }) };
}

const item = (event: string, data: unknown, id?: number): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const line = (text: string) => item("line", { line: text, stream: "stdout" });
const fact = (seq: number) => item("event", { seq, type: "message.completed@1" }, seq);

test("a call uses the path, query, body, token and idempotency key that the syscall table defines", async () => {
  const { client, requests } = await serve((_seen, response) => response.end("{}"));
  await client.call("session.prompt", { id: "a/b", prompt: "hi", queue: true }, { idempotencyKey: "k" });
  await client.call("session.events", { id: "x", types: ["turn.ended", "turn.started"], limit: 5 });
  await client.call("token.revoke", { tokenId: "t" });
  expect(requests.map(({ method, url, body }) => ({ method, url, body }))).toEqual([
    { method: "POST", url: "/sessions/a%2Fb/prompt", body: '{"prompt":"hi","queue":true}' },
    { method: "GET", url: "/sessions/x/events?types=turn.ended%2Cturn.started&limit=5", body: "" },
    { method: "DELETE", url: "/api/tokens/t", body: "" },
  ]);
  expect(requests[0]?.headers).toMatchObject({ authorization: "Bearer secret", "idempotency-key": "k" });
});

test("a refusal is thrown with code, message, remedy, details and the status", async () => {
  const error = { code: "session_busy", message: "m", remedy: "r", details: { turnId: "t" } };
  const { client } = await serve((_seen, response) => response.writeHead(409).end(JSON.stringify({ error })));
  const thrown = await client.call("session.show", { id: "x" }).catch((refusal: unknown) => refusal);
  expect(thrown).toBeInstanceOf(ClientError);
  expect(thrown).toMatchObject({ ...error, status: 409 });
});

test("no answer, a foreign answer, and a missing field are thrown as refusals too", async () => {
  const nobody = createClient({ url: "http://127.0.0.1:1", token: "" });
  await expect(nobody.call("system.status", {})).rejects.toMatchObject({ code: "daemon_unreachable", status: 0 });
  const { client } = await serve((_seen, response) => response.writeHead(502).end("<html>"));
  await expect(client.call("system.status", {})).rejects.toMatchObject({ code: "internal", status: 502 });
  await expect(client.call("session.show", { id: "" })).rejects.toMatchObject({ code: "usage" });
  await expect(client.callByName("no.such", {})).rejects.toMatchObject({ code: "usage" });
});

test("a cut stream reconnects from the last event: no line is repeated or lost", async () => {
  const { client, requests } = await serve((_seen, response, count) => {
    if (count !== 2) response.writeHead(200, { "content-type": "text/event-stream" });
    if (count === 1) {
      response.write(`: keep-alive\n\n${line("one")}${fact(4)}${line("tw`o cut")}`);
      response.write("event: line\ndata: {");
      setTimeout(() => response.destroy(), 20);
    } else if (count === 2) response.writeHead(503).end('{"error":{"code":"starting"}}');
    else response.end(`${line("two")}${fact(5)}${item("end", { id: "x", type: "session.killed@1" })}`);
  });
  const items = await collect(client.stream("session.stream", { id: "x" }, { after: 3 }));
  expect(items.map((one) => (one.event === "line" ? one.data.line : one.event))).toEqual([
    "one",
    "event",
    "two",
    "event",
    "end",
  ]);
  expect(requests.map(({ url, headers }) => [url, headers["last-event-id"]])).toEqual([
    ["/sessions/x/stream?after=3", undefined],
    ["/sessions/x/stream?after=3", "4"],
    ["/sessions/x/stream?after=3", "4"],
  ]);
});

test("a refused stream is not retried; one that never answers is retried a limited number of times", async () => {
  const error = { code: "session_not_found", message: "m", remedy: "r", details: {} };
  const refusing = await serve((_seen, response) => response.writeHead(404).end(JSON.stringify({ error })));
  await expect(collect(refusing.client.stream("session.stream", { id: "x" }))).rejects.toMatchObject({
    code: error.code,
  });
  expect(refusing.requests).toHaveLength(1);
  const cutting = await serve((_seen, response) => response.destroy());
  const stream = cutting.client.stream("session.stream", { id: "x" }, { reconnectsMax: 2 });
  await expect(collect(stream)).rejects.toMatchObject({ code: "daemon_unreachable" });
  expect(cutting.requests).toHaveLength(3);
});

test("a stream ends when its signal aborts, and when its reader stops", async () => {
  const closed: number[] = [];
  const { client } = await serve((_seen, response, count) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(fact(1));
    response.once("close", () => closed.push(count));
  });
  const stop = new AbortController();
  for await (const _item of client.stream("event.stream", {}, { signal: stop.signal })) stop.abort();
  for await (const _item of client.stream("event.stream", {})) break;
  await expect.poll(() => closed).toEqual([1, 2]);
});

async function collect(stream: AsyncIterable<StreamItem>): Promise<readonly StreamItem[]> {
  const items: StreamItem[] = [];
  for await (const one of stream) items.push(one);
  return items;
}
