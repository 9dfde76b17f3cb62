import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectionsMax, type OpenedHome, operatorToken, setting } from "../services/index.ts";
import { type HttpServer, serveHttp } from "../surfaces/index.ts";
import { createAuthenticator, type Services, type Syscall } from "../syscalls/index.ts";
import type { Machine } from "./machine.ts";

/** The operating system limits a socket's path to 108 bytes. */
const SOCKET_PATH_MAX = 100;

export interface Served extends HttpServer {
  /** Null when the home's path is too long for a socket. */
  readonly socket: string | null;
}

/** Listens on the port and on the home's socket. Calls are refused with `starting` until `ready` is true. */
export async function serve(parts: {
  readonly opened: OpenedHome;
  readonly machine: Machine;
  readonly services: Services;
  readonly syscalls: readonly Syscall[];
  /** Null: use the configured one. `none`: the home's socket alone. */
  readonly port: number | "none" | null;
  readonly webFolder: string | undefined;
  readonly ready: () => boolean;
  readonly stopping: AbortSignal;
}): Promise<Served> {
  const { opened, machine, services, syscalls, ready, stopping } = parts;
  const { home, config, log } = opened;
  const operator = await operatorToken(home);
  const path = join(home, "nomos.sock");
  await rm(path, { force: true });
  const socket = path.length < SOCKET_PATH_MAX ? path : null;
  const server = await serveHttp(
    {
      services,
      syscalls,
      ...createAuthenticator({
        operator,
        tokens: services.tokens,
        links: services.links,
        processes: machine.processes,
        roles: services.roles,
      }),
      ready,
      requestBytesMax: setting(config, "requestBytesMax"),
      webFolder: parts.webFolder ?? builtWebFolder(),
      stopping,
      log: log.write,
    },
    {
      port: parts.port === "none" ? null : (parts.port ?? setting(config, "port")),
      socket,
      connectionsMax: connectionsMax(config, log.write),
    },
  );
  return { ...server, socket };
}

/** `npm run build` writes it, in a checkout and in the package. */
function builtWebFolder(): string {
  return join(dirname(fileURLToPath(new URL("../../package.json", import.meta.url))), "dist", "web");
}
