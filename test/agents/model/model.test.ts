import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScriptedModel, startModel } from "./server.ts";

let model: ScriptedModel;
beforeAll(async () => {
  model = await startModel();
});
afterAll(() => model[Symbol.asyncDispose]());

const PROMPT = "Remember CODEWORD=plum7\n@script\nwrite /a.txt hello\nrecall";
const SCHEMA = { type: "object", properties: { path: { type: "string" }, content: { type: "string" } } };

async function ask(path: string, body: object): Promise<string> {
  const response = await fetch(`${model.url}${path}`, { method: "POST", body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return response.text();
}

/** Each vendor's first request, and the one after the tool has run. */
const VENDORS = {
  anthropic: (isDone: boolean) =>
    ask("/v1/messages?beta=true", {
      stream: true,
      tools: [{ name: "Write", input_schema: SCHEMA }],
      messages: [
        { role: "user", content: [{ type: "text", text: PROMPT }] },
        ...(isDone ? [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "written" }] }] : []),
      ],
    }),
  chat: (isDone: boolean) =>
    ask("/v1/chat/completions", {
      stream: true,
      tools: [{ type: "function", function: { name: "write", parameters: SCHEMA } }],
      messages: [
        { role: "user", content: PROMPT },
        ...(isDone ? [{ role: "tool", tool_call_id: "t", content: "written" }] : []),
      ],
    }),
  responses: (isDone: boolean) =>
    ask("/v1/responses", {
      stream: true,
      tools: [{ type: "function", name: "write", parameters: SCHEMA }],
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: PROMPT }] },
        ...(isDone ? [{ type: "function_call_output", call_id: "t", output: "written" }] : []),
      ],
    }),
  gemini: (isDone: boolean) =>
    ask("/v1beta/models/scripted:streamGenerateContent?alt=sse", {
      tools: [{ functionDeclarations: [{ name: "write_file", parametersJsonSchema: SCHEMA }] }],
      contents: [
        { role: "user", parts: [{ text: PROMPT }] },
        ...(isDone ? [{ role: "user", parts: [{ functionResponse: { name: "w", response: { output: "x" } } }] }] : []),
      ],
    }),
};

for (const [vendor, speak] of Object.entries(VENDORS))
  test(`${vendor}: the prompt's script runs step by step, over as many requests as it needs`, async () => {
    const call = await speak(false);
    expect(call.replaceAll("\\", "")).toContain('"path":"/a.txt","content":"hello"');
    expect(await speak(true)).toContain("the code word is plum7");
  });

test("a request without tools gets no tool call: agents ask for titles this way", async () => {
  const answer = await ask("/v1/chat/completions", { stream: false, messages: [{ role: "user", content: PROMPT }] });
  expect(JSON.parse(answer)).toMatchObject({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] });
});

test("a slow answer starts, waits, and is dropped when the client disconnects", async () => {
  const abort = new AbortController();
  const tools = [{ name: "Write", input_schema: SCHEMA }];
  const messages = [{ role: "user", content: "@script\nslow 60000" }];
  const body = JSON.stringify({ stream: true, tools, messages });
  const response = await fetch(`${model.url}/v1/messages`, { method: "POST", body, signal: abort.signal });
  const reader = response.body?.getReader();
  let text = "";
  while (!text.includes("thinking")) text += new TextDecoder().decode((await reader?.read())?.value);
  await expect.poll(() => model.pausing()).toBe(1);
  abort.abort();
  await expect.poll(() => model.pausing()).toBe(0);
});
