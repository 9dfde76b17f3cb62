import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Denied, findWay, isDenied, isSameHost, type Resolve, type Way } from "./egress.ts";
import { FIRST_WORDS_BYTES_MAX, readFirstWords } from "./first-words.ts";
import type { HostRule } from "./host-rules.ts";

export interface ProxyOptions {
  readonly rules: readonly HostRule[];
  readonly resolve: Resolve;
  readonly onDenied: (denied: Denied) => void;
}

/** An HTTP proxy for connections that come from inside: `take` is given each. */
export interface Proxy {
  readonly take: (socket: Duplex) => void;
  readonly close: () => void;
}

const CONNECT_MAX_MS = 10_000;
const HEADERS_MAX_MS = 20_000;
const WEB_PORTS = [80, 443];

export function createProxy({ rules, resolve, onDenied }: ProxyOptions): Proxy {
  const deny = (denied: Denied): string => {
    onDenied(denied);
    return `${denied.host}:${denied.port} cannot be reached from this sandbox (${denied.reason}); name it in \`network.allow\`\n`;
  };
  const server = createServer({ headersTimeout: HEADERS_MAX_MS }, (asked, answer) => {
    serve(asked, answer).catch(() => answer.destroy());
  });

  const serve = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const url = URL.canParse(asked.url ?? "") ? new URL(asked.url ?? "") : null;
    if (url === null || url.protocol !== "http:")
      return refuse(answer, 400, "this is a proxy: ask for http://host/ or CONNECT\n");
    const way = await findWay(rules, { host: url.hostname, port: Number(url.port || WEB_PORTS[0]) }, resolve);
    if (isDenied(way)) return refuse(answer, 403, deny(way));
    const [name = null, another] = asked.headersDistinct["host"] ?? [];
    if (another !== undefined || !isSameHost(name, way))
      return refuse(answer, 403, deny({ ...way, reason: "other_name" }));
    const outgoing = request({
      host: way.address,
      port: way.port,
      method: asked.method,
      path: `${url.pathname}${url.search}`,
      headers: endToEnd(asked),
      setHost: false,
      agent: false,
      timeout: CONNECT_MAX_MS,
    });
    outgoing.on("response", (incoming) => {
      answer.writeHead(incoming.statusCode ?? 502, incoming.rawHeaders);
      incoming.pipe(answer);
    });
    outgoing.on("error", () => refuse(answer, 502, `${way.host} does not answer\n`));
    answer.on("close", () => outgoing.destroy());
    asked.pipe(outgoing);
  };

  server.on("connect", (asked: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on("error", () => client.destroy());
    const [, host = "", port = ""] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(asked.url ?? "") ?? [];
    findWay(rules, { host, port: Number(port) }, resolve).then(
      (way) => {
        if (isDenied(way)) client.end(plainAnswer("403 Forbidden", deny(way)));
        else {
          client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
          tunnel(client, head, way, deny);
        }
      },
      () => client.destroy(),
    );
  });
  server.on("upgrade", (_asked, client: Duplex) => client.end(plainAnswer("403 Forbidden", "use CONNECT\n")));
  server.on("clientError", (_error, client: Duplex) => client.destroy());
  return {
    take: (socket) => void server.emit("connection", socket),
    close: () => server.closeAllConnections(),
  };
}

/** Nothing that the client says goes out before it is clear that it means the host that it asked for. */
function tunnel(client: Duplex, head: Buffer, way: Way, deny: (denied: Denied) => string): void {
  const server: Socket = connect({ host: way.address, port: way.port, noDelay: true });
  server.setTimeout(CONNECT_MAX_MS, () => server.destroy());
  server.once("connect", () => server.setTimeout(0));
  const end = (): void => {
    client.destroy();
    server.destroy();
  };
  server.on("error", end);
  client.on("close", () => {
    server.end();
    server.setTimeout(CONNECT_MAX_MS, () => server.destroy());
  });
  server.on("close", () => client.end());
  server.pipe(client);
  let said: Buffer = head;
  const listen = (): void => {
    const words = readFirstWords(said);
    if (words.is === "more needed" && said.length < FIRST_WORDS_BYTES_MAX) return;
    client.off("data", onData);
    client.pause();
    if (!isHonest(words, way)) {
      deny({ ...way, reason: "other_name" });
      end();
    } else {
      server.write(said);
      client.pipe(server);
    }
  };
  const onData = (piece: Buffer): void => {
    said = Buffer.concat([said, piece]);
    listen();
  };
  client.on("data", onData);
  if (head.length > 0) listen();
}

/** What is neither TLS nor HTTP names nobody: it passes to a port that a rule names, which is not the web's. */
function isHonest(words: ReturnType<typeof readFirstWords>, way: Way): boolean {
  if (words.is === "tls" && words.name === null) return way.host === way.address;
  if (words.is === "tls" || words.is === "http") return isSameHost(words.name, way);
  return words.is === "other" && !WEB_PORTS.includes(way.port);
}

const HOP_BY_HOP = ["connection", "proxy-connection", "proxy-authorization", "keep-alive", "te", "trailer", "upgrade"];

function endToEnd({ rawHeaders }: IncomingMessage): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!HOP_BY_HOP.includes(name.toLowerCase())) kept.push(name, value);
  }
  return [...kept, "Connection", "close"];
}

function refuse(answer: ServerResponse, status: number, text: string): void {
  if (answer.headersSent) answer.destroy();
  else answer.writeHead(status, { "Content-Type": "text/plain", Connection: "close" }).end(text);
}

function plainAnswer(status: string, text: string): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`;
}
