import { ClientError, errorIn } from "./client-error.ts";
import { routeOf } from "./entries.ts";
import { decodeRoute, type Route } from "./manifest.ts";

/** The part of `fetch` that is used, so that a test can replace it. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface FetchResponse {
  readonly status: number;
  readonly text: () => Promise<string>;
  readonly body: { readonly getReader: () => BodyReader } | null;
  readonly headers?: { readonly get: (name: string) => string | null };
}

export interface BodyReader {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  readonly cancel: () => Promise<void>;
}

export interface Target {
  readonly url: string;
  readonly token: string;
  readonly fetch: Fetch;
  readonly onUnknown?: UnknownMembers | undefined;
}

/** Called with the members of an input that the daemon does not know and ignored: it is older, or a name is misspelt. */
export type UnknownMembers = (members: readonly string[]) => void;

export interface Asked {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** One request as the syscall table spells it. Resolves with a successful answer; any other is thrown. */
export async function send(target: Target, asked: Asked): Promise<FetchResponse> {
  const { method, path } = routeTo(asked.name);
  const { filled, rest } = fill(path, asked.input);
  const byQuery = method === "GET" || method === "DELETE";
  const body = byQuery ? {} : { body: JSON.stringify(rest) };
  const headers = {
    authorization: `Bearer ${target.token}`,
    accept: "application/json",
    ...(byQuery ? {} : { "content-type": "application/json" }),
    ...asked.headers,
  };
  const signal = asked.signal === undefined ? {} : { signal: asked.signal };
  const url = `${target.url}${filled}${byQuery ? query(rest) : ""}`;
  const response = await reach(target.fetch, url, { method, headers, ...body, ...signal });
  const unknown = unknownIn(response.headers?.get("nomos-warning") ?? "");
  if (unknown.length > 0) target.onUnknown?.(unknown);
  if (response.status >= 400) throw errorIn(response.status, await wholeText(response, asked.signal));
  return response;
}

function unknownIn(warning: string): readonly string[] {
  const [, names = ""] = /^unknown-members="([^"]*)"/.exec(warning) ?? [];
  return names === "" ? [] : names.split(", ").map(decoded);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function routeTo(name: string): Route {
  const route = routeOf(name);
  if (route === null) throw new ClientError("usage", { details: { syscall: name } });
  return decodeRoute(route);
}

async function reach(fetch: Fetch, url: string, init: FetchInit): Promise<FetchResponse> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    throw lost(cause, init.signal);
  }
}

function lost(cause: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return cause;
  return new ClientError("daemon_unreachable", { status: 0, cause, details: { reason: reasonOf(cause) } });
}

/** The body of an answer. A connection that breaks in the middle of it has given no answer. */
export async function wholeText(response: FetchResponse, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw lost(cause, signal);
  }
}

/** `fetch` puts the reason into `cause`. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
}

function fill(path: string, input: Asked["input"]): { readonly filled: string; readonly rest: Asked["input"] } {
  const rest = { ...input };
  const filled = path.replace(/:(\w+)/g, (_whole, name: string) => {
    const value = rest[name];
    delete rest[name];
    if (value === undefined || value === "")
      throw new ClientError("usage", { message: `\`${name}\` is missing.`, details: { field: name } });
    return encodeURIComponent(String(value));
  });
  return { filled, rest };
}

function query(input: Asked["input"]): string {
  const pairs = Object.entries(input).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`${name}=${encodeURIComponent(Array.isArray(value) ? value.join(",") : String(value))}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
