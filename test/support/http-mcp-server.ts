import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

export interface HttpMcpServer extends AsyncDisposable {
  readonly url: string;
  /** Calls of the tool `count` that arrived. */
  readonly calls: () => number;
  readonly headersSeen: IncomingMessage["headers"][];
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => boolean | Promise<boolean>;

/** A real MCP server over HTTP. `before` may answer a request itself: a server that lies, floods or asks for a token. */
export async function startHttpMcpServer(before: Answer = () => false): Promise<HttpMcpServer> {
  let calls = 0;
  const headersSeen: IncomingMessage["headers"][] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "remote", version: "1" });
    server.registerTool("count", { description: "Counts.", inputSchema: z.object({}) }, async () => {
      calls += 1;
      return { content: [{ type: "text", text: `call ${calls}` }] };
    });
    return server;
  });
  const server = createServer(async (request, response) => {
    headersSeen.push(request.headers);
    const body = await textOf(request);
    if (await before(request, response, body)) return;
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as [string, string]] : [],
    );
    const asked = new Request(`http://127.0.0.1${request.url}`, {
      method: request.method ?? "GET",
      headers,
      ...(body === "" ? {} : { body }),
    });
    const answer = await handler.fetch(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const piece of answer.body ?? []) response.write(piece);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls: () => calls,
    headersSeen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export interface OAuthServer extends HttpMcpServer {
  readonly refreshes: () => number;
  readonly registrations: () => number;
  /** Makes every access token invalid, as if its time was over. */
  readonly expire: () => void;
  /** Refuses every refresh token from now on. */
  readonly revoke: () => void;
}

/** An MCP server with its authorization server: discovery, registration, PKCE, rotating refresh tokens. */
export async function startOAuthServer(): Promise<OAuthServer> {
  const codes = new Map<string, { readonly challenge: string; readonly redirect: string; readonly client: string }>();
  const clients = new Map<string, readonly string[]>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  let refreshes = 0;
  const fresh = (): string => randomBytes(16).toString("hex");
  const issue = () => {
    const pair = { access_token: `at-${fresh()}`, refresh_token: `rt-${fresh()}` };
    access.add(pair.access_token);
    refresh.add(pair.refresh_token);
    return { ...pair, token_type: "Bearer", expires_in: 3600 };
  };
  const base = (request: IncomingMessage): string => `http://${request.headers.host}`;
  const send = (response: ServerResponse, status: number, value: object): true => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
    return true;
  };
  const exchange = async (form: URLSearchParams, response: ServerResponse): Promise<true> => {
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(form.get("code_verifier") ?? ""));
    const isProved = code?.challenge === Buffer.from(digest).toString("base64url");
    const isOurs = code?.redirect === form.get("redirect_uri") && code?.client === form.get("client_id");
    return isProved && isOurs ? send(response, 200, issue()) : send(response, 400, { error: "invalid_grant" });
  };
  const routes: {
    readonly [path: string]: (
      request: IncomingMessage,
      response: ServerResponse,
      body: string,
    ) => boolean | Promise<boolean>;
  } = {
    "/.well-known/oauth-protected-resource/mcp": (request, response) =>
      send(response, 200, { resource: `${base(request)}/mcp`, authorization_servers: [base(request)] }),
    "/.well-known/oauth-authorization-server": (request, response) =>
      send(response, 200, {
        issuer: base(request),
        authorization_endpoint: `${base(request)}/authorize`,
        token_endpoint: `${base(request)}/token`,
        registration_endpoint: `${base(request)}/register`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      }),
    "/register": (_request, response, body) => {
      const asked = JSON.parse(body) as { readonly redirect_uris: readonly string[] };
      const id = `client-${clients.size + 1}`;
      clients.set(id, asked.redirect_uris);
      return send(response, 201, { ...asked, client_id: id });
    },
    "/authorize": (request, response) => {
      const asked = new URL(request.url ?? "/", base(request)).searchParams;
      const [redirect, client] = [asked.get("redirect_uri") ?? "", asked.get("client_id") ?? ""];
      if (clients.get(client)?.includes(redirect) !== true || asked.get("code_challenge_method") !== "S256")
        return send(response, 400, { error: "invalid_request" });
      const code = fresh();
      codes.set(code, { challenge: asked.get("code_challenge") ?? "", redirect, client });
      const back = new URL(redirect);
      back.searchParams.set("code", code);
      back.searchParams.set("state", asked.get("state") ?? "");
      response.writeHead(302, { location: back.href });
      response.end();
      return true;
    },
    "/token": async (_request, response, body) => {
      const form = new URLSearchParams(body);
      if (form.get("grant_type") === "authorization_code") return exchange(form, response);
      // Slow enough for two to come at once. A used token is refused, as rotation demands.
      await new Promise((resolve) => setTimeout(resolve, 150));
      if (!refresh.delete(form.get("refresh_token") ?? "")) return send(response, 400, { error: "invalid_grant" });
      refreshes += 1;
      return send(response, 200, issue());
    },
  };
  const server = await startHttpMcpServer((request, response, body) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const route = routes[pathname];
    if (route !== undefined) return route(request, response, body);
    if (access.has(request.headers.authorization?.slice("Bearer ".length) ?? "")) return false;
    const where = `${base(request)}/.well-known/oauth-protected-resource/mcp`;
    response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${where}"` });
    response.end();
    return true;
  });
  return {
    ...server,
    refreshes: () => refreshes,
    registrations: () => clients.size,
    expire: () => access.clear(),
    revoke: () => refresh.clear(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
