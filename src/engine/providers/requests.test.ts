import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask, modelAt, READ } from "../../../test/engine/model-server/ask.ts";
import { answer, calling, type ModelServer, startModelServer } from "../../../test/engine/model-server/index.ts";
import { proves } from "../../../test/support/proves.ts";
import type { Message, Usage } from "../model.ts";
import type { ApiName } from "./settings.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
beforeEach(() => server.clear());
afterAll(() => server[Symbol.asyncDispose]());

async function bodyOf(
  api: ApiName,
  more: Parameters<typeof ask>[1] = {},
  settings: Parameters<typeof modelAt>[2] = {},
): Promise<Record<string, unknown>> {
  server.queue(answer("ok"));
  await ask(await modelAt(server, api, settings), more);
  return JSON.parse(JSON.stringify(server.requests().at(-1)?.body));
}

describe("prompt caching", () => {
  test("anthropic: marks on the last tool, the system and the last messages, four at most", async () => {
    const messages: readonly Message[] = [user("one"), said("two"), user("three"), said("four"), user("five")];
    const body = await bodyOf("anthropic", { messages, tools: [READ, { ...READ, name: "write" }] });
    const marked = [...JSON.stringify(body).matchAll(/"cache_control":\{"type":"ephemeral"\}/g)];
    expect(marked.length).toBe(4);
    expect(body["tools"]).toMatchObject([{ name: "read" }, { name: "write", cache_control: { type: "ephemeral" } }]);
    expect(body["system"]).toMatchObject([{ cache_control: { type: "ephemeral" } }]);
    const texts = JSON.stringify(body["messages"]);
    expect(texts).toMatch(/"five","cache_control"/);
    expect(texts).toMatch(/"three","cache_control"/);
  });

  proves("MOD-2", "anthropic: over a turn of 50 steps more than 95 % of the prompt comes from the cache", async () => {
    const model = await modelAt(server, "anthropic");
    const messages: Message[] = [user("do it")];
    const sum: Usage[] = [];
    for (let step = 0; step < 50; step += 1) {
      // Every tenth step has more blocks than the provider looks back.
      const calls = Array.from({ length: step % 10 === 9 ? 30 : 2 }, (_unused, at) => ({
        ...{ id: `c${step}_${at}`, name: "read", input: JSON.stringify({ path: `file-${step}-${at}.ts` }) },
      }));
      server.queue(calling(...calls));
      const system = "You are a careful engineer. ".repeat(200);
      const parts = await ask(model, { system, messages });
      const content = parts.flatMap((part) => (part.kind === "part" ? [part.part] : []));
      const results = calls.map(({ id }) => ({
        callId: id,
        name: "read",
        content: [{ kind: "text", text: "line\n".repeat(60) }] as const,
        isError: false,
      }));
      messages.push({ role: "assistant", content }, { role: "tool", results });
      for (const part of parts) if (part.kind === "end") sum.push(part.usage);
    }
    const total = (key: keyof Usage) => sum.slice(1).reduce((all, usage) => all + usage[key], 0);
    const read = total("cacheRead");
    expect(read / (read + total("cacheWrite") + total("input"))).toBeGreaterThan(0.95);
    expect(sum.slice(1).every(({ cacheRead }) => cacheRead > 0)).toBe(true);
  });

  proves("MOD-2", "the prefix of a conversation does not change when it grows", async () => {
    const first = await bodyOf("openai-chat", { messages: [user("one"), said("two"), user("three")] });
    const second = await bodyOf("openai-chat", {
      messages: [user("one"), said("two"), user("three"), said("four"), user("five")],
    });
    const sent = (body: Record<string, unknown>) => JSON.stringify(body["messages"]).slice(0, -1);
    expect(sent(second).startsWith(sent(first))).toBe(true);
  });

  test("the session's key goes where a provider routes by it", async () => {
    expect(await bodyOf("openai-responses")).toMatchObject({ prompt_cache_key: "session-1", store: false });
    expect(await bodyOf("openai")).toMatchObject({ prompt_cache_key: "session-1" });
    expect(await bodyOf("mistral")).toMatchObject({ prompt_cache_key: "session-1" });
    expect(await bodyOf("openai-chat")).not.toHaveProperty("prompt_cache_key");
  });

  test("openrouter: marks for Anthropic's models stand at text parts", async () => {
    const body = await bodyOf("openrouter", { messages: [user("one"), said("two"), user("three")] });
    const mark = { cache_control: { type: "ephemeral" } };
    expect(body["messages"]).toMatchObject([
      { role: "system", content: [{ type: "text", ...mark }] },
      { role: "user", content: [{ type: "text", text: "one", ...mark }] },
      { role: "assistant", content: "two" },
      { role: "user", content: [{ type: "text", text: "three", ...mark }] },
    ]);
  });

  test("bedrock: cache points for Anthropic's models", async () => {
    const body = await bodyOf("bedrock", { messages: [user("one")] });
    expect(JSON.stringify(body).match(/cachePoint/g)?.length).toBeGreaterThanOrEqual(2);
  });
});

describe("thinking levels", () => {
  test("anthropic gets a budget or none", async () => {
    expect(await bodyOf("anthropic", { thinking: "off" })).toMatchObject({ thinking: { type: "disabled" } });
    expect(await bodyOf("anthropic", { thinking: "low" })).toMatchObject({ thinking: { type: "enabled" } });
    const budget = async (thinking: "low" | "high") =>
      JSON.stringify((await bodyOf("anthropic", { thinking }))["thinking"]).match(/\d+/)?.[0];
    expect(Number(await budget("high"))).toBeGreaterThan(Number(await budget("low")));
  });

  test("openai gets an effort, and the encrypted thoughts are asked for", async () => {
    const body = await bodyOf("openai-responses", { thinking: "high" });
    expect(body).toMatchObject({ reasoning: { effort: "high" }, include: ["reasoning.encrypted_content"] });
    expect(await bodyOf("openai", { thinking: "low" })).toMatchObject({ reasoning_effort: "low" });
  });

  test("a compatible endpoint gets an effort only when one is asked for", async () => {
    expect(await bodyOf("openai-chat", { thinking: "medium" })).toMatchObject({ reasoning_effort: "medium" });
    expect(await bodyOf("openai-chat", { thinking: "off" })).not.toHaveProperty("reasoning_effort");
  });

  test("google gets a budget and shows its thoughts", async () => {
    expect(await bodyOf("google", { thinking: "medium" })).toMatchObject({
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: expect.any(Number) } },
    });
  });
});

test.each(["anthropic", "openai", "openai-responses", "openai-chat", "google", "mistral"] as const)(
  "%s: a schema is sent",
  async (api) => {
    const schema = {
      type: "object",
      properties: { mark: { type: "string" } },
      required: ["mark"],
      additionalProperties: false,
    };
    expect(JSON.stringify(await bodyOf(api, { schema, tools: [] }))).toContain('"mark"');
  },
);

test("limits and options are sent as configured", async () => {
  expect(await bodyOf("anthropic")).toMatchObject({ max_tokens: 64_000 });
  expect(await bodyOf("anthropic", { outputTokensMax: 77 })).toMatchObject({ max_tokens: 77 });
  expect(await bodyOf("openai-chat")).not.toHaveProperty("max_tokens");
  expect(await bodyOf("openai-chat", {}, { options: { keep_alive: "10m", includeUsage: false } })).toMatchObject({
    keep_alive: "10m",
  });
  expect(await bodyOf("openai-chat", {}, { options: { includeUsage: false } })).not.toHaveProperty("stream_options");
});

test("a model without eyes gets a note instead of an image", async () => {
  const messages: readonly Message[] = [
    { role: "user", content: [{ kind: "image", mediaType: "image/png", base64: "AAAA" }] },
  ];
  const body = await bodyOf("openai-chat", { messages }, { models: { scripted: { images: false } } });
  expect(JSON.stringify(body)).toContain("[an image (image/png) that this model cannot see]");
});

test("an empty message, an empty result and an empty answer do not break a request", async () => {
  const messages: readonly Message[] = [
    { role: "user", content: [] },
    { role: "assistant", content: [{ kind: "text", text: "" }] },
    { role: "user", content: [{ kind: "text", text: "go" }] },
    { role: "assistant", content: [{ kind: "call", callId: "c1", name: "read", input: "" }] },
    { role: "tool", results: [{ callId: "c1", name: "read", content: [], isError: false }] },
  ];
  const body = await bodyOf("anthropic", { messages });
  expect(JSON.stringify(body)).toContain("(no output)");
  expect(JSON.stringify(body)).not.toContain('"text":""');
});

function user(text: string): Message {
  return { role: "user", content: [{ kind: "text", text }] };
}

function said(text: string): Message {
  return { role: "assistant", content: [{ kind: "text", text }] };
}
