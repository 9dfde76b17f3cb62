import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { ERROR_CATALOGUE, errorBody, NomosError, toNomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import type { Services, Syscall } from "../../syscalls/index.ts";
import type { Access } from "../http/access.ts";
import { accessRequestOf } from "../http/access-request.ts";
import { RPC_LIMITS } from "../rpc/peer.ts";
import { createShares } from "../shares.ts";
import { serveConnection, type WsLimits } from "./connection.ts";

export interface WsOptions {
  readonly services: Services;
  readonly syscalls: readonly Syscall[];
  readonly authenticate: (secret: string) => Promise<Actor | null>;
  readonly recall: (actor: Actor) => Promise<Actor | null>;
  readonly access: Access;
  readonly requestBytesMax: number;
  readonly limits?: Partial<WsLimits>;
}

interface Admitted {
  readonly principal: string;
  readonly whoIs: () => Promise<Actor | null>;
  readonly giveBack: () => void;
}

export interface WebSockets {
  /** Handles the server's `upgrade`: opens a connection or refuses in HTTP. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly close: () => void;
}

const WS_PATH = "/api/ws";
/** The subprotocol a browser offers beside its pass; this one is chosen, so the secret is not sent back. */
const WS_PROTOCOL = "nomos.rpc.v1";
const TICKET_PROTOCOL = /^nomos\.ticket\.([0-9a-f]{48})$/;
const GOING_AWAY = 1001;
/** A client that does not close within this time is cut off. */
const GOODBYE_MS = 300;
const CONNECTIONS_MAX = 256;

const WS_LIMITS: WsLimits = {
  ...RPC_LIMITS,
  unsentBytesMax: 1_048_576,
  stalledMs: 60_000,
  pingMs: 25_000,
};

/** WebSocket at /api/ws, with the same checks as HTTP; the token is checked again with each message. */
export function createWebSockets(options: WsOptions): WebSockets {
  const limits = { ...WS_LIMITS, ...options.limits };
  const syscalls = new Map(options.syscalls.map((syscall) => [syscall.name, syscall]));
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: options.requestBytesMax,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(WS_PROTOCOL) ? WS_PROTOCOL : false),
  });

  const connections = createShares("WebSockets");

  const admit = async (request: IncomingMessage): Promise<Admitted> => {
    const asked = accessRequestOf(request);
    options.access.guard(asked);
    if (pathOf(request) !== WS_PATH) throw new NomosError("route_not_found", { path: pathOf(request) });
    if (server.clients.size >= CONNECTIONS_MAX)
      throw new NomosError("too_many_connections", { connectionsMax: CONNECTIONS_MAX });
    const secret = options.access.secretOf(asked);
    if (secret !== null) {
      const actor = await options.access.login(asked);
      const giveBack = connections.take(actor);
      return { principal: actor.principal, whoIs: () => options.authenticate(secret), giveBack };
    }
    const ticket = asked.fromSession === null ? ticketOf(request) : null;
    const actor = ticket === null ? null : options.services.passes.redeem(ticket);
    if (actor === null) return options.access.refuseLogin(asked);
    const { principal } = actor;
    return { principal, whoIs: () => options.recall(actor), giveBack: connections.take(actor) };
  };

  return {
    upgrade: (request, socket, head) => {
      const onError = () => socket.destroy();
      socket.once("error", onError);
      admit(request).then(
        ({ principal, whoIs, giveBack }) => {
          if (socket.destroyed) return giveBack();
          socket.off("error", onError);
          socket.once("close", giveBack);
          socket.once("close", options.services.instruments.opened("ws"));
          server.handleUpgrade(request, socket, head, (connection) =>
            serveConnection(connection, {
              services: options.services,
              syscalls,
              limits,
              actor: counted(whoIs, options.access),
              watch: (ended) => options.services.tokens.watch(principal, ended),
            }),
          );
        },
        (thrown: unknown) => refuse(socket, toNomosError(thrown)),
      );
    },
    close: () => {
      for (const client of server.clients) {
        client.close(GOING_AWAY, "the daemon stops");
        setTimeout(() => client.terminate(), GOODBYE_MS).unref();
      }
      server.close();
    },
  };
}

function counted(whoIs: () => Promise<Actor | null>, access: Access): () => Promise<Actor | null> {
  return async () => {
    const actor = await whoIs();
    if (actor !== null) access.limit(actor);
    return actor;
  };
}

function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

function ticketOf({ headers }: IncomingMessage): string | null {
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
  return offered.flatMap((one) => TICKET_PROTOCOL.exec(one)?.[1] ?? [])[0] ?? null;
}

function refuse(socket: Duplex, error: NomosError): void {
  const { status } = ERROR_CATALOGUE[error.code];
  const body = JSON.stringify(errorBody(error));
  const head = [
    `HTTP/1.1 ${status} ${error.code}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
