import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { allParts, READ, request } from "../../../../test/engine/model-server/ask.ts";
import type { AnswerPart, Message, ModelPart, ModelRequest } from "../../model.ts";
import { createScriptModel } from "./script-model.ts";

const model = createScriptModel({ paceMs: 0 });
const TOOLS = ["read", "write", "edit", "terminal", "ask_user"].map((name) => ({ ...READ, name }));

function asked(messages: readonly Message[], more: Partial<ModelRequest> = {}): Promise<readonly ModelPart[]> {
  return allParts(model.stream(request({ messages, tools: TOOLS, ...more }), new AbortController().signal));
}

/** Plays a script to its end, answering every call with `result of NAME`. */
async function played(script: string): Promise<readonly (readonly AnswerPart[])[]> {
  const messages: Message[] = [{ role: "user", content: [{ kind: "text", text: script }] }];
  const steps: (readonly AnswerPart[])[] = [];
  for (let step = 0; step < 20; step += 1) {
    const parts = await asked(messages);
    const content = parts.flatMap((part) => (part.kind === "part" ? [part.part] : []));
    steps.push(content);
    const calls = content.filter((part) => part.kind === "call");
    const end = parts.at(-1);
    if (end?.kind === "end" && end.stop === "stop") return steps;
    messages.push({ role: "assistant", content });
    const results = calls.map(({ callId, name }) => ({
      callId,
      name,
      content: [{ kind: "text", text: `result of ${name}` }] as const,
      isError: false,
    }));
    messages.push({ role: "tool", results });
  }
  throw new Error("the script does not end");
}

const input = (part: AnswerPart | undefined): unknown =>
  part?.kind === "call" ? { name: part.name, ...JSON.parse(part.input) } : null;

describe("a script", () => {
  test("runs one call an answer, with the words before it, and goes on after its result", async () => {
    const steps = await played(
      "think about it\nsay first\nread a.txt\nwrite b.txt hello\\nworld\nedit b.txt hello => bye\nrun ls -la\nask Really?\nsay done",
    );
    expect(steps.map((step) => step.map(({ kind }) => kind))).toEqual([
      ["thought", "text", "call"],
      ["call"],
      ["call"],
      ["call"],
      ["call"],
      ["text"],
    ]);
    expect(steps.slice(0, 5).map((step) => input(step.at(-1)))).toEqual([
      { name: "read", path: "a.txt" },
      { name: "write", path: "b.txt", content: "hello\nworld" },
      { name: "edit", path: "b.txt", edits: [{ old: "hello", new: "bye" }] },
      { name: "terminal", command: "ls -la" },
      { name: "ask_user", question: "Really?" },
    ]);
    const ids = steps.flatMap((step) => step.flatMap((part) => (part.kind === "call" ? [part.callId] : [])));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("parallel calls until a blank line are one answer", async () => {
    const steps = await played("parallel\nread a\nread b\nread c\n\nread d\nsay end");
    expect(steps.map((step) => step.length)).toEqual([3, 1, 1]);
  });

  test("a script that ends with a call is closed with a word", async () => {
    expect((await played("read a")).at(-1)).toEqual([{ kind: "text", text: "Done." }]);
  });

  test("what is no command is echoed in small pieces, and lines of text are one part", async () => {
    const parts = await asked([
      { role: "user", content: [{ kind: "text", text: "Please tell me what this is\nand this" }] },
    ]);
    expect(parts.filter(({ kind }) => kind === "delta").length).toBeGreaterThan(2);
    expect(parts.at(-2)).toEqual({
      kind: "part",
      part: { kind: "text", text: "Please tell me what this is\nand this" },
    });
  });

  test("call takes any tool and any text as its input", async () => {
    const steps = await played('call git_log {"max":3}\ncall broken {"x":');
    expect(steps[0]?.[0]).toMatchObject({ kind: "call", name: "git_log", input: '{"max":3}' });
    expect(steps[1]?.[0]).toMatchObject({ kind: "call", name: "broken", input: '{"x":' });
  });

  test("only what stands behind @script is played", async () => {
    expect(await played("a long introduction\n@script\nsay hi")).toEqual([[{ kind: "text", text: "hi" }]]);
  });

  test.each(["overflow", "rate_limit", "auth"] as const)("fail %s throws that class", async (errorClass) => {
    await expect(
      asked([{ role: "user", content: [{ kind: "text", text: `say so far\nfail ${errorClass}` }] }]),
    ).rejects.toMatchObject({ errorClass });
  });
});

test("recall says the last code word of the whole conversation", async () => {
  const messages: readonly Message[] = [
    { role: "user", content: [{ kind: "text", text: "remember CODEWORD=alpha" }] },
    { role: "assistant", content: [{ kind: "call", callId: "c", name: "read", input: "{}" }] },
    {
      role: "tool",
      results: [{ callId: "c", name: "read", content: [{ kind: "text", text: "CODEWORD=beta-7" }], isError: false }],
    },
    { role: "user", content: [{ kind: "text", text: "recall" }] },
  ];
  expect((await asked(messages)).at(-2)).toMatchObject({ part: { text: "The code word is beta-7." } });
});

test("a summary before the prompt is known and not played", async () => {
  const content = ["What came of it:\n<left-branch>\nCODEWORD=elm\n</left-branch>", "recall"].map((text) => ({
    kind: "text" as const,
    text,
  }));
  expect((await asked([{ role: "user", content }])).at(-2)).toMatchObject({ part: { text: "The code word is elm." } });
});

test("a request without tools gets a summary with every code word", async () => {
  const messages: readonly Message[] = [
    { role: "user", content: [{ kind: "text", text: "CODEWORD=a then CODEWORD=b then CODEWORD=a" }] },
  ];
  const parts = await asked(messages, { tools: [] });
  expect(parts.at(-2)).toMatchObject({ part: { text: "A summary of 1 messages. CODEWORD=a CODEWORD=b" } });
});

test("a schema gets the smallest value that fits it", async () => {
  const schema = {
    type: "object",
    properties: { done: { type: "boolean" }, why: { type: "string" }, n: { type: "integer", minimum: 1 } },
    required: ["done", "why", "n"],
  };
  expect((await asked([], { schema })).at(-2)).toMatchObject({ part: { text: '{"done":false,"why":"","n":1}' } });
});

test("a sleep in the middle is ended by an abort, with its reason", async () => {
  const ending = new AbortController();
  const reason = new Error("stop");
  const messages: readonly Message[] = [
    { role: "user", content: [{ kind: "text", text: "say begun\nsleep 60000\nsay never" }] },
  ];
  const playing = allParts(model.stream(request({ messages, tools: TOOLS }), ending.signal));
  const failed = expect(playing).rejects.toBe(reason);
  await sleep(20);
  ending.abort(reason);
  await failed;
});

test("usage counts four characters a token, and what was asked before as cached", async () => {
  const usage = async (messages: readonly Message[]) => {
    const end = (await asked(messages, { system: "s".repeat(400), tools: [] })).at(-1);
    return end?.kind === "end" ? end.usage : null;
  };
  const first: Message = { role: "user", content: [{ kind: "text", text: "u".repeat(100) }] };
  expect(await usage([first])).toMatchObject({ input: 125, cacheRead: 0 });
  const next: readonly Message[] = [
    first,
    { role: "assistant", content: [{ kind: "text", text: "a".repeat(40) }] },
    first,
  ];
  expect(await usage(next)).toMatchObject({ cacheRead: 125, input: 35 });
});
