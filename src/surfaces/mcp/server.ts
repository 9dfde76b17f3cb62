import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from "@modelcontextprotocol/server";
import { NomosError, toNomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import { mayCall, type Services, type Syscall } from "../../syscalls/index.ts";
import { answered, callTool } from "./call-tool.ts";
import { type Complete, createCompletions } from "./completions.ts";
import { FIND_TOOL, findTools } from "./find-tool.ts";
import { reportProgress } from "./progress.ts";
import { createPrompts, type Prompts } from "./prompts.ts";
import { createResources, protocolError, type Resources } from "./resources.ts";
import { createSessionTools, ownResult, type SessionTools } from "./session-tools.ts";
import { type McpTool, toolsOf } from "./tools.ts";
import { isListed } from "./toolsets.ts";
import { createWatch, type Watch } from "./watch.ts";

/** Protocol versions with a handshake. The library adds the later ones, which have none. */
export const HANDSHAKE_VERSIONS = ["2025-11-25", "2025-06-18"];
const WATCHED_MAX = 32;
const KEY_META = "nomos/idempotencyKey";
const INSTRUCTIONS =
  "Nomos runs AI agent sessions on one durable log. Start a session with session_start, prompt it, wait with " +
  "session_wait, read it with session_output. Only some tools are listed: find_tool finds the others by words, and they " +
  "are called like any other. Every error carries a code and a remedy. Writes take an idempotency key " +
  `in _meta["${KEY_META}"]: asking again with it changes nothing twice.`;

/** The syscall table as MCP tools, resources and prompts; computed once for all clients. */
export interface McpCatalogue {
  readonly services: Services;
  readonly tools: ReadonlyMap<string, McpTool>;
  readonly resources: Resources;
  readonly prompts: Prompts;
  readonly complete: Complete;
  readonly watch: Watch;
  readonly sessionTools: SessionTools;
  readonly log: (error: unknown) => void;
}

export function createCatalogue(services: Services, table: readonly Syscall[], log: McpCatalogue["log"]): McpCatalogue {
  const tools = toolsOf(table);
  if (tools.has(FIND_TOOL.name)) throw new Error(`a syscall is spelled ${FIND_TOOL.name}, which searches the tools`);
  const resources = createResources(services, table);
  const prompts = createPrompts(services, table);
  const complete = createCompletions({ services, table, prompts, resources });
  const watch = createWatch({ services, table, resources, log });
  const sessionTools = createSessionTools(services, tools);
  return { services, tools, resources, prompts, complete, watch, sessionTools, log };
}

/** A server for one client. The actor comes from its token, never from messages. `toolsets` null: the default ones. */
export function createMcpServer(catalogue: McpCatalogue, actor: Actor, toolsets: readonly string[] | null): Server {
  const { services, tools, resources, prompts, complete, sessionTools } = catalogue;
  const server = new Server(
    { name: "nomos", title: "Nomos", version: services.daemon.version },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: HANDSHAKE_VERSIONS,
    },
  );
  const permitted = () => [...tools.values()].filter(({ syscall }) => mayCall(services, syscall, actor));
  server.setRequestHandler("tools/list", async ({ params }, { mcpReq }) => {
    refuseCursor(params?.cursor);
    const shown = permitted().filter((tool) => isListed(tool, toolsets, actor));
    const daemons = await sessionTools.list(actor, mcpReq.signal).catch(catalogue.log);
    return { tools: [...shown.map(({ listed }) => listed), FIND_TOOL, ...(daemons ?? [])] };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    if (params.name === FIND_TOOL.name) return answered(() => findTools(permitted(), params.arguments ?? {}));
    const called = { name: params.name, input: params.arguments ?? {} };
    const found = tools.get(params.name);
    const { tool, input } =
      found === undefined ? sessionTools.asCall(actor, called) : { tool: found, input: called.input };
    if (tool === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    const { report, stop } = reportProgress(context, catalogue.log);
    try {
      const { signal } = context.mcpReq;
      const result = await callTool(services, tool, { actor, input, key: keyOf(context), signal, progress: report });
      return found === undefined ? ownResult(result) : result;
    } finally {
      stop();
    }
  });
  server.setRequestHandler("resources/list", ({ params }, { mcpReq }) =>
    resources.list(actor, params?.cursor, mcpReq.signal),
  );
  server.setRequestHandler("resources/templates/list", ({ params }) => {
    refuseCursor(params?.cursor);
    return { resourceTemplates: resources.templates(actor) };
  });
  server.setRequestHandler("resources/read", ({ params }, { mcpReq }) =>
    resources.read(actor, params.uri, mcpReq.signal),
  );
  server.setRequestHandler("prompts/list", ({ params }) => {
    refuseCursor(params?.cursor);
    return { prompts: prompts.list(actor) };
  });
  server.setRequestHandler("prompts/get", ({ params }, { mcpReq }) =>
    prompts.get(actor, params.name, params.arguments ?? {}, mcpReq.signal),
  );
  server.setRequestHandler("completion/complete", ({ params }, { mcpReq }) => complete(actor, params, mcpReq.signal));
  return server;
}

/** For versions with a handshake: subscriptions belong to the MCP session. Ends with the signal. */
export function serveSubscriptions(catalogue: McpCatalogue, server: Server, actor: Actor, ended: AbortSignal): void {
  const watched = new Map<string, AbortController>();
  ended.addEventListener("abort", () => {
    for (const watching of watched.values()) watching.abort();
  });
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    if (watched.has(uri)) return {};
    if (watched.size >= WATCHED_MAX) throw protocolError(tooManyWatched());
    const watching = new AbortController();
    watched.set(uri, watching);
    const changed = () => void server.sendResourceUpdated({ uri }).catch(catalogue.log);
    try {
      await catalogue.watch(actor, uri, changed, watching.signal);
    } catch (thrown) {
      watched.delete(uri);
      throw protocolError(toNomosError(thrown));
    }
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    watched.get(uri)?.abort();
    watched.delete(uri);
    return {};
  });
}

/** For versions without a handshake: a stream that reports changes of these resources. */
export async function watchAll(
  catalogue: McpCatalogue,
  actor: Actor,
  uris: readonly string[],
  changed: (uri: string) => void,
  signal: AbortSignal,
): Promise<void> {
  if (uris.length > WATCHED_MAX) throw tooManyWatched();
  for (const uri of new Set(uris)) await catalogue.watch(actor, uri, () => changed(uri), signal);
}

function tooManyWatched(): NomosError {
  return new NomosError("limit_reached", { limit: "watched resources of a client", max: WATCHED_MAX });
}

function keyOf({ mcpReq }: ServerContext): string | null {
  const key: unknown = mcpReq._meta?.[KEY_META];
  return typeof key === "string" ? key : null;
}

/** These lists have one page, so every cursor is invalid. */
function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "This list has one page.");
}
