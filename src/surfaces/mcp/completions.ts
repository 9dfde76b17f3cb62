import type { CompleteRequest, CompleteResult } from "@modelcontextprotocol/server";
import { toNomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import { dispatch, mayCall, type Services, type Syscall } from "../../syscalls/index.ts";
import type { Prompts } from "./prompts.ts";
import { protocolError, type Resources } from "./resources.ts";

export type Complete = (actor: Actor, asked: CompleteRequest["params"], signal: AbortSignal) => Promise<CompleteResult>;

const VALUES_MAX = 100;

/** Completes arguments that name a session; offers nothing for others. */
export function createCompletions(given: {
  readonly services: Services;
  readonly table: readonly Syscall[];
  readonly prompts: Prompts;
  readonly resources: Resources;
}): Complete {
  const { services, table, prompts, resources } = given;
  const source = table.find(({ mcp }) => mcp?.completes !== undefined);
  return async (actor, { ref, argument }, signal) => {
    const syscall =
      ref.type === "ref/prompt"
        ? prompts.find(ref.name)
        : (resources.documents.find(({ pattern }) => pattern.template === ref.uri)?.syscall ?? null);
    const names = syscall?.about === "session" && argument.name === "id";
    if (!names || source === undefined || !mayCall(services, source, actor)) return completion([]);
    const output = await dispatch(services, source, { actor, input: {}, key: null, signal }).catch(refuse);
    const offered = "value" in output ? (source.mcp?.completes?.(output.value) ?? []) : [];
    return completion(offered.filter((name) => name.startsWith(argument.value)));
  };
}

function refuse(thrown: unknown): never {
  throw protocolError(toNomosError(thrown));
}

function completion(values: readonly string[]): CompleteResult {
  return {
    completion: { values: values.slice(0, VALUES_MAX), total: values.length, hasMore: values.length > VALUES_MAX },
  };
}
