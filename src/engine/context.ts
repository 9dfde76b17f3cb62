import type { LoadedEvent } from "../turns/index.ts";
import type { EngineContext } from "./engine.ts";
import type { ModelRef, ServedSpec } from "./link/protocol.ts";
import { createModel } from "./providers/index.ts";
import { servedTools, TOOLS, toolSpecs } from "./tools/index.ts";
import { contextParts } from "./view/context-parts.ts";
import { pathEvent } from "./view/path-event.ts";
import { contextTokens } from "./view/tokens.ts";
import { createTranscript } from "./view/transcript.ts";

/** What the next request of a session would contain, part by part. */
export async function contextOf(
  history: readonly LoadedEvent[],
  ref: ModelRef,
  served: readonly ServedSpec[],
): Promise<EngineContext> {
  const transcript = createTranscript();
  for (const event of history) transcript.add(pathEvent(event));
  const tools = toolSpecs([...TOOLS, ...servedTools(served)]);
  const { name, windowTokens } = await createModel(ref.name, ref.settings);
  return {
    parts: contextParts(transcript, tools),
    tokens: contextTokens(transcript, { model: name, tools }),
    window: windowTokens,
    model: name,
  };
}
