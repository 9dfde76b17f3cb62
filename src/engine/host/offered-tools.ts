import { createHash } from "node:crypto";
import type { Json } from "../../kernel/index.ts";
import {
  DriverError,
  type Served,
  type ServedPlace,
  type ServedTool,
  type ServedTools,
  serveTool,
  type ToolSession,
  type TurnPort,
} from "../../turns/index.ts";
import type { ServedSpec } from "../link/protocol.ts";

/** The tools of the daemon for one turn. */
export interface OfferedTools {
  readonly specs: readonly ServedSpec[];
  readonly problems: readonly string[];
  readonly serve: (port: TurnPort, tool: string, input: Json, place: ServedPlace) => Promise<Served>;
}

const KEY_CHARS = 32;

export async function offerTools(
  find: (session: ToolSession) => Promise<ServedTools>,
  port: TurnPort,
): Promise<OfferedTools> {
  const { sessionId, spec } = port;
  const asked = new Map<string, number>();
  const ask: ToolSession["ask"] = (question, options) => {
    // By its words: a resumed turn may have another one to ask, and an answer to the old one is none to it.
    const about = createHash("sha256").update(question).digest("hex").slice(0, KEY_CHARS);
    const times = (asked.get(about) ?? 0) + 1;
    asked.set(about, times);
    return port.ask(question, options, { key: `tools:${about}:${times}` });
  };
  const { tools, problems } = await find({ sessionId, spec, ask });
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    specs: tools.map(specOf),
    problems,
    serve: async (from, name, input, place) => {
      const tool = byName.get(name);
      if (tool === undefined) throw new DriverError("invalid_request", `there is no tool ${name}`);
      return serveTool(from, tool, input, place);
    },
  };
}

export function specOf({ name, description, input, redo, mode }: ServedTool): ServedSpec {
  return { name, description, input, redo, mode };
}
