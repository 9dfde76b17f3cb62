import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { NomosError } from "../../contract/index.ts";
import { type LocalConnection, socketUser } from "../../host/index.ts";
import { createWebFiles } from "../files/web-files.ts";
import { type Late, late } from "../late.ts";
import type { WebSockets } from "../ws/web-sockets.ts";
import { createAccess } from "./access.ts";
import { createBodyRoom } from "./body-room.ts";
import { noteSession } from "./from-session.ts";
import { createRoutes, type HttpSurface } from "./routes.ts";

export interface HttpServer {
  /** 0 when no port was asked for. */
  readonly port: number;
  /** Handles a connection from behind a session's walls like one that came in by the port. */
  readonly take: (socket: Socket, sessionId: string) => void;
  /** Accepts no new connections, ends open streams, and resolves when the last request is answered or cut. */
  readonly close: () => Promise<void>;
}

export interface ListenOptions {
  /** Null: none, the socket alone. */
  readonly port: number | null;
  /** Path of a Unix socket beside the port; null when the path would be too long. */
  readonly socket: string | null;
  readonly connectionsMax: number;
}

const CLOSE_GRACE_MS = 500;
/** A request that is not complete after this time is cut off; checked at the interval. */
const TIMEOUTS_MS = {
  keepAliveTimeout: 65_000,
  requestTimeout: 60_000,
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
};

/** Always binds to loopback; this cannot be configured. */
export async function serveHttp(surface: HttpSurface, options: ListenOptions): Promise<HttpServer> {
  const { authenticate, ready } = surface;
  const { config, daemon } = surface.services;
  const reached = () => ({ port: daemon.port(), publicUrl: originOf(config.show().publicUrl) });
  const access = createAccess({ authenticate, ready, reached, isOwnUser });
  const room = createBodyRoom();
  const mcp = late(async () => (await import("../mcp/mcp-surface.ts")).createMcpSurface({ ...surface, room }));
  const sockets = late(async () => (await import("../ws/web-sockets.ts")).createWebSockets({ ...surface, access }));
  const routes = createRoutes(surface, { access, mcp, room, files: createWebFiles(surface.webFolder) });
  const listener: RequestListener = getRequestListener(routes.fetch, { overrideGlobalObjects: false });
  const tcp = limited(listener, sockets, options.connectionsMax);
  const asked = options.port;
  if (asked !== null) await listening(tcp, () => tcp.listen(asked, "127.0.0.1"), asked);
  const address = tcp.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const servers = [tcp];
  if (options.socket !== null) {
    const local = limited(listener, sockets, options.connectionsMax);
    const path = options.socket;
    await listening(local, () => local.listen(path), port).catch(async (thrown: unknown) => {
      await closeServer(tcp);
      throw thrown;
    });
    servers.push(local);
  }
  return {
    port,
    take: (socket, sessionId) => {
      noteSession(socket, sessionId);
      tcp.emit("connection", socket);
    },
    close: async () => {
      const closing = servers.map(closeServer);
      (await sockets.loaded())?.close();
      await (await mcp.loaded())?.close();
      await Promise.all(closing);
    },
  };
}

/** Root can read the operator's token anyway. Where the system does not tell the user, nobody is refused. */
async function isOwnUser(connection: LocalConnection): Promise<boolean> {
  const user = await socketUser(connection);
  return user === null || user === 0 || user === process.getuid?.();
}

function originOf(address: string | undefined): string | null {
  return address === undefined ? null : new URL(address).origin;
}

function limited(listener: RequestListener, sockets: Late<WebSockets>, connectionsMax: number): Server {
  const server = createServer(TIMEOUTS_MS, listener);
  server.maxConnections = connectionsMax;
  server.on("upgrade", (request, socket, head) => {
    const onError = () => socket.destroy();
    socket.once("error", onError);
    sockets.get().then((loaded) => {
      socket.off("error", onError);
      loaded.upgrade(request, socket, head);
    }, onError);
  });
  return server;
}

function listening(server: Server, listen: () => void, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("listening", () => resolve());
    server.once("error", (cause) => {
      const taken = "code" in cause && cause.code === "EADDRINUSE";
      reject(taken ? new NomosError("port_in_use", { port }, { cause }) : cause);
    });
    listen();
  });
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(timer);
}
