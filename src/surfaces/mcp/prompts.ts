import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { toNomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import { dispatch, mayCall, type Services, type Syscall } from "../../syscalls/index.ts";
import { contentOf } from "./content.ts";
import { protocolError } from "./resources.ts";
import { toolName } from "./tools.ts";

export interface Prompts {
  readonly list: (actor: Actor) => Prompt[];
  readonly get: (
    actor: Actor,
    name: string,
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<GetPromptResult>;
  readonly find: (name: string) => Syscall | null;
}

/** Syscalls that MCP clients can use as prompts. */
export function createPrompts(services: Services, table: readonly Syscall[]): Prompts {
  const offered = new Map(table.filter(({ mcp }) => mcp?.prompt).map((syscall) => [toolName(syscall), syscall]));
  return {
    find: (name) => offered.get(name) ?? null,
    list: (actor) =>
      [...offered].flatMap(([name, syscall]) => (mayCall(services, syscall, actor) ? [promptOf(name, syscall)] : [])),
    get: async (actor, name, given, signal) => {
      const syscall = offered.get(name);
      if (syscall === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}.`);
      try {
        const output = await dispatch(services, syscall, { actor, input: { ...given }, key: null, signal });
        const value = "value" in output ? output.value : null;
        const messages = contentOf(syscall, value, given).map((content) => ({ role: "user" as const, content }));
        return { description: syscall.summary, messages };
      } catch (thrown) {
        throw protocolError(toNomosError(thrown));
      }
    },
  };
}

function promptOf(name: string, syscall: Syscall): Prompt {
  const members = Object.entries(syscall.input.shape);
  return {
    name,
    description: `${syscall.summary}.`,
    arguments: members.map(([member, schema]) => ({
      name: member,
      required: !schema.safeParse(undefined).success,
      ...(schema.description === undefined ? {} : { description: schema.description }),
    })),
  };
}
