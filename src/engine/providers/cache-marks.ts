import type { LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ApiName } from "./settings.ts";

/** What says "cache the prompt up to here", or undefined for providers that find the prefix by themselves. */
export function cacheMark(api: ApiName, modelId: string): SharedV4ProviderOptions | undefined {
  if (api === "anthropic") return { anthropic: { cacheControl: { type: "ephemeral" } } };
  if (api === "bedrock" && /anthropic\.|amazon\.nova/.test(modelId))
    return { amazonBedrock: { cachePoint: { type: "default" } } };
  return undefined;
}

/**
 * Marks the system prompt and two messages; the last tool is marked with the tools, which makes four, as many as Anthropic
 * allows. Anthropic looks back 20 blocks from a mark, and a step with many calls is longer: so the second message is the
 * one at which the request before this one ended, where the cache was written.
 */
export function markPrompt(
  prompt: readonly LanguageModelV4Message[],
  mark: SharedV4ProviderOptions | undefined,
): LanguageModelV4Message[] {
  if (mark === undefined) return [...prompt];
  const answer = prompt.findLastIndex(({ role }) => role === "assistant");
  const isInput = ({ role }: LanguageModelV4Message): boolean => role === "user" || role === "tool";
  const marked = new Set([
    prompt.findIndex(({ role }) => role === "system"),
    prompt.findLastIndex(isInput),
    prompt.findLastIndex((message, at) => at < answer && isInput(message)),
  ]);
  return prompt.map((message, at) => (marked.has(at) ? { ...message, providerOptions: mark } : message));
}
