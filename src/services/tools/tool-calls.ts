import { randomUUID } from "node:crypto";
import type { Committer } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import { didYouMean } from "../../domains/index.ts";
import type { Json, SessionSpec } from "../../kernel/index.ts";
import {
  type EffectResult,
  type ServedContent,
  type ServedTools,
  serveTool,
  type ToolSession,
  type TurnPort,
} from "../../turns/index.ts";
import type { Toolbox } from "./toolbox.ts";

/** The daemon's tools for callers outside of the engine: foreign agents, people, other programs. */
export interface ToolCalls {
  /** `waitMs`: how long to wait for servers that are still starting. */
  readonly list: (sessionId: string, waitMs: number) => Promise<ServedTools>;
  /** Runs a tool as an effect of the session's running turn. Throws `no_running_turn` when none runs. */
  readonly call: (call: ToolOrder) => Promise<CalledTool>;
}

export interface ToolOrder {
  readonly sessionId: string;
  readonly name: string;
  readonly input: Json;
  /** Calls of one turn with the same key are one call. Null: this one has none. */
  readonly key: string | null;
}

export interface CalledTool {
  readonly effectId: string;
  readonly outcome: EffectResult["outcome"];
  readonly content: readonly ServedContent[];
  readonly isError: boolean;
}

export interface ToolCallDeps {
  readonly toolbox: Pick<Toolbox, "forSession">;
  readonly committer: Pick<Committer, "sessionState">;
  readonly portOf: (sessionId: string) => Promise<TurnPort> | null;
  readonly ready: (session: ToolSession, waitMs: number) => Promise<void>;
}

export function createToolCalls({ toolbox, committer, portOf, ready }: ToolCallDeps): ToolCalls {
  const sessionOf = async (sessionId: string): Promise<ToolSession> => {
    const { spec } = await committer.sessionState(sessionId);
    if (spec === null) throw new NomosError("session_not_found", { id: sessionId });
    return asked(sessionId, spec);
  };
  const once = keptOnce();
  return {
    list: async (sessionId, waitMs) => {
      const session = await sessionOf(sessionId);
      if (waitMs > 0) await ready(session, waitMs);
      return toolbox.forSession(session);
    },
    call: async ({ sessionId, name, input, key }) => {
      const port = await portOf(sessionId);
      if (port === null) throw new NomosError("no_running_turn", { id: sessionId });
      const { tools, problems } = await toolbox.forSession(asked(sessionId, port.spec));
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) {
        const names = tools.map((one) => one.name);
        const message = `This session has no tool \`${name}\`.${didYouMean(name, names)}`;
        throw new NomosError("tool_not_found", { name, problems: [...problems] }, { message });
      }
      const run = async (place: string): Promise<CalledTool> => {
        const { effect, content } = await serveTool(port, tool, input, { key: `tool call ${place}` });
        return called(effect, content);
      };
      return key === null ? run(randomUUID()) : once(`${port.turnId} ${key}`, () => run(key));
    },
  };
}

const KEPT_MAX = 64;

/** A call that is made again with its key gets the first one's answer. Only the newest are kept. */
function keptOnce(): (key: string, run: () => Promise<CalledTool>) => Promise<CalledTool> {
  const kept = new Map<string, Promise<CalledTool>>();
  return (key, run) => {
    const before = kept.get(key);
    if (before !== undefined) return before;
    const [oldest] = kept.keys();
    if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    const running = run();
    kept.set(key, running);
    running.catch(() => kept.delete(key));
    return running;
  };
}

/** Nobody is asked here: a tool that needs a person's word first is listed as a problem. */
function asked(sessionId: string, spec: SessionSpec): ToolSession {
  return { sessionId, spec, ask: null };
}

/** Without content the effect has the words: why it was refused or failed, or what an earlier call has answered. */
function called(
  { effectId, outcome, output, message }: EffectResult,
  content: readonly ServedContent[] | null,
): CalledTool {
  const words = [output, message ?? ""].filter((text) => text !== "").join("\n");
  return { effectId, outcome, content: content ?? [{ kind: "text", text: words }], isError: outcome !== "done" };
}
