import { randomUUID } from "node:crypto";
import {
  isInitializeRequest,
  type JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { createShares } from "../shares.ts";
import { createEventStore } from "./event-store.ts";
import { createMcpServer, HANDSHAKE_VERSIONS, type McpCatalogue, serveSubscriptions } from "./server.ts";
import { createShortAnswers, type ShortAnswers } from "./short-answers.ts";
import { toolsetsAsked } from "./toolsets.ts";

export interface McpSessionLimits {
  readonly sessionsMax: number;
  readonly idleMs: number;
  readonly openRequestsMax: number;
}

/**
 * Clients with a handshake (2025-06-18, 2025-11-25). Each has its own server until it ends the session or is idle too long.
 */
export interface McpSessions {
  readonly serve: (request: Request, body: unknown, actor: Actor) => Promise<ServedBySession>;
  readonly count: () => number;
  readonly close: () => Promise<void>;
}

export interface ServedBySession {
  /** A message is to be sent as plain JSON. */
  readonly response: Response | JSONRPCMessage;
  /** Call it when the response was sent or given up. */
  readonly over: () => void;
}

interface McpSession {
  readonly streams: WebStandardStreamableHTTPServerTransport;
  readonly answers: ShortAnswers;
  readonly close: () => Promise<void>;
  /** The principal that opened it. All others get "not found". */
  readonly principal: string;
  usedAtMs: number;
  openRequests: number;
}

const SWEEP_MS = 30_000;
const RETRY_MS = 1000;

export function createMcpSessions(catalogue: McpCatalogue, limits: McpSessionLimits, nowMs: () => number): McpSessions {
  const sessions = new Map<string, McpSession>();
  const shares = createShares("MCP sessions");
  const isIdle = ({ openRequests }: McpSession): boolean => openRequests === 0;
  const drop = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.close();
  };
  const sweep = setInterval(
    () => {
      for (const [id, session] of sessions)
        if (isIdle(session) && nowMs() - session.usedAtMs >= limits.idleMs) drop(id).catch(catalogue.log);
    },
    Math.min(SWEEP_MS, limits.idleMs),
  );
  sweep.unref();

  const makeRoom = async (): Promise<void> => {
    if (sessions.size < limits.sessionsMax) return;
    const [oldest] = [...sessions].filter(([, one]) => isIdle(one)).sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
    if (oldest === undefined) throw new NomosError("overloaded", { mcpSessionsMax: limits.sessionsMax });
    await drop(oldest[0]);
  };

  const open = async (actor: Actor, url: string): Promise<McpSession> => {
    const toolsets = toolsetsAsked(url, catalogue.tools);
    await makeRoom();
    const giveBack = shares.take(actor);
    const id = randomUUID();
    const ended = new AbortController();
    const server = createMcpServer(catalogue, actor, toolsets);
    serveSubscriptions(catalogue, server, actor, ended.signal);
    const streams = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: createEventStore(),
      retryInterval: RETRY_MS,
    });
    const answers = createShortAnswers(streams, HANDSHAKE_VERSIONS);
    await server.connect(answers.transport);
    const { instruments, tokens } = catalogue.services;
    const closed = instruments.opened("mcp");
    const stopWatching = tokens.watch(actor.principal, () => void drop(id).catch(catalogue.log));
    server.onclose = () => {
      stopWatching();
      giveBack();
      closed();
      ended.abort();
      sessions.delete(id);
    };
    const session: McpSession = {
      streams,
      answers,
      close: () => server.close(),
      principal: actor.principal,
      usedAtMs: nowMs(),
      openRequests: 0,
    };
    sessions.set(id, session);
    return session;
  };

  const known = (id: string | null, actor: Actor): McpSession => {
    if (id === null) throw new NomosError("mcp_session_missing");
    const session = sessions.get(id);
    if (session === undefined || session.principal !== actor.principal) throw new NomosError("mcp_session_not_found");
    return session;
  };

  return {
    count: () => sessions.size,
    serve: async (request, body, actor) => {
      const id = request.headers.get("mcp-session-id");
      const session = id === null && isInitializeRequest(body) ? await open(actor, request.url) : known(id, actor);
      if (session.openRequests >= limits.openRequestsMax)
        throw new NomosError("overloaded", { openRequestsMax: limits.openRequestsMax });
      session.openRequests += 1;
      session.usedAtMs = nowMs();
      const over = (): void => {
        session.openRequests -= 1;
        session.usedAtMs = nowMs();
      };
      try {
        const response = await session.answers.handle(request, body);
        if (memberOf(body, "method") === CANCELLED_METHOD) await forgetCancelled(session, body);
        return { response, over };
      } catch (thrown) {
        over();
        throw thrown;
      }
    },
    close: async () => {
      clearInterval(sweep);
      await Promise.all([...sessions.keys()].map(drop));
    },
  };
}

const CANCELLED = -32_800;
const CANCELLED_METHOD = "notifications/cancelled";

/**
 * The library never answers a request that was cancelled, so its stream would stay open for ever. This answers it with an
 * error; a client that reconnects finds that error under the request's id.
 */
async function forgetCancelled({ streams, answers }: McpSession, body: unknown): Promise<void> {
  const parsed = Cancelled.safeParse(body);
  if (!parsed.success) return;
  const id = parsed.data.params.requestId;
  streams.closeSSEStream(id);
  const answer = { jsonrpc: "2.0" as const, id, error: { code: CANCELLED, message: "The request was cancelled." } };
  // `send` fails if the request is already over; nothing is left to do then.
  await answers.transport.send(answer).catch(() => undefined);
}

const Cancelled = z.object({
  method: z.literal(CANCELLED_METHOD),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});
