import { randomUUID } from "node:crypto";
import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { NomosError } from "../../contract/index.ts";
import type { Actor } from "../../kernel/index.ts";
import { createEventStore } from "./event-store.ts";
import { createMcpServer, type McpCatalogue, serveSubscriptions } from "./server.ts";

export interface McpSessionLimits {
  readonly sessionsMax: number;
  readonly idleMs: number;
  readonly openRequestsMax: number;
}

/** Clients that shook hands (2025-06-18, 2025-11-25): each has a server of its own until it says goodbye or is silent. */
export interface McpSessions {
  readonly serve: (request: Request, body: unknown, actor: Actor) => Promise<ServedBySession>;
  readonly count: () => number;
  readonly close: () => Promise<void>;
}

export interface ServedBySession {
  readonly response: Response;
  /** To be called when the response has been sent or given up. */
  readonly over: () => void;
}

interface McpSession {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly close: () => Promise<void>;
  /** Whose token opened it: for everybody else it does not exist. */
  readonly principal: string;
  usedAtMs: number;
  openRequests: number;
}

const SWEEP_MS = 30_000;
const RETRY_MS = 1000;

export function createMcpSessions(catalogue: McpCatalogue, limits: McpSessionLimits, nowMs: () => number): McpSessions {
  const sessions = new Map<string, McpSession>();
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

  const open = async (actor: Actor): Promise<McpSession> => {
    await makeRoom();
    const id = randomUUID();
    const ended = new AbortController();
    const server = createMcpServer(catalogue, actor);
    serveSubscriptions(catalogue, server, actor, ended.signal);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: createEventStore(),
      retryInterval: RETRY_MS,
    });
    await server.connect(transport);
    server.onclose = () => {
      ended.abort();
      sessions.delete(id);
    };
    const session: McpSession = {
      transport,
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
      const session = id === null && isInitializeRequest(body) ? await open(actor) : known(id, actor);
      if (session.openRequests >= limits.openRequestsMax)
        throw new NomosError("overloaded", { openRequestsMax: limits.openRequestsMax });
      session.openRequests += 1;
      session.usedAtMs = nowMs();
      const over = (): void => {
        session.openRequests -= 1;
        session.usedAtMs = nowMs();
      };
      try {
        const options = body === undefined ? {} : { parsedBody: body };
        return { response: await session.transport.handleRequest(request, options), over };
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
