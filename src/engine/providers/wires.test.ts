import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { APIS, ask, KEY, modelAt } from "../../../test/engine/model-server/ask.ts";
import { answer, calling, type ModelServer, startModelServer } from "../../../test/engine/model-server/index.ts";
import type { ApiName } from "./settings.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
beforeEach(() => server.clear());
afterAll(() => server[Symbol.asyncDispose]());

const USAGE = { input: 100, output: 20, cacheRead: 40, cacheWrite: 0 };
/** Where each api puts the key, and the path that it asks. */
const WIRE: Readonly<Record<string, readonly [header: string, value: string, path: RegExp]>> = {
  anthropic: ["x-api-key", KEY, /^\/v1\/messages$/],
  openai: ["authorization", `Bearer ${KEY}`, /^\/v1\/chat\/completions$/],
  "openai-responses": ["authorization", `Bearer ${KEY}`, /^\/v1\/responses$/],
  "openai-chat": ["authorization", `Bearer ${KEY}`, /^\/v1\/chat\/completions$/],
  openrouter: ["authorization", `Bearer ${KEY}`, /^\/api\/v1\/chat\/completions$/],
  ollama: ["authorization", `Bearer ${KEY}`, /^\/v1\/chat\/completions$/],
  copilot: ["authorization", `Bearer ${KEY}`, /^\/chat\/completions$/],
  azure: ["api-key", KEY, /^\/openai\/v1\/responses$/],
  google: ["x-goog-api-key", KEY, /^\/v1beta\/models\/gemini-2\.5-pro:streamGenerateContent\?alt=sse$/],
  vertex: ["x-goog-api-key", KEY, /^\/v1\/publishers\/google\/models\/gemini-2\.5-pro:streamGenerateContent/],
  mistral: ["authorization", `Bearer ${KEY}`, /^\/v1\/chat\/completions$/],
  bedrock: ["authorization", `Bearer ${KEY}`, /^\/model\/anthropic\.claude[^/]*\/converse-stream$/],
};

describe.each(APIS.map(({ api }) => api))("%s", (api) => {
  test("streams text and ends with its usage", async () => {
    server.queue(answer("Hello, wörld! 👋", { usage: { input: 100, output: 20, cacheRead: 40 } }));
    const parts = await ask(await modelAt(server, api));
    const text = parts.flatMap((part) => (part.kind === "delta" ? [part.text] : [])).join("");
    expect(text).toBe("Hello, wörld! 👋");
    expect(parts.filter(({ kind }) => kind === "delta").length).toBeGreaterThan(1);
    expect(parts.filter(({ kind }) => kind === "part")).toMatchObject([{ part: { kind: "text", text } }]);
    expect(parts.at(-1)).toEqual({ kind: "end", stop: "stop", usage: USAGE });
  });

  test("sends the key in its header to its path, and asks for a stream", async () => {
    server.queue(answer("ok"));
    await ask(await modelAt(server, api));
    const seen = server.requests().at(-1);
    const [header, value, path] = WIRE[api] ?? ["", "", /never/];
    expect(seen?.headers[header]).toBe(value);
    expect(seen?.path).toMatch(path);
    if (api === "azure") expect(seen?.headers["authorization"]).toBeUndefined();
  });

  test("gives calls with the text of their arguments, in their order", async () => {
    server.queue(calling({ name: "read", input: '{"path":"a.txt"}' }, { name: "read", input: '{"path":"b.txt"}' }));
    const parts = await ask(await modelAt(server, api));
    const calls = parts.flatMap((part) => (part.kind === "part" && part.part.kind === "call" ? [part.part] : []));
    expect(calls.map(({ name, input }) => [name, JSON.parse(input)])).toEqual([
      ["read", { path: "a.txt" }],
      ["read", { path: "b.txt" }],
    ]);
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(2);
    expect(parts.at(-1)).toMatchObject({ kind: "end", stop: "tool_calls" });
  });

  test("connections are used again after an answer", async () => {
    const model = await modelAt(server, api);
    server.decide(() => answer("ok", { lingerMs: 5 }));
    for (let n = 0; n < 6; n += 1) await ask(model);
    const seen = server.requests().slice(-6);
    // A connection is free a moment after its answer has been read, so there may be a second one.
    expect(new Set(seen.map(({ connection }) => connection)).size).toBeLessThanOrEqual(2);
    expect(seen.filter(({ isCut }) => isCut())).toEqual([]);
  });

  test("an answer without usage counts as zeros", async () => {
    server.queue(answer("ok", { usage: null }));
    const end = (await ask(await modelAt(server, api))).at(-1);
    expect(end).toEqual({ kind: "end", stop: "stop", usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } });
  });

  test("an answer cut by its limit stops with length, a filtered one with refused", async () => {
    server.queue(answer("half", { stop: "length" }), answer("no", { stop: "refused" }));
    const model = await modelAt(server, api);
    expect((await ask(model)).at(-1)).toMatchObject({ stop: "length" });
    expect((await ask(model)).at(-1)).toMatchObject({ stop: "refused" });
  });

  test("a whole conversation is accepted again, with broken input and an image in a result", async () => {
    server.queue(answer("ok"));
    const png = { kind: "image", mediaType: "image/png", base64: "iVBORw0KGgo=" } as const;
    await ask(await modelAt(server, api), {
      messages: [
        { role: "user", content: [{ kind: "text", text: "look" }, png] },
        {
          role: "assistant",
          content: [
            { kind: "thought", text: "of another model", meta: { api: "other", model: "other", data: null } },
            { kind: "text", text: "I look." },
            {
              kind: "call",
              callId: "call one/of another provider, with a very long name of sixty and more",
              name: "read",
              input: '{"path":',
            },
            { kind: "call", callId: "call_2", name: "read", input: "[1]" },
          ],
        },
        {
          role: "tool",
          results: [
            {
              callId: "call one/of another provider, with a very long name of sixty and more",
              name: "read",
              content: [{ kind: "text", text: "bad input" }],
              isError: true,
            },
            { callId: "call_2", name: "read", content: [{ kind: "text", text: "an image" }, png], isError: false },
          ],
        },
      ],
    });
    const sent = JSON.stringify(server.requests().at(-1)?.body);
    expect(sent).toContain("invalid_json");
    expect(sent).not.toContain("of another model");
    expect(sent.split("iVBORw0KGgo=").length - 1).toBe(2);
  });
});

test("ollama needs no key and sends none", async () => {
  server.queue(answer("ok"));
  await ask(await modelAt(server, "ollama", { key: null }));
  expect(server.requests().at(-1)?.headers["authorization"]).toBeUndefined();
});

test("a header of the configuration replaces the key", async () => {
  server.queue(answer("ok"));
  await ask(await modelAt(server, "anthropic", { key: null, headers: { authorization: "Bearer other-token" } }));
  const seen = server.requests().at(-1);
  expect(seen?.headers["authorization"]).toBe("Bearer other-token");
  expect(seen?.headers["x-api-key"]).toBeUndefined();
});

test("azure takes the api version and the chat wire from its options", async () => {
  server.queue(answer("ok"));
  await ask(await modelAt(server, "azure", { options: { apiVersion: "2026-01-01", wire: "chat" } }));
  expect(server.requests().at(-1)?.path).toBe("/openai/v1/chat/completions?api-version=2026-01-01");
});

test("bedrock signs with an access key when it has no bearer key", async () => {
  server.queue(answer("ok"));
  const options = { region: "eu-central-1", accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI" };
  await ask(await modelAt(server, "bedrock", { key: null, options }));
  expect(server.requests().at(-1)?.headers["authorization"]).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/.*eu-central-1/,
  );
  expect(JSON.stringify(server.requests().at(-1)?.body)).not.toContain("wJalrXUtnFEMI");
});

describe("thoughts", () => {
  const withThought = [
    "anthropic",
    "openai-responses",
    "google",
    "vertex",
    "bedrock",
    "openai-chat",
  ] as const satisfies ApiName[];

  test.each(withThought)("%s: a thought comes with its proof and goes back to the same model only", async (api) => {
    server.queue(
      {
        do: "answer",
        thought: "hmm, let me see",
        signature: "PROOF",
        calls: [{ name: "read", input: '{"path":"a"}' }],
      },
      answer("ok"),
      answer("ok"),
    );
    const model = await modelAt(server, api);
    const parts = await ask(model, { thinking: "medium" });
    const content = parts.flatMap((part) => (part.kind === "part" ? [part.part] : []));
    expect(content[0]).toMatchObject({
      kind: "thought",
      text: "hmm, let me see",
      meta: { api, model: expect.any(String) },
    });
    const call = content.find(({ kind }) => kind === "call");
    const callId = call?.kind === "call" ? call.callId : "";
    const messages = [
      { role: "user", content: [{ kind: "text", text: "hello" }] },
      { role: "assistant", content },
      { role: "tool", results: [{ callId, name: "read", content: [{ kind: "text", text: "done" }], isError: false }] },
    ] as const;
    await ask(model, { messages, thinking: "medium" });
    const sent = JSON.stringify(server.requests().at(-1)?.body);
    expect(sent).toContain("hmm, let me see");
    if (api !== "openai-chat") expect(sent).toContain("PROOF");
    const other = { ...(await modelAt(server, api === "anthropic" ? "openai-chat" : "anthropic")) };
    await ask(other, { messages });
    expect(JSON.stringify(server.requests().at(-1)?.body)).not.toContain("let me see");
  });
});
