import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { APIS, allParts, ask, KEY, modelAt, request } from "../../../test/engine/model-server/ask.ts";
import {
  answer,
  calling,
  failing,
  type ModelServer,
  startModelServer,
} from "../../../test/engine/model-server/index.ts";
import { proves } from "../../../test/support/proves.ts";
import { ModelError, type ModelErrorClass } from "../model.ts";
import { createModel } from "./create-model.ts";
import type { ApiName } from "./settings.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
beforeEach(() => server.clear());
afterAll(() => server[Symbol.asyncDispose]());

const QUICK = { limits: { stallMs: 120 } };
const NAMES: readonly ApiName[] = APIS.map(({ api }) => api);
const LONG = "a long answer that is broken somewhere in its middle, after some events";

async function failureOf(asked: Promise<unknown>): Promise<ModelError> {
  const thrown: unknown = await asked.then(
    () => new Error("it did not fail"),
    (error: unknown) => error,
  );
  if (!(thrown instanceof ModelError)) throw thrown;
  expect(thrown.message).toMatch(/^[^\n]{5,500}\.$/);
  expect(JSON.stringify({ ...thrown, message: thrown.message, cause: String(thrown.cause) })).not.toContain(KEY);
  return thrown;
}

async function classOf(asked: Promise<unknown>): Promise<ModelErrorClass> {
  return (await failureOf(asked)).errorClass;
}

describe.each(NAMES)("%s", (api) => {
  proves("MOD-4", "a stream that stalls, is reset, ends early or turns to garbage is a broken answer", async () => {
    const model = await modelAt(server, api);
    const after = { afterEvents: 4 };
    server.queue(answer(LONG, { breaks: { ...after, by: "stall" } }));
    expect(await classOf(ask(await modelAt(server, api, {}, QUICK)))).toBe("timeout");
    server.queue(answer(LONG, { breaks: { ...after, by: "reset" } }));
    expect(await classOf(ask(model))).toBe("malformed");
    server.queue(answer(LONG, { breaks: { ...after, by: "end" } }));
    expect(await classOf(ask(model))).toBe("malformed");
    server.queue(answer(LONG, { breaks: { ...after, by: "bytes", bytes: 'data: {"broken\n\ndata: not json\n\n' } }));
    expect(await classOf(ask(model))).toBe("malformed");
    server.queue({
      do: "bytes",
      bytes: "",
      ...(api === "bedrock" ? { contentType: "application/vnd.amazon.eventstream" } : {}),
    });
    expect(await classOf(ask(model))).toBe("malformed");
  });

  proves("MOD-4", "a call that is cut in the middle is never passed on as a call", async () => {
    const model = await modelAt(server, api);
    server.queue({
      ...calling({ name: "read", input: '{"path":"a/long/path/to/a/file.txt"}' }),
      breaks: { afterEvents: 4, by: "end" },
    });
    const parts: unknown[] = [];
    const stream = model.stream(request(), new AbortController().signal);
    const failed = failureOf(
      (async () => {
        for await (const part of stream) parts.push(part);
      })(),
    );
    if (api === "google" || api === "vertex") return void (await failed.catch(() => undefined));
    expect((await failed).errorClass).toBe("malformed");
    expect(parts.filter((part) => JSON.stringify(part).includes('"kind":"call"'))).toEqual([]);
  });

  proves("MOD-4", "errors by status", async () => {
    const model = await modelAt(server, api);
    const rows: readonly (readonly [number, ModelErrorClass])[] = [
      [401, "auth"],
      [403, "auth"],
      [402, "billing"],
      [408, "timeout"],
      [413, "overflow"],
      [429, "rate_limit"],
      [400, "invalid"],
      [500, "overloaded"],
      [503, "overloaded"],
      [504, "timeout"],
      [529, "overloaded"],
    ];
    for (const [status, errorClass] of rows) {
      server.queue(failing(status, { error: { message: `the key ${KEY} did something`, type: "some_error" } }));
      const error = await failureOf(ask(model));
      expect([status, error.errorClass, error.status]).toEqual([status, errorClass, status]);
    }
  });

  test("a web page, an empty body and a redirect are told as what they are", async () => {
    const model = await modelAt(server, api);
    server.queue({ do: "html" });
    expect((await failureOf(ask(model))).message).toContain("web page");
    server.queue({ do: "html", status: 502 });
    expect(await classOf(ask(model))).toBe("overloaded");
    server.queue(failing(400, ""));
    expect(await classOf(ask(model))).toBe("invalid");
    server.queue(failing(307, "", { location: "http://127.0.0.1:1/elsewhere" }));
    expect(await classOf(ask(model))).toBe("invalid");
  });

  test("silence is a timeout; a connection closed before the answer is unreachable", async () => {
    server.queue({ do: "silence" });
    expect(await classOf(ask(await modelAt(server, api, {}, QUICK)))).toBe("timeout");
    server.queue({ do: "hang_up" });
    expect(await classOf(ask(await modelAt(server, api)))).toBe("unreachable");
    const away = await createModel("away/x", {
      api,
      baseUrl: `http://127.0.0.1:${await closedPort()}/v1`,
      key: KEY,
      options: { region: "x" },
    });
    const error = await failureOf(ask(away));
    expect([error.errorClass, error.message.includes("127.0.0.1:")]).toEqual(["unreachable", true]);
  });

  proves("MOD-4", "an abort is thrown with its own reason and cuts the connection", async () => {
    const model = await modelAt(server, api);
    server.queue(answer(LONG, { breaks: { afterEvents: 5, by: "stall" } }));
    const ending = new AbortController();
    const reason = new Error("the person stopped it");
    const asked = allParts(model.stream(request(), ending.signal));
    const failed = expect(asked).rejects.toBe(reason);
    await sleep(40);
    ending.abort(reason);
    await failed;
    await eventually(() => server.requests().at(-1)?.isCut() === true);
    await expect(ask(model, {}, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test("a reader that leaves early closes the connection", async () => {
    const model = await modelAt(server, api);
    server.queue(answer(LONG, { breaks: { afterEvents: 6, by: "stall" } }));
    for await (const part of model.stream(request(), new AbortController().signal)) if (part.kind === "delta") break;
    await eventually(() => server.requests().at(-1)?.isCut() === true);
  });
});

describe("errors inside of a stream that began with 200", () => {
  const rows: readonly (readonly [
    ApiName,
    { type: string; message: string; code?: string | number },
    ModelErrorClass,
  ])[] = [
    ["anthropic", { type: "overloaded_error", message: "Overloaded" }, "overloaded"],
    ["anthropic", { type: "rate_limit_error", message: "slow down" }, "rate_limit"],
    ["anthropic", { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000" }, "overflow"],
    ["openai-chat", { type: "server_error", message: "The server had an error" }, "overloaded"],
    ["openai-chat", { type: "error", message: "Rate limit exceeded", code: 429 }, "rate_limit"],
    ["openrouter", { type: "provider_error", message: "Provider returned error", code: 502 }, "overloaded"],
    ["ollama", { type: "api_error", message: 'model "x" not found, try pulling it first' }, "model_unknown"],
    [
      "openai",
      { type: "insufficient_quota", message: "You exceeded your current quota", code: "insufficient_quota" },
      "billing",
    ],
    ["openai-responses", { type: "server_error", message: "boom", code: "server_error" }, "overloaded"],
    ["openai-responses", { type: "x", message: "too long", code: "context_length_exceeded" }, "overflow"],
    ["azure", { type: "x", message: "filtered", code: "content_filter" }, "refused"],
    ["google", { type: "UNAVAILABLE", message: "The model is overloaded.", code: 503 }, "overloaded"],
    ["vertex", { type: "RESOURCE_EXHAUSTED", message: "Quota", code: 429 }, "rate_limit"],
    ["mistral", { type: "internal", message: "oops", code: 500 }, "overloaded"],
    ["bedrock", { type: "throttlingException", message: "Too many tokens, please wait" }, "rate_limit"],
    ["bedrock", { type: "modelStreamErrorException", message: "broken" }, "malformed"],
    ["bedrock", { type: "validationException", message: "Input is too long for requested model." }, "overflow"],
  ];
  test.each(rows)("%s %j is %s, at the start and in the middle", async (api, error, errorClass) => {
    const model = await modelAt(server, api);
    for (const afterEvents of [0, 1, 5]) {
      server.queue(answer(LONG, { breaks: { afterEvents, by: "error", error } }));
      expect([afterEvents, await classOf(ask(model))]).toEqual([afterEvents, errorClass]);
    }
  });

  test("an error as JSON with status 200 is that error, another JSON is no stream", async () => {
    const model = await modelAt(server, "openai-chat");
    server.queue(failing(200, { error: { message: "Invalid API key", code: "invalid_api_key" } }));
    expect(await classOf(ask(model))).toBe("auth");
    server.queue(failing(200, { choices: [{ message: { content: "hi" } }] }));
    expect(await classOf(ask(model))).toBe("malformed");
  });

  test("a stream labelled as JSON is read as a stream", async () => {
    const chunk = { id: "1", choices: [{ index: 0, delta: { content: "hi" }, finish_reason: "stop" }] };
    server.queue({
      do: "bytes",
      contentType: "application/json",
      bytes: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`,
    });
    expect((await ask(await modelAt(server, "openai-chat"))).at(-1)).toMatchObject({ stop: "stop" });
  });
});

describe("limits", () => {
  test("an answer larger than 8 MB of text is refused", async () => {
    const model = await modelAt(server, "openai-chat");
    const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "x".repeat(1024 * 1024) } }] })}\n\n`;
    server.queue({ do: "bytes", bytes: chunk.repeat(10) });
    expect((await failureOf(ask(model))).message).toContain("too large");
  });

  test("an answer with more than 1000 calls is refused", async () => {
    const calls = Array.from({ length: 1001 }, () => ({ name: "read", input: "{}" }));
    server.queue(calling(...calls));
    expect((await failureOf(ask(await modelAt(server, "openai-chat")))).message).toContain("too many calls");
  });

  test("calls and inputs without an end are refused while they come, not only at the end of the stream", async () => {
    const model = await modelAt(server, "openai-chat");
    const call = (index: number, input: string) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index, id: `c${index}`, function: { name: "ls", arguments: input } }] } }] })}\n\n`;
    const breaks = { afterEvents: 0, by: "stall" } as const;
    for (const [bytes, words] of [
      [Array.from({ length: 1001 }, (_, index) => call(index, "{}")).join(""), "too many calls"],
      [call(0, "x".repeat(1024 * 1024)).repeat(10), "too large"],
    ] as const) {
      // Nothing follows, and the connection stays open: only a limit on the way ends it.
      server.queue({ do: "answer", prefix: bytes, breaks });
      expect((await failureOf(ask(model))).message).toContain(words);
    }
  });

  test("an answer that never ends is ended", async () => {
    server.queue(answer(LONG.repeat(20), { paceMs: 20 }));
    const model = await modelAt(server, "openai-chat", {}, { limits: { answerMs: 100 } });
    expect(await classOf(ask(model))).toBe("timeout");
  });

  test("raw bytes without an event are limited", async () => {
    server.queue({ do: "bytes", bytes: `data: ${"y".repeat(200_000)}` });
    const model = await modelAt(server, "openai-chat", {}, { limits: { answerBytesMax: 100_000 } });
    expect((await failureOf(ask(model))).message).toContain("too large");
  });
});

test("what does not speak HTTP is a broken answer", async () => {
  const noise = createServer((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"));
  noise.listen(0, "127.0.0.1");
  await once(noise, "listening");
  const address = noise.address();
  const port = typeof address === "object" ? address?.port : 0;
  const model = await createModel("away/x", { api: "openai-chat", baseUrl: `http://127.0.0.1:${port}/v1` });
  expect(await classOf(ask(model))).toBe("malformed");
  noise.close();
});

test("no key, no base URL and a broken base URL are told before anything is sent", async () => {
  const before = server.requests().length;
  const noKey = await modelAt(server, "anthropic", { key: null });
  expect((await failureOf(ask(noKey))).message).toBe("test rejects the key: no key is configured.");
  expect(await classOf(ask(await createModel("a/b", { api: "openai-chat" })))).toBe("invalid");
  expect(await classOf(ask(await createModel("a/b", { api: "openai-chat", baseUrl: "not a url" })))).toBe("invalid");
  expect(server.requests().length).toBe(before);
});

proves("MOD-3", "a key that cannot be a header is not shown", async () => {
  const model = await modelAt(server, "openai-chat", { key: `${KEY}\nX` });
  await failureOf(ask(model));
});

async function closedPort(): Promise<number> {
  const held = createServer();
  held.listen(0, "127.0.0.1");
  await once(held, "listening");
  const address = held.address();
  held.close();
  await once(held, "close");
  const port = typeof address === "object" && address !== null ? address.port : 1;
  const probe = connect(port, "127.0.0.1");
  await once(probe, "error");
  return port;
}

async function eventually(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 100 && !isTrue(); tries += 1) await sleep(10);
  expect(isTrue()).toBe(true);
}
