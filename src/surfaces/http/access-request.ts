import type { IncomingMessage } from "node:http";
import type { LocalConnection } from "../../host/index.ts";
import { sessionBehind } from "./from-session.ts";

/** The parts of a request that are checked before its body is read. */
export interface AccessRequest {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  /** Null for the daemon's Unix socket, which only its owner can open and where no Host header could be forged. */
  readonly connection: LocalConnection | null;
  /** The session whose walls the connection comes from; null for any other connection. */
  readonly fromSession: string | null;
}

export function accessRequestOf({ headers, socket }: Pick<IncomingMessage, "headers" | "socket">): AccessRequest {
  const { host, origin, authorization, cookie } = headers;
  const { remoteAddress, remotePort = 0, localPort = 0 } = socket;
  return {
    ...{ host, origin, authorization, cookie },
    connection: remoteAddress === undefined ? null : { theirPort: remotePort, ourPort: localPort },
    fromSession: sessionBehind(socket),
  };
}
