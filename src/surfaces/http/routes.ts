import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type Context as HonoContext } from "hono";
import { ERROR_CATALOGUE, errorBody, NomosError, toNomosError } from "../../contract/index.ts";
import type { Actor } from "../../kernel/index.ts";
import { dispatch, type Services, type Syscall } from "../../syscalls/index.ts";
import { checkHost, checkOrigin, parseBody } from "./guard.ts";
import { openApi } from "./openapi.ts";
import { createRateLimit } from "./rate-limit.ts";
import { sendStream } from "./sse.ts";

export interface HttpSurface {
  readonly services: Services;
  readonly syscalls: readonly Syscall[];
  readonly authenticate: (secret: string) => Promise<Actor | null>;
  readonly ready: () => boolean;
  readonly requestBytesMax: number;
  /** Aborts what is under way when the daemon stops. */
  readonly stopping: AbortSignal;
  readonly log: (message: string, details: object) => void;
}

type Bindings = { Bindings: HttpBindings };
type Http = HonoContext<Bindings>;

/** HTTP in terms of the table: each route is a syscall, and nothing is decided here. */
export function createRoutes(surface: HttpSurface): Hono<Bindings> {
  const app = new Hono<Bindings>();
  const { services } = surface;
  const failedLogins = createRateLimit({ perSecond: 10, burst: 30, nowMs: Date.now });
  const scopedCalls = createRateLimit({ perSecond: 200, burst: 400, nowMs: Date.now });
  const streams = new Map<string, number>();

  const guard = (c: Http): void => {
    const port = services.daemon.port();
    if (c.env.incoming.socket.remoteAddress !== undefined) checkHost(c.req.header("host"), port);
    checkOrigin(c.req.header("origin"), port);
  };
  const login = async (c: Http): Promise<Actor> => {
    const secret = /^Bearer\s+(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    const actor = secret === undefined ? null : await surface.authenticate(secret);
    if (actor === null) {
      refuseIf(failedLogins.take("anyone"));
      throw new NomosError("unauthorized");
    }
    if (!actor.capabilities.includes("*")) refuseIf(scopedCalls.take(actor.principal));
    return actor;
  };

  const serve = (syscall: Syscall) => async (c: Http) => {
    guard(c);
    if (!surface.ready()) throw new NomosError("starting");
    const actor = await login(c);
    const input = { ...(await inputOf(c, syscall, surface.requestBytesMax)), ...c.req.param() };
    const key = c.req.header("idempotency-key") ?? null;
    const abort = new AbortController();
    const stop = () => abort.abort();
    surface.stopping.addEventListener("abort", stop, { once: true });
    const cut = () => abort.abort();
    c.env.outgoing.once("close", cut);
    try {
      const output = await dispatch(services, syscall, {
        actor,
        input: withCursor(c, syscall, input),
        key,
        signal: abort.signal,
      });
      if ("value" in output) {
        const text = plainText(c, syscall, output.value);
        if (text !== null) return c.text(text);
        return sendJson(c.env.outgoing, syscall.http.status ?? 200, output.value ?? {});
      }
      await oneOfFew(streams, actor, async () => sendStream(await opened(output.stream), c.env.outgoing, abort));
      return RESPONSE_ALREADY_SENT;
    } finally {
      surface.stopping.removeEventListener("abort", stop);
      c.env.outgoing.off("close", cut);
    }
  };

  app.get("/health", (c) => {
    guard(c);
    return surface.ready()
      ? c.json({ status: "ok", version: services.daemon.version })
      : c.json({ status: "starting" }, 503);
  });
  app.get("/openapi.json", (c) => {
    guard(c);
    return c.json(openApi(surface.syscalls, services.daemon.version));
  });
  for (const syscall of surface.syscalls) app.on(syscall.http.method, syscall.http.path, serve(syscall));
  app.notFound((c) => {
    const { method, path } = c.req;
    const allowed = surface.syscalls.filter(({ http }) => isAt(http.path, path)).map(({ http }) => http.method);
    if (allowed.length === 0) return answerError(new NomosError("route_not_found", { method, path }));
    return answerError(new NomosError("method_not_allowed", { method, path, allowed }));
  });
  app.onError((thrown, c) => {
    const error = toNomosError(thrown);
    if (error.code === "internal")
      surface.log("a request failed", { path: c.req.path, reason: String(thrown.stack ?? thrown) });
    // A stream that broke off has had its answer; all that is left is that it ended.
    return c.env.outgoing.headersSent ? RESPONSE_ALREADY_SENT : answerError(error);
  });
  return app;
}

function isAt(pattern: string, path: string): boolean {
  const parts = path.split("/");
  const wanted = pattern.split("/");
  return wanted.length === parts.length && wanted.every((part, at) => part.startsWith(":") || part === parts[at]);
}

/** Straight to the socket: as a web `Response` the text would become a stream and be read again, for a third of a read's cost. */
function sendJson(response: HttpBindings["outgoing"], status: number, value: unknown): Response {
  const body = JSON.stringify(value);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
  return RESPONSE_ALREADY_SENT;
}

/** Where an answer is a text with a form of its own, it is sent as that, unless JSON is asked for by name. */
function plainText(c: Http, { http }: Syscall, value: unknown): string | null {
  if (http.text === undefined || /\bapplication\/json\b/.test(c.req.header("accept") ?? "")) return null;
  return typeof value === "object" && value !== null ? String(Reflect.get(value, http.text)) : null;
}

function answerError(error: NomosError): Response {
  const { status } = ERROR_CATALOGUE[error.code];
  const wait = error.details["retryAfterSeconds"];
  const headers = typeof wait === "number" ? { "retry-after": String(wait) } : undefined;
  return Response.json(errorBody(error), headers === undefined ? { status } : { status, headers });
}

/** A stream is held for as long as its reader likes: nobody may hold them all. */
async function oneOfFew(open: Map<string, number>, actor: Actor, serve: () => Promise<void>): Promise<void> {
  const { principal } = actor;
  const before = open.get(principal) ?? 0;
  const streamsMax = actor.capabilities.includes("*") ? OPERATOR_STREAMS_MAX : SCOPED_STREAMS_MAX;
  if (before >= streamsMax) throw new NomosError("overloaded", { streams: before, streamsMax });
  open.set(principal, before + 1);
  try {
    await serve();
  } finally {
    const left = (open.get(principal) ?? 1) - 1;
    if (left === 0) open.delete(principal);
    else open.set(principal, left);
  }
}

const OPERATOR_STREAMS_MAX = 1000;
const SCOPED_STREAMS_MAX = 32;

function refuseIf(retryAfterSeconds: number): void {
  if (retryAfterSeconds > 0) throw new NomosError("rate_limited", { retryAfterSeconds });
}

async function inputOf(c: Http, syscall: Syscall, maxBytes: number): Promise<Record<string, unknown>> {
  if (syscall.http.method === "GET" || syscall.http.method === "DELETE") return c.req.query();
  return parseBody(await readAll(c, maxBytes));
}

/**
 * Counted as it comes, whatever length was announced. The rest of what is too large is read and thrown away, so that its
 * sender hears why it was refused instead of a broken pipe; but not for ever.
 */
async function readAll(c: Http, maxBytes: number): Promise<Uint8Array> {
  const discardBytesMax = maxBytes * DISCARD_FACTOR;
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of c.req.raw.body ?? []) {
    size += part.length;
    if (size <= maxBytes) parts.push(part);
    else parts.length = 0;
    if (size > discardBytesMax) break;
  }
  if (size > maxBytes) throw new NomosError("body_too_large", { maxBytes });
  return Buffer.concat(parts);
}

const DISCARD_FACTOR = 4;

/** A browser that reconnects sends the last id it saw as a header. */
function withCursor(c: Http, syscall: Syscall, input: Record<string, unknown>): Record<string, unknown> {
  const last = syscall.kind === "stream" ? c.req.header("last-event-id") : undefined;
  return last === undefined ? input : { ...input, after: last };
}

/** Takes the first item before the answer begins, so that a refusal is still an error and not an empty stream. */
async function opened<T>(items: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const iterator = items[Symbol.asyncIterator]();
  const first = iterator.next();
  const settled = await Promise.race([
    first.then(() => true),
    new Promise<false>((resolve) => setImmediate(resolve, false)),
  ]);
  if (settled) await first;
  return {
    [Symbol.asyncIterator]: () => {
      let started = false;
      return {
        next: () => {
          if (started) return iterator.next();
          started = true;
          return first;
        },
        return: async () => (await iterator.return?.()) ?? { done: true as const, value: undefined },
      };
    },
  };
}
