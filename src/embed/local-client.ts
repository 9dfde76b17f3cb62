import { type Client, ClientError, type StreamItem } from "../client/index.ts";
import { errorBody, toNomosError } from "../contract/index.ts";
import { closedError } from "./closed-error.ts";

/** The part of a daemon in this process that its calls go through. */
export interface CalledDaemon {
  readonly call: (
    name: string,
    request: {
      readonly input: Record<string, unknown>;
      readonly key: string | null;
      readonly signal: AbortSignal;
      readonly progress?: (progress: Progress) => void;
    },
  ) => Promise<{ readonly value: unknown } | { readonly stream: AsyncIterable<DaemonItem> }>;
}

interface Progress {
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
}

interface DaemonItem {
  readonly event: string;
  readonly data: unknown;
  readonly id?: number;
}

export interface LocalClient extends Client {
  /** Calls and streams that are under way end; later ones are refused. */
  readonly close: () => void;
}

/** The typed client over a daemon in this process: the same calls, the same answers, and no socket in between. */
export function createLocalClient(daemon: CalledDaemon, url: string): LocalClient {
  const closed = new AbortController();
  const ask = async (
    name: string,
    input: Readonly<Record<string, unknown>>,
    options: Parameters<Client["callByName"]>[2] = {},
  ) => {
    if (closed.signal.aborted) throw closedError();
    const { signal, idempotencyKey = null, progress } = options;
    try {
      return await daemon.call(name, {
        // As a surface would get it: without functions, and nothing of the caller's own objects.
        input: plain(input) as Record<string, unknown>,
        key: idempotencyKey,
        signal: AbortSignal.any([closed.signal, ...(signal === undefined ? [] : [signal])]),
        ...(progress === undefined ? {} : { progress }),
      });
    } catch (thrown) {
      throw closed.signal.aborted ? closedError() : errorOf(thrown);
    }
  };
  const callByName: Client["callByName"] = async (name, input, options) => {
    const output = await ask(name, input, options);
    if (!("value" in output)) throw new ClientError("usage", { details: { syscall: name } });
    return plain(output.value ?? {});
  };
  const streamByName: Client["streamByName"] = async function* (name, input, { after, signal, onConnected } = {}) {
    const given = signal === undefined ? {} : { signal };
    const output = await ask(name, after === undefined ? input : { ...input, after }, given);
    if (!("stream" in output)) throw new ClientError("usage", { details: { syscall: name } });
    onConnected?.();
    try {
      for await (const item of output.stream) yield itemOf(item);
    } catch (thrown) {
      if (signal?.aborted === true) return;
      throw closed.signal.aborted ? closedError() : errorOf(thrown);
    }
    if (closed.signal.aborted && signal?.aborted !== true) throw closedError();
  };
  return {
    url,
    callByName,
    streamByName,
    // The answer has the shape of the syscall table that these types were generated from.
    call: async (name, input, options) => (await callByName(name, { ...input }, options)) as never,
    stream: (name, input, options) => streamByName(name, { ...input }, options),
    close: () => closed.abort(),
  };
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** As the client reads it from a connection. */
function itemOf({ event, data, id }: DaemonItem): StreamItem {
  return { event, ...(id === undefined ? {} : { id: String(id) }), data: plain(data) } as StreamItem;
}

function errorOf(thrown: unknown): ClientError {
  const { code, message, remedy, details } = errorBody(toNomosError(thrown)).error;
  return new ClientError(code, { message, remedy, details, cause: thrown });
}
