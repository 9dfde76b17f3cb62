import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type Duplex, pipeline } from "node:stream";
import { isSameHost, type Way } from "./egress.ts";

const CONNECT_MAX_MS = 10_000;

/**
 * Forwards one request, rewritten for the checked address. Anything that servers may parse differently (lengths, lines,
 * hosts) is parsed once by us and sent in one form. Only the body is passed on as it came.
 */
export function forwardRequest(asked: IncomingMessage, answer: ServerResponse, way: Way, path: string): void {
  const outgoing = send(asked, way, path, [...framing(asked), "Connection", "close"]);
  outgoing.on("response", (incoming) => {
    try {
      answer.writeHead(incoming.statusCode ?? BAD_GATEWAY, endToEnd(incoming.rawHeaders, incoming));
    } catch (thrown) {
      answer.destroy(thrown instanceof Error ? thrown : undefined);
      return;
    }
    pipeline(incoming, answer, () => undefined);
  });
  outgoing.on("error", () => {
    if (answer.headersSent) answer.destroy();
    else answer.writeHead(BAD_GATEWAY, { "Content-Type": "text/plain" }).end(`${way.host} does not answer\n`);
  });
  answer.on("close", () => outgoing.destroy());
  asked.pipe(outgoing);
}

const BAD_GATEWAY = 502;

/** Only WebSocket upgrades: once the server agrees, no more requests follow on this connection. */
export function forwardUpgrade(asked: IncomingMessage, client: Duplex, early: Buffer, way: Way, path: string): void {
  const outgoing = send(asked, way, path, ["Connection", "Upgrade", "Upgrade", "websocket"]);
  outgoing.on("upgrade", (incoming, server, head) => {
    if (!isWebSocket(incoming)) {
      server.destroy();
      client.destroy();
      return;
    }
    client.write(headOf(incoming, ["Connection", "Upgrade", "Upgrade", "websocket"]));
    client.write(head);
    server.write(early);
    server.on("error", () => client.destroy());
    server.on("close", () => client.destroy());
    client.on("close", () => server.destroy());
    server.pipe(client).pipe(server);
  });
  outgoing.on("response", (incoming) => {
    client.write(headOf(incoming, ["Connection", "close"]));
    pipeline(incoming, client, () => undefined);
  });
  outgoing.on("error", () => client.destroy());
  client.on("close", () => outgoing.destroy());
  outgoing.end();
}

export function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return (method === undefined || method === null || method === "GET") && /^websocket$/i.test(headers.upgrade ?? "");
}

/** The path to request, if the request names the tunnel's host and no other; else null. */
export function honestPath(asked: IncomingMessage, way: Way): string | null {
  const [name = null, another] = asked.headersDistinct["host"] ?? [];
  if (another !== undefined || !isSameHost(name, way)) return null;
  const target = asked.url ?? "";
  if (target.startsWith("/") || target === "*") return target;
  const url = /^http:\/\//i.test(target) && URL.canParse(target) ? new URL(target) : null;
  if (url === null || !isSameHost(`${url.hostname}:${url.port || HTTP_PORT}`, way)) return null;
  return `${url.pathname}${url.search}`;
}

const HTTP_PORT = 80;

function send(asked: IncomingMessage, way: Way, path: string, ours: readonly string[]): ClientRequest {
  const [said = ""] = asked.headersDistinct["host"] ?? [];
  const name = way.host.includes(":") ? `[${way.host}]` : way.host;
  const host = /:\d+$/.test(said) ? `${name}:${way.port}` : name;
  const rest = endToEnd(asked.rawHeaders, asked);
  const theirs = rest.filter(
    (_, at) => !["host", "content-length"].includes((rest[at - (at % 2)] ?? "").toLowerCase()),
  );
  return request({
    host: way.address,
    port: way.port,
    method: asked.method,
    path,
    headers: ["Host", host, ...theirs, ...ours],
    setHost: false,
    agent: false,
    timeout: CONNECT_MAX_MS,
  });
}

/** Our own framing headers for the body. */
function framing({ headers, method }: IncomingMessage): readonly string[] {
  if (headers["transfer-encoding"] !== undefined) return ["Transfer-Encoding", "chunked"];
  if (headers["content-length"] !== undefined) return ["Content-Length", headers["content-length"]];
  return BODILESS.includes(method ?? "") ? [] : ["Content-Length", "0"];
}

const BODILESS = ["GET", "HEAD", "OPTIONS", "TRACE", "DELETE"];
const HOP_BY_HOP = [
  ...["connection", "proxy-connection", "proxy-authorization", "keep-alive", "te", "trailer", "upgrade"],
  ...["transfer-encoding", "http2-settings"],
];

/** Headers without those meant for the next hop only. */
function endToEnd(rawHeaders: readonly string[], { headers }: IncomingMessage): string[] {
  const named = (headers.connection ?? "").toLowerCase().split(",");
  const dropped = new Set([...HOP_BY_HOP, ...named.map((one) => one.trim()).filter((one) => !KEPT.includes(one))]);
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!dropped.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

/** A client cannot have these removed by listing them in `Connection`. */
const KEPT = ["host", "content-length", "content-type", "authorization", "cookie"];

function headOf(incoming: IncomingMessage, ours: readonly string[]): string {
  const all = [...endToEnd(incoming.rawHeaders, incoming), ...ours];
  const lines = all.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${all[at + 1] ?? ""}`] : []));
  return [`HTTP/1.1 ${incoming.statusCode} ${incoming.statusMessage ?? ""}`, ...lines, "", ""].join("\r\n");
}
