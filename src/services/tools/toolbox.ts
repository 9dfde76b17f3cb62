import type { ServedTool, ServedTools, ToolSession, ToolSource } from "../../turns/index.ts";

/** All tools that the daemon has for a session, from all rooms that have some. */
export interface Toolbox {
  readonly forSession: (session: ToolSession) => Promise<ServedTools>;
  /** A room opens after those that it is built on, so it brings its tools itself. */
  readonly add: (source: ToolSource) => void;
}

/** More would fill a model's window before it has read the prompt. */
const TOOLS_MAX = 400;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Where two rooms have a tool of one name, the earlier room's is offered. A room that fails leaves the others alone. */
export function createToolbox(): Toolbox {
  const sources: ToolSource[] = [];
  return {
    add: (source) => void sources.push(source),
    forSession: async (session) => {
      const found = await Promise.all(sources.map((source) => toolsOf(source, session)));
      const problems = found.flatMap((one) => one.problems);
      const tools = new Map<string, ServedTool>();
      for (const tool of found.flatMap((one) => one.tools)) {
        const problem = refusal(tool, tools);
        if (problem === null) tools.set(tool.name, tool);
        else problems.push(problem);
      }
      return { tools: [...tools.values()], problems };
    },
  };
}

async function toolsOf(source: ToolSource, session: ToolSession): Promise<ServedTools> {
  try {
    return await source.tools(session);
  } catch (thrown) {
    return { tools: [], problems: [`${source.name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`] };
  }
}

function refusal({ name }: ServedTool, taken: ReadonlyMap<string, ServedTool>): string | null {
  if (!NAME.test(name))
    return `a tool's name has letters, digits, _ and -, 64 at most: ${JSON.stringify(name.slice(0, 80))} has not`;
  if (taken.has(name)) return `there are two tools ${name}; the second one is left out`;
  return taken.size < TOOLS_MAX ? null : `${name} is left out: there are more than ${TOOLS_MAX} tools`;
}
