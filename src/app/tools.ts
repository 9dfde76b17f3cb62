import { NomosError } from "../contract/index.ts";
import { TOOL_NAMES } from "../engine/index.ts";
import { systemFiles } from "../host/index.ts";
import {
  createUserTools,
  createWebTools,
  type McpServerService,
  type OpenedHome,
  openMcpServers,
  refuseHomeFiles,
  SESSION_TOOL_NAMES,
  type SecretUses,
  type Toolbox,
} from "../services/index.ts";
import type { ToolSource } from "../turns/index.ts";
import type { Machine } from "./machine.ts";

/** Tools of a program built on Nomos. A built-in one would hide one of its name, and nobody would be told. */
export function addProgramTools(toolbox: Toolbox, sources: readonly ToolSource[]): void {
  const tool = sources.flatMap(({ names = [] }) => names).find((name) => TOOL_NAMES.includes(name));
  const told = { message: `There is a built-in tool \`${tool}\`.`, remedy: "Give your tool another name." };
  if (tool !== undefined) throw new NomosError("invalid_request", { field: "tools", tool }, told);
  for (const source of sources) toolbox.add(source);
}

/** The rooms whose tools every session has, in the order in which a model is told of them. */
export function addTools(
  toolbox: Toolbox,
  { opened, machine, environment, version, secrets }: ToolParts,
): { readonly mcpServers: McpServerService } {
  const { home, config, clock, log, identity } = opened;
  toolbox.add(createWebTools({ ...machine.own, config, clock, environment }));
  toolbox.add(
    createUserTools({
      ...{ home, clock, log: log.write },
      files: refuseHomeFiles(systemFiles(), identity),
      taken: [...TOOL_NAMES, ...SESSION_TOOL_NAMES],
      limits: () => TOOL_LIMITS,
      spawn: ({ spec, sessionId }, argv, order) => machine.processes.spawnTool(spec, sessionId, argv, order),
    }),
  );
  const mcpServers = openMcpServers(opened, {
    ...{ host: machine.processes.agents, environment, version },
    readSecret: (name, use) => secrets.configured(name, use, null),
  });
  toolbox.add(mcpServers.source);
  return { mcpServers };
}

interface ToolParts {
  readonly opened: OpenedHome;
  readonly machine: Machine;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly secrets: SecretUses;
}

/** What callers outside of the engine need for tools. */
export interface Tools {
  readonly toolbox: Toolbox;
  readonly mcpServers: McpServerService;
  readonly ready: McpServerService["source"]["ready"];
}

const TOOL_LIMITS = { loadMs: 10_000, callMs: 120_000, memoryMb: 512 };
