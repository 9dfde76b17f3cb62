import type { Json } from "../../kernel/index.ts";
import type { ServedTool, ServedTools, ToolSource } from "../../turns/index.ts";
import { agreedFiles } from "./agreed-files.ts";
import { type FileAnswers, openFileAnswers } from "./file-answers.ts";
import { createLearning } from "./learn-tools.ts";
import type { DescribedTool } from "./process/protocol.ts";
import { findToolFiles, type ToolFile, type ToolFolders } from "./tool-files.ts";
import { createToolProcesses, type ToolProcessDeps, type ToolProcesses } from "./tool-process.ts";

export interface UserToolParts extends ToolFolders, ToolProcessDeps {
  /** Names of tools that no file may take. */
  readonly taken: readonly string[];
}

/**
 * Tools that people write: a file each, in the home or in a repository. Each runs in a process of its own, for one call,
 * behind the walls of the session that calls. What a file says of itself is learned in such a process too, and kept by the
 * hash of its bytes: a changed file is seen at the next turn.
 */
export function createUserTools(parts: UserToolParts): ToolSource {
  const processes = createToolProcesses(parts);
  const answers: FileAnswers = openFileAnswers(parts.home);
  const learn = createLearning(parts, processes);

  return {
    name: "tools of files",
    tools: async (session) => {
      const found = await findToolFiles(parts, session.spec);
      const agreed = await agreedFiles(found.files, answers, session.ask);
      const problems = [...found.problems, ...agreed.problems];
      const tools = new Map<string, ServedTool>();
      const all = await learn(agreed.files, session);
      for (const [index, one] of all.entries()) {
        const file = agreed.files[index];
        if (file === undefined) continue;
        const problem = "problem" in one ? one.problem : clash(nameOf(file, one.tool), parts.taken, tools);
        if (problem === null && "tool" in one) {
          const tool = servedTool(processes, file, one.tool);
          tools.set(tool.name, tool);
        } else problems.push(`${file.shownPath}: ${problem}`);
      }
      return { tools: [...tools.values()], problems } satisfies ServedTools;
    },
  };
}

function nameOf({ stem }: ToolFile, { name }: DescribedTool): string {
  return name ?? stem;
}

function clash(name: string, taken: readonly string[], tools: ReadonlyMap<string, ServedTool>): string | null {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    return "its name has other than letters, digits, _ and -, or more than 64 of them";
  if (taken.includes(name)) return `there is a built-in tool ${name}: give it another name`;
  return tools.has(name) ? `there is another tool ${name}, which is used instead` : null;
}

function servedTool(processes: ToolProcesses, file: ToolFile, described: DescribedTool): ServedTool {
  const name = nameOf(file, described);
  return {
    name,
    description: described.description,
    input: described.input,
    kind: "tool",
    redo: described.redo,
    mode: "parallel",
    resource: () => `tool/${name}`,
    shown: (input) => `${name} ${JSON.stringify(input)}`,
    run: (input: Json, { sessionId, spec, signal }) => processes.run(file, input, { sessionId, spec, signal }),
  };
}
