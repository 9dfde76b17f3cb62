import { createServer, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Denied, isSameHost, type Way } from "./egress.ts";
import { FIRST_WORDS_BYTES_MAX, type FirstWords, readFirstWords } from "./first-words.ts";
import { forwardRequest, forwardUpgrade, honestPath, isWebSocket } from "./http-forward.ts";

/** Connections opened with CONNECT to allowed hosts. */
export interface Tunnels {
  readonly open: (client: Duplex, head: Buffer, way: Way) => void;
  readonly close: () => void;
}

const CONNECT_MAX_MS = 10_000;
const HEADERS_MAX_MS = 20_000;
const WEB_PORTS = [80, 443];

/** Limits of the server that parses requests from inside. A large upload may take long. */
export const HTTP_LIMITS = {
  headersTimeout: HEADERS_MAX_MS,
  requestTimeout: 0,
  maxHeaderSize: FIRST_WORDS_BYTES_MAX,
  insecureHTTPParser: false,
} as const;

export function createTunnels(deny: (denied: Denied) => void): Tunnels {
  const ways = new WeakMap<Duplex, Way>();
  const cut = (socket: Duplex, way: Way): void => {
    deny({ ...way, reason: "other_name" });
    socket.destroy();
  };
  /** Where a request goes, checked like the first one. Null when the connection was cut. */
  const judge = (asked: IncomingMessage, socket: Duplex): { way: Way; path: string } | null => {
    const way = ways.get(socket);
    const path = way === undefined ? null : honestPath(asked, way);
    if (way !== undefined && path !== null) return { way, path };
    if (way === undefined) socket.destroy();
    else cut(socket, way);
    return null;
  };
  const orCut = (socket: Duplex, work: () => void): void => {
    try {
      work();
    } catch (thrown) {
      // An invalid path or header.
      socket.destroy(thrown instanceof Error ? thrown : undefined);
    }
  };
  const http = createServer(HTTP_LIMITS, (asked, answer) => {
    const judged = judge(asked, asked.socket);
    if (judged !== null) orCut(asked.socket, () => forwardRequest(asked, answer, judged.way, judged.path));
  });
  http.on("upgrade", (asked, client: Duplex, head: Buffer) => {
    client.on("error", () => client.destroy());
    const judged = judge(asked, client);
    if (judged === null) return;
    if (!isWebSocket(asked)) cut(client, judged.way);
    else orCut(client, () => forwardUpgrade(asked, client, head, judged.way, judged.path));
  });
  http.on("connect", (_asked, client: Duplex) => {
    const way = ways.get(client);
    if (way === undefined) client.destroy();
    else cut(client, way);
  });
  http.on("clientError", (_error, client: Duplex) => client.destroy());

  const open: Tunnels["open"] = (client, head, way) => {
    // On web ports the client speaks first. On others the server may, so the connection is made at once.
    const early = WEB_PORTS.includes(way.port) ? null : bridge(client, way);
    let said: Buffer = head;
    const listen = (): void => {
      const words = readFirstWords(said);
      if (words.is === "more needed" && said.length < FIRST_WORDS_BYTES_MAX) return;
      client.off("data", onData);
      client.pause();
      if (words.is === "http") {
        early?.drop();
        ways.set(client, way);
        client.unshift(said);
        http.emit("connection", client);
        client.resume();
      } else if (isHonest(words, way)) (early ?? bridge(client, way)).goOn(said);
      else {
        early?.drop();
        cut(client, way);
      }
    };
    const onData = (piece: Buffer): void => {
      said = Buffer.concat([said, piece]);
      listen();
    };
    client.on("data", onData);
    if (head.length > 0) listen();
  };
  return { open, close: () => http.closeAllConnections() };
}

interface Bridge {
  readonly goOn: (said: Buffer) => void;
  /** Disconnects the server; the client stays. */
  readonly drop: () => void;
}

/** Sends nothing to the server until it is clear that the client means the host it asked for. */
function bridge(client: Duplex, way: Way): Bridge {
  const server: Socket = connect({ host: way.address, port: way.port, noDelay: true });
  server.setTimeout(CONNECT_MAX_MS, () => server.destroy());
  server.once("connect", () => server.setTimeout(0));
  const end = (): void => {
    client.destroy();
    server.destroy();
  };
  const onClientClose = (): void => {
    server.end();
    server.setTimeout(CONNECT_MAX_MS, () => server.destroy());
  };
  const onServerClose = (): void => void client.end();
  server.on("error", end);
  client.on("close", onClientClose);
  server.on("close", onServerClose);
  server.pipe(client);
  return {
    goOn: (said) => {
      server.write(said);
      client.pipe(server);
    },
    drop: () => {
      server.off("error", end);
      server.on("error", () => undefined);
      server.off("close", onServerClose);
      client.off("close", onClientClose);
      server.unpipe(client);
      server.destroy();
    },
  };
}

/**
 * A protocol other than TLS or HTTP names no host. It is allowed only on a port that a rule names and that is not a web
 * port.
 */
function isHonest(words: FirstWords, way: Way): boolean {
  if (words.is === "tls") return words.name === null ? way.host === way.address : isSameHost(words.name, way);
  return words.is === "other" && !WEB_PORTS.includes(way.port);
}
