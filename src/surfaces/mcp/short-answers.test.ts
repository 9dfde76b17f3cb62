import { type JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { createEventStore } from "./event-store.ts";
import { createShortAnswers } from "./short-answers.ts";

const VERSION = "2025-11-25";
const hello = {
  jsonrpc: "2.0",
  id: "hello",
  method: "initialize",
  params: { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const answerTo = (id: string | number): JSONRPCMessage => ({ jsonrpc: "2.0", id, result: { of: id } });
const call = (id: number, more: object = {}) => ({ jsonrpc: "2.0", id, method: "tools/call", params: more });

/** A session after its handshake; `answer` is what the server does with each request. */
async function scene(answer: (id: number) => Promise<void> | void) {
  const streams = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => "one",
    eventStore: createEventStore(),
  });
  const { transport, handle } = createShortAnswers(streams, [VERSION]);
  const heard: (string | number)[] = [];
  transport.onmessage = (message) => {
    if (!("method" in message && "id" in message)) return;
    heard.push(message.id);
    if (message.id === "hello") void transport.send(answerTo("hello"));
    else void answer(Number(message.id));
  };
  await transport.start();
  const post = (body: object, headers: Record<string, string> = {}) =>
    handle(
      new Request("http://127.0.0.1/mcp", {
        method: "POST",
        headers: {
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-session-id": "one",
          "mcp-protocol-version": VERSION,
          ...headers,
        },
      }),
      body,
    );
  await post(hello);
  return { transport, post, heard };
}

async function textOf(answer: Response | JSONRPCMessage): Promise<string> {
  if (!(answer instanceof Response)) throw new Error("answered with plain JSON");
  return answer.text();
}

test("a request that is answered at once gets the message itself", async () => {
  const { transport, post, heard } = await scene((id) => transport.send(answerTo(id)));
  expect(await post(call(1))).toEqual(answerTo(1));
  expect(await post(call(1))).toEqual(answerTo(1));
  expect(heard).toEqual(["hello", 1, 1]);
});

test("a request that takes longer gets a stream with the answer, and reaches the server once", async () => {
  const held = Promise.withResolvers<void>();
  const { transport, post, heard } = await scene(async (id) => {
    await held.promise;
    await transport.send(answerTo(id));
  });
  const answer = await post(call(2));
  held.resolve();
  expect(await textOf(answer)).toContain(JSON.stringify(answerTo(2)));
  expect(heard).toEqual(["hello", 2]);
});

test("a request with a progress token gets a stream from the start", async () => {
  const { transport, post } = await scene((id) => transport.send(answerTo(id)));
  expect(await textOf(await post(call(3, { _meta: { progressToken: 1 } })))).toContain(JSON.stringify(answerTo(3)));
});

test("what the library refuses is refused by it, and reaches no server", async () => {
  const { post, heard } = await scene(() => undefined);
  const refusals = [
    await post(call(4), { accept: "application/json" }),
    await post(call(5), { "mcp-protocol-version": "1999-01-01" }),
    await post({ jsonrpc: "2.0", id: 6 }),
  ];
  expect(refusals.map((answer) => (answer instanceof Response ? answer.status : 0))).toEqual([406, 400, 400]);
  expect(heard).toEqual(["hello"]);
});

test("two requests with the same id at the same time both reach the server", async () => {
  const { transport, post, heard } = await scene(async (id) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await transport.send(answerTo(id));
  });
  const [first] = await Promise.all([post(call(7)), post(call(7))]);
  expect(first).toEqual(answerTo(7));
  expect(heard).toEqual(["hello", 7, 7]);
});

test("a session that ends meanwhile: the request is told that there is none", async () => {
  const { transport, post } = await scene(() => transport.close());
  const answer = await post(call(8));
  expect(answer instanceof Response && answer.status).toBe(404);
});
