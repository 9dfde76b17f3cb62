import type { RawData, WebSocket } from "ws";
import { NomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import { dispatch, type Services, type Syscall } from "../../syscalls/index.ts";
import { createRpcPeer, type RpcLimits, type RpcOptions } from "../rpc/peer.ts";

export interface ConnectionOptions {
  readonly services: Services;
  readonly syscalls: ReadonlyMap<string, Syscall>;
  /** The caller as of now; null when their token is no longer valid. Throws when they call too often. */
  readonly actor: () => Promise<Actor | null>;
  /** Calls back once their token is no longer valid. Returns a function that stops watching. */
  readonly watch: (ended: () => void) => () => void;
  readonly limits: WsLimits;
}

export interface WsLimits extends RpcLimits {
  /** While more unsent bytes than this wait, nothing more is fetched for this reader. */
  readonly unsentBytesMax: number;
  /** A reader that accepts nothing for this long is cut off. */
  readonly stalledMs: number;
  readonly pingMs: number;
}

const POLICY_VIOLATION = 1008;

/** RPC messages as WebSocket frames, with back-pressure in both directions. */
export function serveConnection(socket: WebSocket, options: ConnectionOptions): void {
  const { limits } = options;
  const call: RpcOptions["call"] = async ({ method, params, key }, signal, unknown) => {
    const syscall = options.syscalls.get(method);
    if (syscall === undefined) throw new NomosError("syscall_unknown", { method });
    const actor = await options.actor();
    const told = unknown === undefined ? {} : { unknown };
    if (actor !== null)
      return dispatch(options.services, syscall, { actor, input: { ...params }, key, signal, ...told });
    setImmediate(() => socket.close(POLICY_VIOLATION, "unauthorized"));
    throw new NomosError("unauthorized");
  };
  const peer = createRpcPeer({ call, limits, send: (text) => send(socket, text, limits) });
  const stopPinging = ping(socket, limits.pingMs, async () => (await options.actor()) !== null);
  const stopWatching = options.watch(() => socket.close(POLICY_VIOLATION, "unauthorized"));
  let received = Promise.resolve();
  let underWay = 0;
  socket.on("message", (data) => {
    underWay += 1;
    socket.pause();
    received = received
      .then(() => peer.receive(bytesOf(data)))
      .finally(() => {
        underWay -= 1;
        if (underWay === 0) socket.resume();
      });
  });
  socket.on("close", () => {
    stopPinging();
    stopWatching();
    peer.close();
  });
  // A socket error is followed by `close`, which cleans up.
  socket.on("error", () => socket.terminate());
}

function send(socket: WebSocket, text: string, limits: WsLimits): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.readyState !== socket.OPEN) return reject(new Error("the connection is closed"));
    let stalled: NodeJS.Timeout | null = null;
    socket.send(text, (error) => {
      if (stalled !== null) clearTimeout(stalled);
      if (error === undefined || error === null) resolve();
      else reject(error);
    });
    if (socket.bufferedAmount <= limits.unsentBytesMax) resolve();
    else stalled = setTimeout(() => socket.terminate(), limits.stalledMs);
  });
}

/** Pings the client and checks that its token is still valid. */
function ping(socket: WebSocket, everyMs: number, mayStay: () => Promise<boolean>): () => void {
  let alive = true;
  const isAlive = (): void => {
    alive = true;
  };
  socket.on("pong", isAlive);
  socket.on("message", isAlive);
  const timer = setInterval(() => {
    // While reading is paused, a pong cannot be seen: it is behind unread messages.
    if (!alive && !socket.isPaused) return socket.terminate();
    alive = false;
    socket.ping();
    mayStay().then(
      (may) => {
        if (!may) socket.close(POLICY_VIOLATION, "unauthorized");
      },
      () => undefined,
    );
  }, everyMs);
  return () => clearInterval(timer);
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
