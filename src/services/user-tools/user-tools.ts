import type { Json } from "../../kernel/index.ts";
import type { ServedTool, ServedTools, ToolSession, ToolSource } from "../../turns/index.ts";
import { agreedFiles } from "./agreed-files.ts";
import { type FileAnswers, openFileAnswers } from "./file-answers.ts";
import type { DescribedTool } from "./process/protocol.ts";
import { findToolFiles, type ToolFile, type ToolFolders } from "./tool-files.ts";
import { createToolProcesses, ToolFailure, type ToolProcessDeps, type ToolProcesses } from "./tool-process.ts";

export interface UserToolParts extends ToolFolders, ToolProcessDeps {
  /** Names of tools that no file may take. */
  readonly taken: readonly string[];
}

const LEARNED_MAX = 1000;
const LOADS_AT_ONCE = 4;
const PROBLEM_CHARS = 600;
const LESS_OFTEN = 10;

type Description = ({ readonly tool: DescribedTool } | { readonly problem: string }) & { readonly holdsMs: number };
/** `untilMs` is on the steady clock: then the file is looked at again. */
type Learned = Description & { readonly untilMs: number };

/**
 * Tools that people write: a file each, in the home or in a repository. Each runs in a process of its own, for one call,
 * behind the walls of the session that calls. What a file says of itself is learned in such a process too, and kept by the
 * hash of its bytes: a changed file is seen at the next turn.
 */
export function createUserTools(parts: UserToolParts): ToolSource {
  const processes = createToolProcesses(parts);
  const answers: FileAnswers = openFileAnswers(parts.home);
  const learned = new Map<string, Learned>();

  const learn = async (file: ToolFile, session: ToolSession): Promise<Learned> => {
    // What it can load depends on its walls and on what it may import.
    const key = `${file.sha256} ${file.path} ${session.spec.sandbox}`;
    const known = learned.get(key);
    if (known !== undefined && parts.clock.steadyMs() < known.untilMs) return known;
    const found = await describe(processes, file, session);
    const [oldest] = learned.keys();
    if (learned.size >= LEARNED_MAX && oldest !== undefined) learned.delete(oldest);
    // A file that never answers costs its time again and again, so it is tried less and less often.
    const holdsMs =
      known !== undefined && "problem" in found ? Math.max(found.holdsMs, known.holdsMs * LESS_OFTEN) : found.holdsMs;
    const kept = { ...found, holdsMs, untilMs: parts.clock.steadyMs() + holdsMs };
    learned.set(key, kept);
    return kept;
  };

  return {
    name: "tools of files",
    tools: async (session) => {
      const found = await findToolFiles(parts, session.spec);
      const agreed = await agreedFiles(found.files, answers, session.ask);
      const problems = [...found.problems, ...agreed.problems];
      const tools = new Map<string, ServedTool>();
      const all = await inTurns(agreed.files, (file) => learn(file, session));
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

async function describe(
  processes: ToolProcesses,
  file: ToolFile,
  { sessionId, spec }: ToolSession,
): Promise<Description> {
  try {
    const tool = await processes.describe(file, { sessionId, spec, signal: null });
    return { tool, holdsMs: Number.POSITIVE_INFINITY };
  } catch (thrown) {
    const problem = (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, PROBLEM_CHARS);
    // Another error is the machine's, such as too many processes, and not the file's.
    return { problem, holdsMs: thrown instanceof ToolFailure ? thrown.holdsMs : 0 };
  }
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

/** A few at a time: each is a process of its own. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const done: R[] = [];
  for (let at = 0; at < items.length; at += LOADS_AT_ONCE)
    done.push(...(await Promise.all(items.slice(at, at + LOADS_AT_ONCE).map(work))));
  return done;
}
