import { createHash } from "node:crypto";
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { z } from "zod";
import type { AnswerPart, CallResult, Image, Message, Meta, ModelRequest, Text } from "../model.ts";
import { cacheMark, markPrompt } from "./cache-marks.ts";
import type { ApiName, ProviderSettings } from "./settings.ts";

export interface PromptSubject {
  readonly settings: ProviderSettings;
  readonly modelId: string;
  readonly takesImages: boolean;
}

/** The conversation as the packages want it. The same conversation always gives the same prompt: caches depend on it. */
export function promptOf(
  request: Pick<ModelRequest, "system" | "messages">,
  subject: PromptSubject,
): LanguageModelV4Prompt {
  const system: LanguageModelV4Message[] = request.system === "" ? [] : [{ role: "system", content: request.system }];
  const prompt = [...system, ...request.messages.flatMap((message) => messageOf(message, subject))];
  return markPrompt(prompt, cacheMark(subject.settings.api, subject.modelId));
}

function messageOf(message: Message, subject: PromptSubject): readonly LanguageModelV4Message[] {
  switch (message.role) {
    case "user": {
      const content = message.content.flatMap((part) => inputPart(part, subject));
      // Providers reject a message without content.
      return [{ role: "user", content: content.length > 0 ? content : [{ type: "text", text: "(empty)" }] }];
    }
    case "assistant": {
      const content = message.content.flatMap((part) => answerPart(part, subject));
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool":
      return toolMessages(message.results, subject);
  }
}

type InputPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

function inputPart(part: Text | Image, { takesImages }: PromptSubject): readonly InputPart[] {
  if (part.kind === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  if (!takesImages) return [{ type: "text", text: `[an image (${part.mediaType}) that this model cannot see]` }];
  return [{ type: "file", mediaType: part.mediaType, data: { type: "data", data: part.base64 } }];
}

type AnswerContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

function answerPart(part: AnswerPart, subject: PromptSubject): AnswerContent {
  const { settings, modelId } = subject;
  const isOwn = part.meta?.api === settings.api && part.meta.model === modelId;
  const meta = isOwn ? metaOptions(part.meta) : {};
  switch (part.kind) {
    case "text":
      return part.text === "" && !("providerOptions" in meta) ? [] : [{ type: "text", text: part.text, ...meta }];
    case "thought":
      // Another model cannot check the signature, and would take the thought for something that was said.
      return isOwn && settings.options?.["sendThoughts"] !== false
        ? [{ type: "reasoning", text: part.text, ...meta }]
        : [];
    case "call":
      return [
        {
          type: "tool-call",
          toolCallId: wireCallId(settings.api, part.callId),
          toolName: part.name,
          input: inputOf(part.input),
          ...meta,
        },
      ];
  }
}

const Options = z.record(z.string(), z.record(z.string(), z.json()));

function metaOptions(meta: Meta | undefined): { readonly providerOptions?: SharedV4ProviderOptions } {
  const read = Options.safeParse(meta?.data);
  return read.success ? { providerOptions: read.data } : {};
}

const Input = z.record(z.string(), z.json());

/** All providers want an object. What the model wrote instead stays visible to it, so that it can see its mistake. */
function inputOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const read = Input.safeParse(JSON.parse(text === "" ? "{}" : text));
    if (read.success) return read.data;
  } catch {
    // Falls through to the text as it was written.
  }
  return { invalid_json: text };
}

/** Apis whose tool results may hold images. For the others the images follow in a message of the user. */
const IMAGES_IN_RESULTS: ReadonlySet<ApiName> = new Set([
  "anthropic",
  "openai-responses",
  "azure",
  "google",
  "vertex",
  "bedrock",
]);

function toolMessages(results: readonly CallResult[], subject: PromptSubject): readonly LanguageModelV4Message[] {
  if (results.length === 0) return [];
  const { settings, takesImages } = subject;
  const inline = IMAGES_IN_RESULTS.has(settings.api) && settings.options?.["wire"] !== "chat";
  const content = results.map((result) => ({
    type: "tool-result" as const,
    toolCallId: wireCallId(settings.api, result.callId),
    toolName: result.name,
    output: outputOf(result, inline, subject),
  }));
  const images = inline || !takesImages ? [] : results.flatMap((result) => imagesAfter(result, subject));
  return [{ role: "tool", content }, ...(images.length === 0 ? [] : [{ role: "user" as const, content: images }])];
}

function outputOf(result: CallResult, inline: boolean, subject: PromptSubject): LanguageModelV4ToolResultOutput {
  const parts = result.content.flatMap((part) => inputPart(part, subject));
  const hasImage = parts.some(({ type }) => type === "file");
  if (hasImage && inline) return { type: "content", value: parts };
  const text =
    parts.map((part) => (part.type === "text" ? part.text : "[the image follows]")).join("\n") || "(no output)";
  return { type: result.isError ? "error-text" : "text", value: text };
}

function imagesAfter(result: CallResult, subject: PromptSubject): readonly InputPart[] {
  const images = result.content.filter(({ kind }) => kind === "image").flatMap((part) => inputPart(part, subject));
  return images.length === 0 ? [] : [{ type: "text", text: `Images of the result of ${result.name}:` }, ...images];
}

/** A conversation may come from another provider, whose ids have another form. The same id always becomes the same. */
function wireCallId(api: ApiName, callId: string): string {
  if (api === "mistral") return /^[a-zA-Z0-9]{9}$/.test(callId) ? callId : digest(callId, 9);
  const isPlain = /^[a-zA-Z0-9_-]{1,64}$/.test(callId);
  return isPlain && (callId.length <= 40 || !CHAT_APIS.has(api)) ? callId : `call_${digest(callId, 24)}`;
}

/** They take ids of at most 40 characters. */
const CHAT_APIS: ReadonlySet<ApiName> = new Set(["openai", "openai-chat", "openrouter", "ollama", "copilot"]);

function digest(text: string, chars: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, chars);
}
