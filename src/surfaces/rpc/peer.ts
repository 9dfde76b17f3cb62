import { errorBody, NomosError, toNomosError } from "../../contract/index.ts";
import type { StreamItem, Syscall } from "../../syscalls/index.ts";
import { type RpcAnswer, type RpcId, type RpcRequest, readRequest } from "./message.ts";

/** Called with the members of a call that its syscall does not know. */
type Unknown = (members: readonly string[]) => void;

export interface RpcOptions {
  /** Runs a syscall by its name. Throws refusals. */
  readonly call: (asked: Omit<RpcRequest, "id">, signal: AbortSignal, unknown?: Unknown) => ReturnType<Syscall["run"]>;
  /** Resolves when the other side can take more; rejects when it is gone. */
  readonly send: (text: string) => Promise<void>;
  readonly limits?: Partial<RpcLimits>;
}

export interface RpcLimits {
  readonly callsMax: number;
  readonly callBytesMax: number;
  readonly subscriptionsMax: number;
}

const END_WAIT_MAX_MS = 3_600_000;

export const RPC_LIMITS: RpcLimits = { callsMax: 256, callBytesMax: 67_108_864, subscriptionsMax: 32 };

/** One client of the RPC protocol, independent of the transport. */
export interface RpcPeer {
  /** Handles one message. Resolves when the next may be sent, which limits the running calls. */
  readonly receive: (bytes: Uint8Array) => Promise<void>;
  /** Cancels everything under way. */
  readonly close: () => void;
}

export function createRpcPeer(options: RpcOptions): RpcPeer {
  const limits = { ...RPC_LIMITS, ...options.limits };
  const calls = new Map<RpcId, { readonly abort: AbortController; readonly done: Promise<void> }>();
  const subscriptions = new Map<string, AbortController>();
  const pumps = new Set<Promise<void>>();
  let callBytes = 0;
  let subscribed = 0;
  let cancelled = 0;

  /** A client that is gone gets no answer. */
  const send = (answer: RpcAnswer): Promise<void> => options.send(JSON.stringify(answer)).catch(() => undefined);
  const refuse = (id: RpcId | null, thrown: unknown) => send({ id, ...errorBody(toNomosError(thrown)) });

  const subscribe = async ({ id, params: { method, params } }: RpcRequest): Promise<void> => {
    if (subscriptions.size >= limits.subscriptionsMax)
      throw new NomosError("limit_reached", { limit: "subscriptions", max: limits.subscriptionsMax });
    const subscription = `s${++subscribed}`;
    const abort = new AbortController();
    subscriptions.set(subscription, abort);
    try {
      const asked = { method: String(method), params: isObject(params) ? params : {}, key: null };
      const output = await options.call(asked, abort.signal);
      if (!("stream" in output)) throw new NomosError("invalid_request", { method: asked.method, is: "no stream" });

      await send({ id, result: { subscription } });
      const pumping = pump(subscription, output.stream, abort.signal).finally(() => pumps.delete(pumping));
      pumps.add(pumping);
    } catch (thrown) {
      subscriptions.delete(subscription);
      throw thrown;
    }
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

  /** Answers `end` after every call before it. If none of them ends for `waitMs`, the rest is cancelled. */
  const end = async ({ id, params }: RpcRequest): Promise<void> => {
    const waitMs = waitMsIn(params["waitMs"]);
    const cancelledBefore = cancelled;
    // Only calls before this one: a later `end` waits for this one.
    const before = [...calls].filter(([other]) => other !== id);
    const left = () => before.flatMap(([other, call]) => (calls.get(other) === call ? [call] : []));
    for (let open = left(); open.length > 0; open = left()) {
      const timer = waitMs === null ? undefined : setTimeout(() => open.map(({ abort }) => stop(abort)), waitMs);
      await Promise.race(open.map(({ done }) => done)).finally(() => clearTimeout(timer));
    }
    for (const abort of subscriptions.values()) abort.abort();
    await Promise.all(pumps);
    await send({ id, result: { ok: true, cancelled: cancelled - cancelledBefore } });
  };

  const answer = async (request: RpcRequest, abort: AbortController): Promise<void> => {
    const { id, method, params } = request;
    switch (method) {
      case "subscribe":
        return subscribe(request);
      case "unsubscribe":
        return send({ id, result: { ok: stop(subscriptions.get(String(params["subscription"]))) } });
      case "cancel":
        return send({ id, result: { ok: stop(isId(params["id"]) ? calls.get(params["id"])?.abort : undefined) } });
      case "end":
        return end(request);
    }
    let unknown: { readonly unknownMembers?: readonly string[] } = {};
    const output = await options.call(request, abort.signal, (unknownMembers) => {
      unknown = { unknownMembers };
    });
    if ("stream" in output) throw new NomosError("invalid_request", { method, is: "a stream: `subscribe` to it" });
    await send({ id, result: output.value ?? {}, ...unknown });
  };

  const room = async (): Promise<void> => {
    while (calls.size >= limits.callsMax || (calls.size > 0 && callBytes > limits.callBytesMax))
      await Promise.race([...calls.values()].map(({ done }) => done));
  };

  return {
    receive: async (bytes) => {
      const request = readRequest(bytes);
      if ("error" in request) return refuse(request.id, request.error);
      const { id } = request;
      if (calls.has(id)) return refuse(null, new NomosError("invalid_request", { id, is: "in use" }));
      const abort = new AbortController();
      callBytes += bytes.length;
      const done = answer(request, abort)
        .catch((thrown) => {
          if (!abort.signal.aborted) return refuse(id, thrown);
          cancelled += 1;
          return refuse(id, new NomosError("call_cancelled"));
        })
        .finally(() => {
          calls.delete(id);
          callBytes -= bytes.length;
        });
      calls.set(id, { abort, done });
      await room();
    },
    close: () => {
      for (const { abort } of calls.values()) abort.abort();
      for (const abort of subscriptions.values()) abort.abort();
    },
  };
}

function stop(abort: AbortController | undefined): boolean {
  abort?.abort();
  return abort !== undefined;
}

/** Null: without a limit. */
function waitMsIn(value: unknown): number | null {
  if (value === undefined) return null;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= END_WAIT_MAX_MS) return value;
  throw new NomosError("invalid_request", { field: "waitMs", max: END_WAIT_MAX_MS });
}

function isId(value: unknown): value is RpcId {
  return typeof value === "string" || typeof value === "number";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
