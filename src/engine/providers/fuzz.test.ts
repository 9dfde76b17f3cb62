import fc from "fast-check";
import { expect, test } from "vitest";
import { APIS, allParts, request } from "../../../test/engine/model-server/ask.ts";
import { anthropicFormat } from "../../../test/engine/model-server/format-anthropic.ts";
import { bedrockFormat } from "../../../test/engine/model-server/format-bedrock.ts";
import { chatFormat } from "../../../test/engine/model-server/format-chat.ts";
import { geminiFormat } from "../../../test/engine/model-server/format-gemini.ts";
import { responsesFormat } from "../../../test/engine/model-server/format-responses.ts";
import { ModelError, type ModelPart } from "../model.ts";
import { createModel } from "./create-model.ts";
import type { ApiName } from "./settings.ts";

/** One api for each package and each format that it reads. */
const FORMATS = [
  ["anthropic", anthropicFormat],
  ["openai", chatFormat],
  ["openai-chat", chatFormat],
  ["mistral", chatFormat],
  ["openai-responses", responsesFormat],
  ["google", geminiFormat],
  ["bedrock", bedrockFormat],
] as const;

const RECORDED = {
  do: "answer",
  thought: "let me think",
  signature: "PROOF",
  text: "Hello, wörld",
  calls: [{ name: "read", input: '{"path":"a.txt"}' }],
} as const;
const USAGE = { input: 10, output: 5, cacheRead: 2 };

function recorded(format: (typeof FORMATS)[number][1]): Uint8Array {
  return Buffer.concat(format.events(RECORDED, USAGE, 1).map((event) => Buffer.from(event)));
}

/** Feeds bytes as the body of an answer, in chunks of odd sizes. */
async function fed(api: ApiName, contentType: string, bytes: Uint8Array, chunk: number): Promise<readonly ModelPart[]> {
  const fetch = async (): Promise<Response> => {
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at + chunk));
        at += chunk;
      },
    });
    return new Response(body, { status: 200, headers: { "content-type": contentType } });
  };
  const model = APIS.find((one) => one.api === api)?.model ?? "x";
  const asked = await createModel(
    `fuzz/${model}`,
    { api, key: "k", baseUrl: "http://127.0.0.1:9/v1", options: { region: "x" } },
    { fetch, limits: { stallMs: 2000 } },
  );
  return allParts(asked.stream(request(), new AbortController().signal));
}

/** The only ways for a stream to end: with one end part at its end, or with a model error. */
async function endsWell(api: ApiName, contentType: string, bytes: Uint8Array, chunk: number): Promise<void> {
  try {
    const parts = await fed(api, contentType, bytes, chunk);
    expect(parts.filter(({ kind }) => kind === "end").length).toBe(1);
    expect(parts.at(-1)?.kind).toBe("end");
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
  }
}

test.each(FORMATS)("%s: the recorded stream is read whole, whatever the chunks", async (api, format) => {
  const bytes = recorded(format);
  const whole = await fed(api, format.contentType, bytes, bytes.length);
  expect(whole.at(-1)).toMatchObject({ kind: "end", stop: "tool_calls" });
  for (const chunk of [1, 3, 17, 100]) {
    const parts = (await fed(api, format.contentType, bytes, chunk)).filter(({ kind }) => kind !== "delta");
    expect(JSON.stringify(parts).replaceAll(/"callId":"[^"]*"/g, "")).toBe(
      JSON.stringify(whole.filter(({ kind }) => kind !== "delta")).replaceAll(/"callId":"[^"]*"/g, ""),
    );
  }
});

const mutation = fc.record({
  kind: fc.constantFrom("flip", "cut", "drop", "repeat", "insert", "swap"),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 200 }),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 30 }),
    fc
      .constantFrom(
        "null",
        "{}",
        "[]",
        '"x"',
        "-1",
        "\n\n",
        "data: ",
        '{"error":{}}',
        "1e999",
        '"\\ud800"',
        "event: error\n",
      )
      .map((text) => Buffer.from(text)),
  ),
});

function mutated(
  bytes: Uint8Array,
  { kind, at, length, bytes: more }: { kind: string; at: number; length: number; bytes: Uint8Array },
): Uint8Array {
  const place = Math.floor(at * bytes.length);
  const before = bytes.subarray(0, place);
  const after = bytes.subarray(place);
  switch (kind) {
    case "flip": {
      const copy = Uint8Array.from(bytes);
      copy[place] = (copy[place] ?? 0) ^ (1 << (length % 8));
      return copy;
    }
    case "cut":
      return before;
    case "drop":
      return Buffer.concat([before, after.subarray(length)]);
    case "repeat":
      return Buffer.concat([before, after.subarray(0, length), after]);
    case "swap":
      return Buffer.concat([before, more, after.subarray(more.length)]);
    default:
      return Buffer.concat([before, more, after]);
  }
}

test.each(FORMATS)("%s: a mutated stream ends, with an end part or a model error", async (api, format) => {
  const bytes = recorded(format);
  const mutations = fc.array(mutation, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(mutations, fc.integer({ min: 1, max: 400 }), (changes, chunk) =>
      endsWell(api, format.contentType, changes.reduce(mutated, bytes), chunk),
    ),
    { numRuns: 120 },
  );
});

test.each(FORMATS)(
  "%s: values of an event replaced by others never hang or throw anything else",
  async (api, format) => {
    if (api === "bedrock") return;
    const events = format.events(RECORDED, USAGE, 1).map(String);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.json({ maxDepth: 1 }), async (which, place, json) => {
        const changed = events.map((event, at) =>
          at === which % events.length ? replaceValue(event, place, json) : event,
        );
        await endsWell(api, format.contentType, Buffer.from(changed.join("")), 1000);
      }),
      { numRuns: 80 },
    );
  },
);

/** Replaces one of the values in the JSON of an event. */
function replaceValue(event: string, place: number, json: string): string {
  const values = [...event.matchAll(/:("(?:[^"\\]|\\.)*"|-?\d+|true|false|null|\{\}|\[\])/g)];
  const value = values[place % Math.max(1, values.length)];
  return value === undefined
    ? event
    : `${event.slice(0, value.index + 1)}${json}${event.slice(value.index + value[0].length)}`;
}

test.each(FORMATS)("%s: random bytes end with a model error", async (api, format) => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), (bytes) => endsWell(api, format.contentType, bytes, 64)),
    { numRuns: 40 },
  );
});
