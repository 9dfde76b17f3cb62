import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type Denied, findWay, isDenied, type Resolve } from "./egress.ts";
import type { HostRule } from "./host-rules.ts";
import { forwardRequest, honestPath } from "./http-forward.ts";
import { createTunnels, HTTP_LIMITS } from "./tunnel.ts";

export interface ProxyOptions {
  readonly rules: readonly HostRule[];
  readonly resolve: Resolve;
  readonly onDenied: (denied: Denied) => void;
}

/** An HTTP proxy for connections from inside; `take` receives each of them. */
export interface Proxy {
  readonly take: (socket: Duplex) => void;
  readonly close: () => void;
}

const HTTP_PORT = 80;

export function createProxy({ rules, resolve, onDenied }: ProxyOptions): Proxy {
  const deny = (denied: Denied): string => {
    onDenied(denied);
    return `${denied.host}:${denied.port} cannot be reached from this sandbox (${denied.reason}); name it in \`network.allow\`\n`;
  };
  const tunnels = createTunnels(deny);
  const server = createServer(HTTP_LIMITS, (asked, answer) => {
    serve(asked, answer).catch(() => answer.destroy());
  });

  const serve = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const url = URL.canParse(asked.url ?? "") ? new URL(asked.url ?? "") : null;
    if (url === null || url.protocol !== "http:")
      return refuse(answer, 400, "this is a proxy: ask for http://host/ or CONNECT\n");
    const way = await findWay(rules, { host: url.hostname, port: Number(url.port || HTTP_PORT) }, resolve);
    if (isDenied(way)) return refuse(answer, 403, deny(way));
    const path = honestPath(asked, way);
    if (path === null) return refuse(answer, 403, deny({ ...way, reason: "other_name" }));
    forwardRequest(asked, answer, way, path);
  };

  server.on("connect", (asked: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on("error", () => client.destroy());
    const [, host = "", port = ""] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(asked.url ?? "") ?? [];
    findWay(rules, { host, port: Number(port) }, resolve).then(
      (way) => {
        if (isDenied(way)) client.end(plainAnswer("403 Forbidden", deny(way)));
        else {
          client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
          tunnels.open(client, head, way);
        }
      },
      () => client.destroy(),
    );
  });
  server.on("upgrade", (_asked, client: Duplex) => client.end(plainAnswer("403 Forbidden", "use CONNECT\n")));
  server.on("clientError", (_error, client: Duplex) => client.destroy());
  return {
    take: (socket) => void server.emit("connection", socket),
    close: () => {
      server.closeAllConnections();
      tunnels.close();
    },
  };
}

function refuse(answer: ServerResponse, status: number, text: string): void {
  if (answer.headersSent) answer.destroy();
  else answer.writeHead(status, { "Content-Type": "text/plain", Connection: "close" }).end(text);
}

function plainAnswer(status: string, text: string): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`;
}
