import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { APIS, ask, modelAt, READ } from "./ask.ts";
import { answer, failing, type ModelServer, startModelServer } from "./index.ts";
import { createPromptCache } from "./prompt-cache.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
beforeEach(() => server.clear());
afterAll(() => server[Symbol.asyncDispose]());

const script = (text: string) => ({
  messages: [{ role: "user", content: [{ kind: "text", text: `@script\n${text}` }] }] as const,
});

describe.each(APIS.filter(({ api }) => api !== "bedrock").map(({ api }) => api))("%s", (api) => {
  test("without an order the script in the prompt is followed", async () => {
    const model = await modelAt(server, api);
    const first = (await ask(model, { ...script('call read {"path":"a"}\nsay bye'), tools: [READ] })).flatMap((part) =>
      part.kind === "part" ? [part.part] : [],
    );
    expect(first).toMatchObject([{ kind: "call", name: "read" }]);
    const callId = first[0]?.kind === "call" ? first[0].callId : "";
    const results = [{ callId, name: "read", content: [{ kind: "text", text: "x" }] as const, isError: false }];
    const messages = [
      ...script('call read {"path":"a"}\nsay bye').messages,
      { role: "assistant", content: first },
      { role: "tool", results },
    ] as const;
    expect((await ask(model, { messages })).find(({ kind }) => kind === "part")).toMatchObject({
      part: { text: "bye" },
    });
  });
});

test("orders are taken in their order, then the decision, then the script", async () => {
  const model = await modelAt(server, "openai-chat");
  const text = async () => (await ask(model)).flatMap((part) => (part.kind === "delta" ? [part.text] : [])).join("");
  server.queue(answer("one"), answer("two"));
  server.decide(({ path }) => answer(`decided for ${path}`));
  expect([await text(), await text(), await text()]).toEqual(["one", "two", "decided for /v1/chat/completions"]);
  server.decide(null);
  expect(await text()).toBe("ok");
});

test("requests are kept with their body, size and time", async () => {
  const model = await modelAt(server, "openai-chat");
  server.queue(failing(500));
  await ask(model).catch(() => undefined);
  const seen = server.requests().at(-1);
  expect(seen).toMatchObject({ method: "POST", format: "chat", body: { model: "scripted", stream: true } });
  expect(seen?.bytes).toBeGreaterThan(100);
  expect(performance.now() - (seen?.atMs ?? 0)).toBeLessThan(10_000);
});

test("a slow answer shows as answering until it is cut", async () => {
  const model = await modelAt(server, "openai-chat");
  const ending = new AbortController();
  const asking = ask(model, script("slow 60000"), ending.signal).catch(() => "cut");
  for (let tries = 0; server.answering() === 0 && tries < 100; tries += 1) await sleep(5);
  expect(server.answering()).toBe(1);
  ending.abort();
  expect(await asking).toBe("cut");
  for (let tries = 0; server.answering() > 0 && tries < 100; tries += 1) await sleep(5);
  expect(server.answering()).toBe(0);
});

test("a wire that is not served is not found", async () => {
  await using some = await startModelServer({ wires: ["anthropic"] });
  await expect(ask(await modelAt(some, "openai-chat"))).rejects.toMatchObject({ errorClass: "invalid", status: 404 });
});

describe("the prompt cache", () => {
  const block = (text: string, mark = false) => ({
    type: "text",
    text: text.padEnd(400, "."),
    ...(mark ? { cache_control: { type: "ephemeral" } } : {}),
  });
  const body = (...content: readonly object[]) => ({ messages: [{ role: "user", content }] });

  test("reads what was written at a mark, up to twenty blocks back", () => {
    const cache = createPromptCache();
    expect(cache(body(block("a"), block("b", true), block("c")), 0).cacheRead).toBe(0);
    const again = cache(body(block("a"), block("b"), block("c"), block("d", true)), 0);
    expect(again.cacheRead).toBeGreaterThan(200);
    const far = Array.from({ length: 25 }, (_unused, at) => block(`x${at}`, at === 24));
    expect(cache(body(block("a"), block("b"), block("c"), ...far), 0).cacheRead).toBe(0);
    expect(() => cache(body(...[1, 2, 3, 4, 5].map((n) => block(String(n), true))), 0)).toThrow("5 cache marks");
  });
});
