import { anthropicWire } from "../../agents/model/anthropic.ts";
import { chatWire } from "../../agents/model/chat.ts";
import { geminiWire } from "../../agents/model/gemini.ts";
import { responsesWire } from "../../agents/model/responses.ts";
import { nextReply } from "../../agents/model/script.ts";
import type { Wire } from "../../agents/model/wire.ts";
import type { Answering } from "./behaviour.ts";
import type { FormatName } from "./format.ts";

const WIRES: Readonly<Record<FormatName, Wire | null>> = {
  anthropic: anthropicWire,
  chat: chatWire,
  responses: responsesWire,
  gemini: geminiWire,
  bedrock: null,
};

/** What the `@script` in the prompt says; `ok` without one. Stateless: the conversation shows how far it has come. */
export function scriptedAnswer(format: FormatName, { body }: { readonly body: unknown }): Answering {
  const wire = WIRES[format];
  if (wire === null) return { do: "answer", text: "ok" };
  const reply = nextReply(wire.read(body));
  if (reply.is === "call")
    return { do: "answer", calls: [{ name: reply.tool.name, input: JSON.stringify(reply.input) }] };
  return { do: "answer", text: reply.text, ...(reply.pauseMs > 0 ? { pauseMs: reply.pauseMs } : {}) };
}
