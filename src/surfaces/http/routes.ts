import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type Context as HonoContext } from "hono";
import { NomosError, toNomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import { dispatch, pathsOf, type Services, type Syscall } from "../../syscalls/index.ts";
import type { FileAnswer, WebFiles } from "../files/web-files.ts";
import type { Late } from "../late.ts";
import type { McpSurface } from "../mcp/mcp-surface.ts";
import { refusal } from "../mcp/rpc-error.ts";
import { createShares } from "../shares.ts";
import type { Access } from "./access.ts";
import { accessRequestOf } from "./access-request.ts";
import { ANSWER_HEADERS, answerError, JSON_HEADERS, sendFile, sendJson } from "./answers.ts";
import type { BodyRoom } from "./body-room.ts";
import { createCallProgress } from "./call-progress.ts";
import { setCookie } from "./cookies.ts";
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
  /** Where the built dashboard lies. */
  readonly webFolder: string;
  /** Aborts running calls when the daemon stops. */
  readonly stopping: AbortSignal;
  readonly log: (message: string, details: object) => void;
}

export interface RouteParts {
  readonly access: Access;
  readonly mcp: Late<McpSurface>;
  readonly room: BodyRoom;
  readonly files: WebFiles;
}

type Bindings = { Bindings: HttpBindings };
type Http = HonoContext<Bindings>;

/** Maps HTTP to the syscall table: each route is a syscall; nothing is decided here. */
export function createRoutes(surface: HttpSurface, { access, mcp, room, files }: RouteParts): Hono<Bindings> {
  const app = new Hono<Bindings>();
  const { services } = surface;
  const streams = createShares("streams");

  const running = new Set<AbortController>();
  surface.stopping.addEventListener("abort", () => {
    for (const call of running) call.abort();
  });

  /** The member of the answer that is a cookie leaves by a header. */
  const withoutCookie = (c: Http, { http }: Syscall, value: object): object => {
    if (http.cookie === undefined) return value;
    const place = access.cookiePlace(accessRequestOf(c.env.incoming));
    c.env.outgoing.setHeader("set-cookie", setCookie(place, Reflect.get(value, http.cookie)));
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== http.cookie));
  };

  const serve = (syscall: Syscall) => async (c: Http) => {
    const actor = await entered(access, c);
    const bounds = { maxBytes: surface.requestBytesMax, room, actor };
    const input = { ...(await inputOf(c, syscall, bounds)), ...c.req.param() };
    const key = c.req.header("idempotency-key") ?? null;
    const abort = new AbortController();
    running.add(abort);
    const cut = () => abort.abort();
    c.env.outgoing.once("close", cut);
    const { outgoing } = c.env;
    const isPlain = syscall.kind === "stream" || syscall.http.cookie !== undefined;
    const progress = isPlain ? null : createCallProgress(outgoing, c.req.header("accept"));
    let giveBack = (): void => undefined;
    try {
      const output = await dispatch(services, syscall, {
        actor,
        input: withCursor(c, syscall, input),
        key,
        signal: abort.signal,
        ...(progress === null ? {} : { progress: progress.report }),
        unknown: (members) => c.env.outgoing.setHeader("nomos-warning", warningOf(members)),
      });
      if ("value" in output) {
        if (progress?.answer(output.value ?? {}) === true) return RESPONSE_ALREADY_SENT;
        const text = plainText(c, syscall, output.value);
        if (text !== null)
          return c.body(text, 200, { ...ANSWER_HEADERS, "content-type": syscall.http.textType ?? PLAIN_TEXT });
        const body = withoutCookie(c, syscall, output.value ?? {});
        return sendJson(outgoing, syscall.http.status ?? 200, JSON.stringify(body));
      }
      const share = streams.take(actor);
      const closed = services.instruments.opened("sse");
      giveBack = () => {
        share();
        closed();
      };
      await sendStream(output.stream, c.env.outgoing, abort);
      return RESPONSE_ALREADY_SENT;
    } catch (thrown) {
      progress?.fail(toNomosError(thrown));
      throw thrown;
    } finally {
      giveBack();
      running.delete(abort);
      c.env.outgoing.off("close", cut);
    }
  };

  /** Files need no token: what they show is asked for with one. */
  const fileFor = (c: Http): Promise<FileAnswer | null> => {
    access.guard(accessRequestOf(c.env.incoming));
    return files.answer({
      path: c.req.path,
      accept: c.req.header("accept"),
      acceptEncoding: c.req.header("accept-encoding"),
      ifNoneMatch: c.req.header("if-none-match"),
    });
  };

  app.get("/health", (c) => {
    access.guard(accessRequestOf(c.env.incoming));
    return surface.ready()
      ? c.json({ status: "ok", version: services.daemon.version }, 200, JSON_HEADERS)
      : c.json({ status: "starting" }, 503, JSON_HEADERS);
  });
  app.get("/openapi.json", (c) => {
    access.guard(accessRequestOf(c.env.incoming));
    return c.json(openApi(surface.syscalls, services.daemon.version, new URL(c.req.url).origin), 200, JSON_HEADERS);
  });
  app.all("/mcp", async (c) => {
    try {
      const actor = await entered(access, c);
      const { outgoing } = c.env;
      const asked = { request: c.req.raw, body: bodyOf(c), cut: () => void outgoing.destroy() };
      const answer = await (await mcp.get()).serve(asked, actor);
      return typeof answer === "string" ? sendJson(outgoing, 200, answer) : answer;
    } catch (thrown) {
      return refusal(toNomosError(thrown));
    }
  });
  for (const syscall of surface.syscalls) app.on(syscall.http.method, [...pathsOf(syscall.http)], serve(syscall));
  app.notFound(async (c) => {
    const { method, path } = c.req;
    const allowed = surface.syscalls.flatMap(({ http }) =>
      pathsOf(http).some((pattern) => isAt(pattern, path)) ? [http.method] : [],
    );
    if (allowed.length > 0) return answerError(new NomosError("method_not_allowed", { method, path, allowed }));
    const file = method === "GET" || method === "HEAD" ? await fileFor(c) : null;
    return file === null
      ? answerError(new NomosError("route_not_found", { method, path }))
      : sendFile(c.env.outgoing, file);
  });
  app.onError((thrown, c) => {
    const error = toNomosError(thrown);
    services.instruments.failed(error);
    if (error.code === "internal")
      surface.log("a request failed", { path: c.req.path, reason: String(thrown.stack ?? thrown) });
    // The headers of a broken stream are already sent, so only its end is left to report.
    return c.env.outgoing.headersSent ? RESPONSE_ALREADY_SENT : answerError(error);
  });
  return app;
}

/** Names come from the caller: encoded, they are harmless in a header. */
function warningOf(members: readonly string[]): string {
  return `unknown-members="${members.map(encodeURIComponent).join(", ")}"`;
}

const PLAIN_TEXT = "text/plain; charset=UTF-8";

function isAt(pattern: string, path: string): boolean {
  const parts = path.split("/");
  const wanted = pattern.split("/");
  return wanted.length === parts.length && wanted.every((part, at) => part.startsWith(":") || part === parts[at]);
}

/** Answers that are text, such as Markdown, are sent as text unless the caller asks for JSON. */
function plainText(c: Http, { http }: Syscall, value: unknown): string | null {
  if (http.text === undefined || /\bapplication\/json\b/.test(c.req.header("accept") ?? "")) return null;
  return typeof value === "object" && value !== null ? String(Reflect.get(value, http.text)) : null;
}

function entered(access: Access, c: Http): Promise<Actor> {
  const request = accessRequestOf(c.env.incoming);
  access.guard(request);
  return access.login(request);
}

async function inputOf(c: Http, syscall: Syscall, bounds: BodyBounds): Promise<Record<string, unknown>> {
  if (syscall.http.method === "GET" || syscall.http.method === "DELETE") return c.req.query();
  return parseBody(await readBytes(bodyOf(c), bounds));
}

/** Read from the socket: a web `Request` would copy each piece through another stream. */
function bodyOf(c: Http): AsyncIterable<Uint8Array> {
  return c.env.incoming.iterator({ destroyOnReturn: false });
}

/** A browser that reconnects sends the last id it saw in the `Last-Event-ID` header. */
function withCursor(c: Http, syscall: Syscall, input: Record<string, unknown>): Record<string, unknown> {
  const last = syscall.kind === "stream" ? c.req.header("last-event-id") : undefined;
  return last === undefined ? input : { ...input, after: last };
}
