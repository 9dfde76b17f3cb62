import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { connect, createServer, isIP, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { FOLDER_FLAGS, pathOfDescriptor } from "../../files/held-folder.ts";
import type { Door } from "../walls.ts";
import { type Denied, type Resolve, systemResolve } from "./egress.ts";
import { type HostRule, isExact, isLoopbackHost } from "./host-rules.ts";
import { createProxy } from "./proxy.ts";
import { isOwnMachine } from "./public-address.ts";

export interface DoorOptions {
  /** Where the socket is made; private to the daemon (mode 0700). */
  readonly folder: string;
  readonly name: string;
  readonly rules: readonly HostRule[];
  /** The daemon's own port, which no rule can open, and the handler of connections to it; null refuses them. */
  readonly daemon: { readonly port: number; readonly take: ((socket: Socket) => void) | null };
  readonly onDenied: (denied: Denied) => void;
  readonly resolve?: Resolve;
}

/**
 * The daemon's end of the door. Each connection goes to the daemon, to an allowed port on loopback, or to the proxy.
 */
export interface OpenDoor extends Door {
  readonly close: () => void;
}

const CONNECTIONS_MAX = 256;
const PROXY_PORT = 3128;
const PORT_WORD_BYTES = 2;
const PORT_WORD_MAX_MS = 10_000;
/** Linux limits a Unix socket's path to this. */
const SOCKET_PATH_BYTES_MAX = 107;

export function openDoor(options: DoorOptions): OpenDoor {
  const { daemon, onDenied, resolve = systemResolve() } = options;
  // Over the proxy, the daemon could not tell which session a connection belongs to.
  const rules = options.rules.filter(({ host, port }) => !(leadsHere(host) && port === daemon.port));
  const local = new Map(
    rules.filter((rule) => isExact(rule) && isLoopbackHost(rule.host)).map(({ host, port }) => [port ?? 0, host]),
  );
  const taken = [...local.keys(), ...(daemon.take === null ? [] : [daemon.port])];
  const proxyPort = freePort(taken);
  const proxy = createProxy({ rules, resolve, onDenied });
  const open = new Set<Socket>();

  const route = (socket: Socket, port: number): void => {
    const host = local.get(port);
    if (port === daemon.port && daemon.take !== null) daemon.take(socket);
    else if (port === proxyPort) proxy.take(socket);
    else if (host !== undefined) bridge(socket, connect({ host, port, allowHalfOpen: true, noDelay: true }));
    else socket.destroy();
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    readPort(socket, (port) => route(socket, port));
  });
  server.maxConnections = CONNECTIONS_MAX;
  const socket = listen(server, options.folder, options.name);
  const url = `http://127.0.0.1:${proxyPort}`;
  return {
    socket,
    ports: [...new Set([...taken, proxyPort])],
    environment: proxyVariables(url),
    close: () => {
      server.close();
      proxy.close();
      for (const one of open) one.destroy();
      rmSync(socket, { force: true });
    },
  };
}

/** Loopback in any spelling: `0.0.0.0` and `::ffff:127.0.0.1` lead there too. */
function leadsHere(host: string): boolean {
  return isLoopbackHost(host) || (isIP(host) !== 0 && isOwnMachine(host));
}

/** When one side ends, data still on its way to the other is delivered. */
function bridge(near: Socket, far: Socket): void {
  far.on("error", () => near.destroy());
  far.on("close", () => near.end());
  near.on("close", (hadError) => (hadError ? far.destroy() : far.end()));
  near.pipe(far).pipe(near);
}

function proxyVariables(url: string): Record<string, string> {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  const none = "127.0.0.1,localhost,::1";
  // Node uses the proxy variables only if NODE_USE_ENV_PROXY is set.
  return {
    ...Object.fromEntries(names.map((name) => [name, url])),
    NO_PROXY: none,
    no_proxy: none,
    NODE_USE_ENV_PROXY: "1",
  };
}

function freePort(taken: readonly number[]): number {
  let port = PROXY_PORT;
  while (taken.includes(port)) port += 1;
  return port;
}

/** The forwarder first sends the requested port in two bytes. */
function readPort(socket: Socket, then: (port: number) => void): void {
  const impatient = setTimeout(() => socket.destroy(), PORT_WORD_MAX_MS);
  socket.once("close", () => clearTimeout(impatient));
  let said = Buffer.alloc(0);
  const onData = (piece: Buffer): void => {
    said = Buffer.concat([said, piece]);
    if (said.length < PORT_WORD_BYTES) return;
    clearTimeout(impatient);
    socket.off("data", onData);
    socket.pause();
    if (said.length > PORT_WORD_BYTES) socket.unshift(said.subarray(PORT_WORD_BYTES));
    then(said.readUInt16BE(0));
    socket.resume();
  };
  socket.on("data", onData);
}

/** Already listening when it returns: a local path needs no waiting. */
function listen(server: Server, folder: string, name: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  // A socket's path is limited in length; a path through an open directory is short.
  const fd = Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX ? openSync(folder, FOLDER_FLAGS) : null;
  let problem: Error | null = null;
  server.on("error", (error) => {
    problem = error;
  });
  server.listen(fd === null ? path : join(pathOfDescriptor(fd) ?? folder, name));
  if (fd !== null) closeSync(fd);
  if (!server.listening) throw new Error(`cannot listen at ${path}`, { cause: problem });
  return path;
}
