import { createMcpHandler, isJsonContentType, isLegacyRequest } from "@modelcontextprotocol/server";
import { NomosError, toNomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import { memberOf } from "../../kernel/index.ts";
import type { Services, Syscall } from "../../syscalls/index.ts";
import type { BodyRoom } from "../http/body-room.ts";
import { type BodyBounds, readBytes } from "../http/request-body.ts";
import { parseJsonBytes } from "../json-bytes.ts";
import { createShares } from "../shares.ts";
import { boundedBody } from "./bounded-body.ts";
import { refusal } from "./rpc-error.ts";
import { createCatalogue, createMcpServer, watchAll } from "./server.ts";
import { createMcpSessions, type McpSessionLimits } from "./sessions.ts";
import { toolsetsAsked } from "./toolsets.ts";

export interface McpSurface {
  /** Always resolves with an answer; text is JSON. */
  readonly serve: (asked: McpRequest, actor: Actor) => Promise<Response | string>;
  readonly close: () => Promise<void>;
}

export interface McpRequest {
  readonly request: Request;
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the connection of a client that does not read. */
  readonly cut: () => void;
}

export interface McpOptions {
  readonly services: Services;
  readonly syscalls: readonly Syscall[];
  readonly requestBytesMax: number;
  readonly room: BodyRoom;
  readonly log: (message: string, details: object) => void;
  readonly limits?: Partial<McpLimits>;
}

export interface McpLimits extends McpSessionLimits {
  readonly openStreamsMax: number;
  readonly waitingBytesMax: number;
  readonly stalledMs: number;
}

const MCP_LIMITS: McpLimits = {
  sessionsMax: 1024,
  idleMs: 1_800_000,
  openRequestsMax: 64,
  openStreamsMax: 512,
  waitingBytesMax: 1_048_576,
  stalledMs: 60_000,
};

/** Longer answers are sent like streams: watched, and cut off when nobody reads them. */
const SHORT_CHARS_MAX = 65_536;

/** MCP over streamable HTTP at one address, for protocol versions with and without a handshake. */
export function createMcpSurface(options: McpOptions): McpSurface {
  const limits = { ...MCP_LIMITS, ...options.limits };
  const log = (error: unknown): void => options.log("an MCP request failed", { reason: String(error) });
  const catalogue = createCatalogue(options.services, options.syscalls, log);
  const sessions = createMcpSessions(catalogue, limits, () => performance.now());
  const open = new Set<() => Promise<void>>();
  const requests = createShares("open MCP requests");

  /** Each request gets its own server, which ends with the request. */
  const serveAlone = async (request: Request, body: unknown, actor: Actor, cut: () => void): Promise<Response> => {
    if (open.size >= limits.openStreamsMax)
      throw new NomosError("overloaded", { openStreamsMax: limits.openStreamsMax });
    const toolsets = toolsetsAsked(request.url, catalogue.tools);
    const giveBack = requests.take(actor);
    const ended = new AbortController();
    const heard: ((uri: string) => void)[] = [];
    const changed = (uri: string): void => {
      for (const tell of heard) tell(uri);
    };
    const handler = createMcpHandler(() => createMcpServer(catalogue, actor, toolsets), {
      legacy: "reject",
      bus: {
        publish: () => undefined,
        subscribe: (listener) => {
          heard.push((uri) => listener({ kind: "resource_updated", uri }));
          return () => ended.abort();
        },
      },
    });
    open.add(handler.close);
    const stopWatching = options.services.tokens.watch(actor.principal, () => void handler.close().catch(log));
    const over = (): void => {
      stopWatching();
      ended.abort();
      open.delete(handler.close);
      giveBack();
    };
    try {
      await watchAll(catalogue, actor, listenedTo(body), changed, ended.signal);
      return bounded(await handler.fetch(request, { parsedBody: body }), limits, cut, over);
    } catch (thrown) {
      over();
      throw thrown;
    }
  };

  return {
    serve: async (asked, actor) => {
      const { request, cut } = asked;
      try {
        const body = await bodyOf(asked, { maxBytes: options.requestBytesMax, room: options.room, actor });
        if (!(await isLegacyRequest(request, body))) return await serveAlone(request, body, actor, cut);
        const { response, over } = await sessions.serve(request, body, actor);
        if (response instanceof Response) return bounded(response, limits, cut, over);
        const text = JSON.stringify(response);
        if (text.length > SHORT_CHARS_MAX) return bounded(jsonResponse(text), limits, cut, over);
        over();
        return text;
      } catch (thrown) {
        const error = toNomosError(thrown);
        if (error.code === "internal") log(thrown instanceof Error ? (thrown.stack ?? thrown) : thrown);
        return refusal(error);
      }
    },
    close: async () => {
      await Promise.all([sessions.close(), ...[...open].map((close) => close())]);
    },
  };
}

async function bodyOf({ request, body: bytes }: McpRequest, bounds: BodyBounds): Promise<unknown> {
  if (request.method === "GET" || request.method === "DELETE") return undefined;
  if (request.method !== "POST") throw new NomosError("method_not_allowed", { method: request.method });
  const type = request.headers.get("content-type");
  if (!isJsonContentType(type)) throw new NomosError("unsupported_media_type", { given: type });
  const body = parseJsonBytes(await readBytes(bytes, bounds));
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new NomosError("invalid_request", { expected: "one JSON-RPC message; this protocol has no batches" });
  return body;
}

/** The URIs that a `subscriptions/listen` names; the library validates the rest. */
function listenedTo(body: unknown): readonly string[] {
  if (memberOf(body, "method") !== "subscriptions/listen") return [];
  const uris = memberOf(memberOf(memberOf(body, "params"), "notifications"), "resourceSubscriptions");
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
}

function bounded(response: Response, limits: McpLimits, cut: () => void, over: () => void): Response {
  const { body, status, headers } = response;
  if (body === null) {
    over();
    return response;
  }
  // Without this header the HTTP server waits for a second piece before it sends the first.
  headers.set("transfer-encoding", "chunked");
  return new Response(boundedBody(body, { ...limits, cut, over }), { status, headers });
}

function jsonResponse(text: string): Response {
  return new Response(text, { headers: { "content-type": "application/json" } });
}
