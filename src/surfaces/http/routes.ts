import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type Context as HonoContext } from "hono";
import { ERROR_CATALOGUE, errorBody, NomosError, toNomosError } from "../../contract/index.ts";
import type { Actor } from "../../kernel/index.ts";
import { dispatch, type Services, type Syscall } from "../../syscalls/index.ts";
import type { Late } from "../late.ts";
import type { McpSurface } from "../mcp/mcp-surface.ts";
import { refusal } from "../mcp/rpc-error.ts";
import { createShares } from "../shares.ts";
import type { Access, AccessRequest } from "./access.ts";
import type { BodyRoom } from "./body-room.ts";
import { sessionBehind } from "./from-session.ts";
import { openApi } from "./openapi.ts";
import { type BodyBounds, parseBody, readBytes } from "./request-body.ts";
import { sendStream } from "./sse.ts";

export interface HttpSurface {
  readonly services: Services;
  readonly syscalls: readonly Syscall[];
  readonly authenticate: (secret: string) => Promise<Actor | null>;
  readonly recall: (actor: Actor) => Promise<Actor | null>;
  readonly ready: () => boolean;
  readonly requestBytesMax: number;
  /** Aborts what is under way when the daemon stops. */
  readonly stopping: AbortSignal;
  readonly log: (message: string, details: object) => void;
}

type Bindings = { Bindings: HttpBindings };
type Http = HonoContext<Bindings>;

/** HTTP in terms of the table: each route is a syscall, and nothing is decided here. */
export function createRoutes(
  surface: HttpSurface,
  access: Access,
  mcp: Late<McpSurface>,
  room: BodyRoom,
): Hono<Bindings> {
  const app = new Hono<Bindings>();
  const { services } = surface;
  const streams = createShares("streams");

  const serve = (syscall: Syscall) => async (c: Http) => {
    access.guard(accessRequestOf(c));
    const actor = await access.login(accessRequestOf(c));
    const bounds = { maxBytes: surface.requestBytesMax, room, actor };
    const input = { ...(await inputOf(c, syscall, bounds)), ...c.req.param() };
    const key = c.req.header("idempotency-key") ?? null;
    const abort = new AbortController();
    const stop = () => abort.abort();
    surface.stopping.addEventListener("abort", stop, { once: true });
    const cut = () => abort.abort();
    c.env.outgoing.once("close", cut);
    let giveBack = (): void => undefined;
    try {
      const output = await dispatch(services, syscall, {
        actor,
        input: withCursor(c, syscall, input),
        key,
        signal: abort.signal,
      });
      if ("value" in output) {
        const text = plainText(c, syscall, output.value);
        if (text !== null) return c.body(text, 200, { "content-type": syscall.http.textType ?? PLAIN_TEXT });
        return sendJson(c.env.outgoing, syscall.http.status ?? 200, output.value ?? {});
      }
      const share = streams.take(actor);
      const closed = services.instruments.opened("sse");
      giveBack = () => {
        share();
        closed();
      };
      await sendStream(output.stream, c.env.outgoing, abort);
      return RESPONSE_ALREADY_SENT;
    } finally {
      giveBack();
      surface.stopping.removeEventListener("abort", stop);
      c.env.outgoing.off("close", cut);
    }
  };

  app.get("/health", (c) => {
    access.guard(accessRequestOf(c));
    return surface.ready()
      ? c.json({ status: "ok", version: services.daemon.version })
      : c.json({ status: "starting" }, 503);
  });
  app.get("/openapi.json", (c) => {
    access.guard(accessRequestOf(c));
    return c.json(openApi(surface.syscalls, services.daemon.version));
  });
  app.all("/mcp", async (c) => {
    try {
      access.guard(accessRequestOf(c));
      const actor = await access.login(accessRequestOf(c));
      return await (await mcp.get()).serve(c.req.raw, actor, () => void c.env.outgoing.destroy());
    } catch (thrown) {
      return refusal(toNomosError(thrown));
    }
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
    services.instruments.failed(error);
    if (error.code === "internal")
      surface.log("a request failed", { path: c.req.path, reason: String(thrown.stack ?? thrown) });
    // A stream that broke off has had its answer; all that is left is that it ended.
    return c.env.outgoing.headersSent ? RESPONSE_ALREADY_SENT : answerError(error);
  });
  return app;
}

const PLAIN_TEXT = "text/plain; charset=UTF-8";

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

function accessRequestOf(c: Http): AccessRequest {
  return {
    host: c.req.header("host"),
    origin: c.req.header("origin"),
    authorization: c.req.header("authorization"),
    viaNetwork: c.env.incoming.socket.remoteAddress !== undefined,
    fromSession: sessionBehind(c.env.incoming.socket),
  };
}

async function inputOf(c: Http, syscall: Syscall, bounds: BodyBounds): Promise<Record<string, unknown>> {
  if (syscall.http.method === "GET" || syscall.http.method === "DELETE") return c.req.query();
  return parseBody(await readBytes(c.req.raw, bounds));
}

/** A browser that reconnects sends the last id it saw as a header. */
function withCursor(c: Http, syscall: Syscall, input: Record<string, unknown>): Record<string, unknown> {
  const last = syscall.kind === "stream" ? c.req.header("last-event-id") : undefined;
  return last === undefined ? input : { ...input, after: last };
}
