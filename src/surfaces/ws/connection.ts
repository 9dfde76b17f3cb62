import type { RawData, WebSocket } from "ws";
import { NomosError } from "../../contract/index.ts";
import type { Actor } from "../../kernel/index.ts";
import { dispatch, type Services, type Syscall } from "../../syscalls/index.ts";
import { createRpcPeer, type RpcLimits, type RpcOptions } from "../rpc/peer.ts";

export interface ConnectionOptions {
  readonly services: Services;
  readonly syscalls: ReadonlyMap<string, Syscall>;
  /** Who is asking, as of now; null when their token is no longer good. Throws when they ask too often. */
  readonly actor: () => Promise<Actor | null>;
  /** Calls back once their token is no longer good. Returns the way to stop. */
  readonly watch: (ended: () => void) => () => void;
  readonly limits: WsLimits;
}

export interface WsLimits extends RpcLimits {
  /** Unsent bytes above which nothing more is fetched for this reader. */
  readonly unsentBytesMax: number;
  /** A reader that takes nothing for this long is cut off. */
  readonly stalledMs: number;
  readonly pingMs: number;
}

const POLICY_VIOLATION = 1008;

/** RPC messages as frames. Nothing piles up: what one side cannot take, the other does not send. */
export function serveConnection(socket: WebSocket, options: ConnectionOptions): void {
  const { limits } = options;
  const call: RpcOptions["call"] = async ({ method, params, key }, signal) => {
    const syscall = options.syscalls.get(method);
    if (syscall === undefined) throw new NomosError("syscall_unknown", { method });
    const actor = await options.actor();
    if (actor !== null) return dispatch(options.services, syscall, { actor, input: { ...params }, key, signal });
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
  // What is wrong with the connection ends it; `close` comes after this.
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

/** Asks for a sign of life, and whether the one who speaks may still do so. */
function ping(socket: WebSocket, everyMs: number, mayStay: () => Promise<boolean>): () => void {
  let alive = true;
  const isAlive = (): void => {
    alive = true;
  };
  socket.on("pong", isAlive);
  socket.on("message", isAlive);
  const timer = setInterval(() => {
    // While reading is paused the pong cannot be seen: it stands behind messages that we have not taken yet.
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
