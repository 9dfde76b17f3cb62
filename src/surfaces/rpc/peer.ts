import { errorBody, NomosError, toNomosError } from "../../contract/index.ts";
import type { Actor } from "../../kernel/index.ts";
import { dispatch, type Services, type StreamItem, type Syscall } from "../../syscalls/index.ts";
import { opened } from "../opened.ts";
import { type RpcAnswer, type RpcId, type RpcRequest, readRequest } from "./message.ts";

export interface RpcOptions {
  readonly services: Services;
  readonly syscalls: readonly Syscall[];
  /** Who is asking, as of now; null when their token is no longer good. Throws when they ask too often. */
  readonly actor: () => Promise<Actor | null>;
  /** Resolves when the other side has room for more; rejects when it is gone. */
  readonly send: (text: string) => Promise<void>;
  /** Called once the other side may no longer speak. */
  readonly expel: () => void;
  readonly limits?: Partial<RpcLimits>;
}

export interface RpcLimits {
  readonly callsMax: number;
  readonly callBytesMax: number;
  readonly subscriptionsMax: number;
}

export const RPC_LIMITS: RpcLimits = { callsMax: 256, callBytesMax: 67_108_864, subscriptionsMax: 32 };

/** One client of the RPC protocol, over whatever brings its messages. */
export interface RpcPeer {
  /** One message. Resolves when the next may come: as long as too much is under way, it does not. */
  readonly receive: (bytes: Uint8Array) => Promise<void>;
  /** Takes back whatever is under way. */
  readonly close: () => void;
  /** Resolves when nothing is under way. */
  readonly idle: () => Promise<void>;
}

export function createRpcPeer(options: RpcOptions): RpcPeer {
  const limits = { ...RPC_LIMITS, ...options.limits };
  const byName = new Map(options.syscalls.map((syscall) => [syscall.name, syscall]));
  const calls = new Map<RpcId, { readonly abort: AbortController; readonly done: Promise<void> }>();
  const subscriptions = new Map<string, AbortController>();
  let callBytes = 0;
  let subscribed = 0;

  /** Whoever is gone needs no answer. */
  const send = (answer: RpcAnswer): Promise<void> => options.send(JSON.stringify(answer)).catch(() => undefined);
  const refuse = (id: RpcId | null, thrown: unknown) => send({ id, ...errorBody(toNomosError(thrown)) });

  const ask = async (request: RpcRequest, method: string, params: RpcRequest["params"], signal: AbortSignal) => {
    const syscall = byName.get(method);
    if (syscall === undefined) throw new NomosError("syscall_unknown", { method });
    const actor = await options.actor();
    if (actor === null) {
      options.expel();
      throw new NomosError("unauthorized");
    }
    return dispatch(options.services, syscall, { actor, input: { ...params }, key: request.key, signal });
  };

  const subscribe = async (request: RpcRequest): Promise<void> => {
    const { method, params } = request.params;
    if (subscriptions.size >= limits.subscriptionsMax)
      throw new NomosError("limit_reached", { limit: "subscriptions", max: limits.subscriptionsMax });
    const abort = new AbortController();
    const output = await ask(request, String(method), isObject(params) ? params : {}, abort.signal);
    if (!("stream" in output)) throw new NomosError("invalid_request", { method: String(method), is: "no stream" });
    const items = await opened(output.stream);
    const subscription = `s${++subscribed}`;
    subscriptions.set(subscription, abort);
    await send({ id: request.id, result: { subscription } });
    pump(subscription, items, abort.signal).catch(() => undefined);
  };

  const pump = async (subscription: string, items: AsyncIterable<StreamItem>, signal: AbortSignal): Promise<void> => {
    const closed = (data: object) => send({ event: "closed", subscription, data });
    try {
      for await (const { event, data, id } of items) {
        await options.send(JSON.stringify({ event, subscription, data, ...(id === undefined ? {} : { cursor: id }) }));
        if (signal.aborted) break;
      }
      await closed({ reason: signal.aborted ? "unsubscribed" : "ended" });
    } catch (thrown) {
      await closed({ reason: "failed", ...errorBody(toNomosError(thrown)) });
    } finally {
      subscriptions.delete(subscription);
    }
  };

  const callNamed = (id: unknown) => (typeof id === "string" || typeof id === "number" ? calls.get(id) : undefined);

  const answer = async (request: RpcRequest, abort: AbortController): Promise<void> => {
    const { id, method, params } = request;
    if (method === "subscribe") return subscribe(request);
    if (method === "unsubscribe")
      return send({ id, result: { ok: stop(subscriptions.get(String(params["subscription"]))) } });
    if (method === "cancel") return send({ id, result: { ok: stop(callNamed(params["id"])?.abort) } });
    const output = await ask(request, method, params, abort.signal);
    if ("stream" in output) throw new NomosError("invalid_request", { method, is: "a stream: `subscribe` to it" });
    if (abort.signal.aborted) throw new NomosError("call_cancelled", { id });
    await send({ id, result: output.value ?? {} });
  };

  const room = async (): Promise<void> => {
    while (calls.size >= limits.callsMax || (calls.size > 0 && callBytes > limits.callBytesMax))
      await Promise.race([...calls.values()].map(({ done }) => done));
  };

  return {
    receive: async (bytes) => {
      const request = readRequest(bytes);
      if ("error" in request) return refuse(request.id, request.error);
      if (calls.has(request.id))
        return refuse(null, new NomosError("invalid_request", { id: request.id, is: "in use" }));
      const abort = new AbortController();
      callBytes += bytes.length;
      const done = answer(request, abort)
        .catch((thrown) => refuse(request.id, abort.signal.aborted ? new NomosError("call_cancelled") : thrown))
        .finally(() => {
          calls.delete(request.id);
          callBytes -= bytes.length;
        });
      calls.set(request.id, { abort, done });
      await room();
    },
    close: () => {
      for (const { abort } of calls.values()) abort.abort();
      for (const abort of subscriptions.values()) abort.abort();
    },
    idle: async () => {
      await Promise.all([...calls.values()].map(({ done }) => done));
    },
  };
}

function stop(abort: AbortController | undefined): boolean {
  abort?.abort();
  return abort !== undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
