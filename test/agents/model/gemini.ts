import { z } from "zod";
import type { Reply, Said } from "./script.ts";
import { PAUSE, pieces, type Wire } from "./wire.ts";

const Parameters = z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) }).optional();
const Part = z.looseObject({
  text: z.string().optional(),
  functionCall: z.unknown().optional(),
  functionResponse: z.looseObject({ response: z.unknown() }).optional(),
});
const Body = z.object({
  contents: z.array(z.object({ role: z.string().default("user"), parts: z.array(Part).default([]) })).default([]),
  tools: z
    .array(
      z.looseObject({
        functionDeclarations: z
          .array(z.looseObject({ name: z.string(), parameters: Parameters, parametersJsonSchema: Parameters }))
          .default([]),
      }),
    )
    .default([]),
  generationConfig: z.looseObject({ responseMimeType: z.string().optional() }).optional(),
});

/** Google's Gemini: `POST …:generateContent` and `:streamGenerateContent`. */
export const geminiWire: Wire = {
  matches: (method, path) => method === "POST" && /:(stream)?generateContent/i.test(path),
  wantsStream: (_body, path) => path.includes(":stream"),
  read: (body) => {
    const { contents, tools } = Body.parse(body);
    return {
      said: contents.flatMap(({ role, parts }) => parts.map((part) => saidIn(role, part))),
      tools: tools.flatMap(({ functionDeclarations }) =>
        functionDeclarations.map(({ name, parameters, parametersJsonSchema }) => ({
          name,
          properties: (parametersJsonSchema ?? parameters)?.properties ?? {},
        })),
      ),
    };
  },
  whole: (reply, body) => candidate([partOf(reply, body)], "STOP"),
  stream: function* (reply, body) {
    const event = (answer: object) => `data: ${JSON.stringify(answer)}\r\n\r\n`;
    if (reply.is === "call" || reply.pauseMs === 0) yield event(candidate([partOf(reply, body)], "STOP"));
    else {
      for (const piece of pieces(reply)) yield piece === PAUSE ? PAUSE : event(candidate([{ text: piece }]));
      yield event(candidate([{ text: "" }], "STOP"));
    }
  },
};

function candidate(parts: readonly object[], finishReason?: string): object {
  const content = { role: "model", parts };
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 };
  return {
    candidates: [{ index: 0, content, ...(finishReason === undefined ? {} : { finishReason }) }],
    usageMetadata,
  };
}

function partOf(reply: Reply, body: unknown): object {
  if (reply.is === "call") return { functionCall: { name: reply.tool.name, args: reply.input } };
  const wantsJson = Body.parse(body).generationConfig?.responseMimeType?.includes("json") === true;
  return { text: wantsJson ? ROUTED : reply.text };
}

/** Before the real request the agent asks a small model which model to use. */
const ROUTED = JSON.stringify({
  reasoning: "simple",
  model_choice: "flash",
  complexity_reasoning: "simple",
  complexity_score: 10,
});

function saidIn(role: string, part: z.infer<typeof Part>): Said {
  if (part.functionResponse !== undefined)
    return { is: "result", text: JSON.stringify(part.functionResponse.response ?? "") };
  if (part.functionCall !== undefined) return { is: "call" };
  return { is: role === "model" ? "model" : "person", text: part.text ?? "" };
}
