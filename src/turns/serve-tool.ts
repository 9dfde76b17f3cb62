import type { Json } from "../kernel/index.ts";
import type { TurnPort } from "./driver.ts";
import type { CallPlace, EffectResult } from "./effects.ts";
import type { ServedContent, ServedResult, ServedTool } from "./served-tool.ts";

/** `content` is null when the tool did not answer: it was refused, it threw, or an earlier run of the turn has done it. */
export interface Served {
  readonly effect: EffectResult;
  readonly content: readonly ServedContent[] | null;
  /** True: the turn needs no further answer of the model. */
  readonly ends?: true;
}

export interface ServedPlace extends CallPlace {
  /** The same when the call is made again after a cut, under another key of the ledger. Default: the key. */
  readonly once?: string;
}

/** Runs a tool of the daemon as an effect of this turn. */
export async function serveTool(
  port: Pick<TurnPort, "effect" | "keep" | "redactor" | "sessionId" | "turnId" | "spec" | "signal">,
  tool: ServedTool,
  input: Json,
  { once, ...place }: ServedPlace,
): Promise<Served> {
  const { sessionId, turnId, spec, signal } = port;
  const kept = await port.keep(JSON.stringify(input));
  const shown = tool.shown(input);
  const resource = tool.resource(input);
  let answered: ServedResult | null = null;
  const effect = await port.effect(
    {
      ...place,
      kind: tool.kind,
      detail: { tool: tool.name, resource: resource.slice(0, RESOURCE_CHARS), ...kept },
      resource,
      shown,
      redo: tool.redo,
      preview: async () => ({ command: shown }),
    },
    async ({ effectId }) => {
      const key = `${turnId}:${once ?? place.key ?? effectId}`;
      const result = await tool.run(input, { sessionId, turnId, key, spec, signal });
      answered = result;
      const output = port.redactor.text(textOf(result));
      return { exitCode: null, output, message: result.isError ? firstLine(output) : null };
    },
  );
  return { effect, content: contentOf(answered), ...(endsTurn(answered) ? { ends: true } : {}) };
}

function contentOf(answered: ServedResult | null): readonly ServedContent[] | null {
  return answered?.content ?? null;
}

function endsTurn(answered: ServedResult | null): boolean {
  return answered?.ends === true;
}

function textOf({ content }: ServedResult): string {
  return content.map((part) => (part.kind === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.slice(0, REASON_CHARS) || "it gave no reason";
}

const REASON_CHARS = 300;
/** Of what the log keeps; the gate judges the whole. */
const RESOURCE_CHARS = 4096;
