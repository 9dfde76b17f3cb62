/** A tool as an agent offers it to its model. */
export interface OfferedTool {
  readonly name: string;
  /** Codex puts the tools of an MCP server into a namespace. */
  readonly namespace?: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface ChosenCall {
  readonly is: "call";
  readonly tool: OfferedTool;
  readonly input: object;
}

const WRITERS = ["Write", "write_file", "write", "create"];
const SHELLS = ["Bash", "bash", "exec_command", "shell_command", "shell", "local_shell", "run_shell_command"];

/** The agent's tool for this step, called in the agent's own format. Null when it offers none. */
export function chooseCall(step: string, rest: string, tools: readonly OfferedTool[]): ChosenCall | null {
  const [, first = "", more = ""] = /^(\S+) ?(.*)$/s.exec(rest) ?? [];
  if (step === "call") {
    const tool = tools.find(({ name }) => name === first) ?? tools.find(({ name }) => name.endsWith(first));
    const input: object = JSON.parse(more || "{}");
    if (tool !== undefined) return { is: "call", tool, input };
    // Qwen shows its model few tools, and one tool that calls all others by name.
    const bridge = named(tools, ["tool_call"]);
    return bridge === undefined
      ? null
      : { is: "call", tool: bridge, input: { name: `mcp__nomos__${first}`, arguments: input } };
  }
  const writer = step === "write" ? named(tools, WRITERS) : undefined;
  if (writer !== undefined) return { is: "call", tool: writer, input: written(writer, first, more) };
  const shell = named(tools, SHELLS);
  if (shell !== undefined && step === "shell") return { is: "call", tool: shell, input: commanded(shell, rest, false) };
  return shell === undefined
    ? null
    : { is: "call", tool: shell, input: commanded(shell, `printf %s '${more}' > '${first}'`, step === "escalate") };
}

function named(tools: readonly OfferedTool[], names: readonly string[]): OfferedTool | undefined {
  return names.flatMap((name) => tools.filter((tool) => tool.name === name))[0];
}

function written({ properties }: OfferedTool, path: string, content: string): object {
  const entries = Object.keys(properties).flatMap((key) => {
    if (/path/i.test(key)) return [[key, path] as const];
    return /content|text/i.test(key) ? [[key, content] as const] : [];
  });
  return Object.fromEntries(entries);
}

function commanded({ properties }: OfferedTool, command: string, escalated: boolean): object {
  const key = Object.keys(properties).find((name) => /^(command|cmd)$/.test(name)) ?? "command";
  const isList = JSON.stringify(properties[key] ?? {}).includes('"array"');
  return {
    [key]: isList ? ["bash", "-lc", command] : command,
    ...("description" in properties ? { description: "writes a file" } : {}),
    ...(escalated ? { sandbox_permissions: "require_escalated", justification: "it has to be outside" } : {}),
  };
}
