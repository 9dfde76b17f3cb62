import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { DoubleGate, DoubleRefusal } from "./double-gate.ts";
import { answerMcp } from "./double-mcp.ts";
import { type DoubleRecord, DoubleSession } from "./double-session.ts";

export interface Double extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly restart: () => Promise<void>;
}

export type Body = Readonly<Record<string, unknown>>;
export type Caller = "operator" | DoubleSession;

const TOKEN = "operator-of-the-double";
const KEEP_ALIVE_MS = 100;
const KEPT_PER_BUCKET = 200;
/** Two simultaneous requests reach the server of a busy machine within this time. */
const RACE_MS = 400;
const ADAPTERS = ["fake", "fake-stillborn", "fake-uncancellable"];

/** A small AIP-46 server that is correct except for the cases it is told to get wrong. */
export async function startDouble(options: {
  readonly faults?: readonly number[];
  readonly legacyFile?: string;
}): Promise<Double> {
  const broken = (number: number): boolean => options.faults?.includes(number) === true;
  const host = new DoubleHost(broken, options.legacyFile ?? null);
  const server = createServer((request, response) => {
    host.serve(request, response).catch((thrown: unknown) => {
      const { status, code } = thrown instanceof DoubleRefusal ? thrown : { status: 500, code: String(thrown) };
      if (!response.headersSent) send(response, status, { error: { code, message: `${code}: \`install it\`` } });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    token: TOKEN,
    restart: async () => host.restart(),
    [Symbol.asyncDispose]: async () => {
      for (const session of host.sessions.values()) session.end("killed");
      server.closeAllConnections();
      server.close();
    },
  };
}

export class DoubleHost {
  readonly sessions = new Map<string, DoubleSession>();
  readonly hidden = new Set<string>();
  readonly gate: DoubleGate;
  readonly broken: (number: number) => boolean;
  readonly #legacyFile: string | null;
  #isMigrated = false;

  constructor(broken: (number: number) => boolean, legacyFile: string | null) {
    this.broken = broken;
    this.gate = new DoubleGate(broken);
    this.#legacyFile = legacyFile;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path } = new URL(request.url ?? "/", "http://double");
    const method = request.method ?? "GET";
    const caller = this.#caller(request, path);
    if (request.headers.origin !== undefined) throw new DoubleRefusal(403, "forbidden_origin");
    const sent = await text(request);
    const body: Body = sent === "" ? {} : JSON.parse(sent);
    if (path === "/mcp") return answerMcp(this, caller, body, response);
    const [, id = "", verb = ""] = /^\/sessions\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    if (path === "/sessions") {
      const sessions = this.list().map(({ record }) => record);
      return send(response, 200, this.broken(1) ? sessions : { sessions });
    }
    if (path === "/sessions/agent") return send(response, 201, this.spawn(caller, body));
    if (id === "") return send(response, 200, this.#control(method, path, body));
    const session = this.sessions.get(id);
    if (session === undefined) {
      if (this.broken(20)) return send(response, 500, "no such session");
      throw new DoubleRefusal(404, "session_not_found");
    }
    if (caller !== "operator" && session.record.parentSessionId !== caller.record.id && session !== caller)
      throw new DoubleRefusal(403, "denied");
    if (verb === "stream") return this.#stream(request, response, session);
    send(response, 200, await this.act(method === "DELETE" ? "forget" : verb, session, body));
  }

  list(): readonly DoubleSession[] {
    return [...this.sessions.values()].filter(({ record }) => !this.hidden.has(record.id));
  }

  spawn(caller: Caller, body: Body): DoubleRecord & { warnings?: readonly string[] } {
    const adapterSlug = String(body["adapter"] ?? "");
    if (adapterSlug === "" && !this.broken(4)) throw new DoubleRefusal(400, "missing_adapter");
    if (!ADAPTERS.includes(adapterSlug) && !this.broken(4) && !this.broken(5))
      throw new DoubleRefusal(404, "no_adapter");
    const label = body["label"] === undefined ? {} : { label: String(body["label"]) };
    const made =
      caller === "operator"
        ? { ...this.gate.place(body), ...boundTo(body), depth: 0 }
        : {
            ...this.gate.below(caller, this.#childrenOf(caller), body),
            parentSessionId: caller.record.id,
            depth: caller.record.depth + 1,
            warnings: [],
          };
    const { warnings, ...place } = made;
    const session = new DoubleSession({ adapterSlug, ...label, ...place }, this.broken);
    this.sessions.set(session.record.id, session);
    setImmediate(() => session.begin());
    const { prompt } = body;
    if (typeof prompt === "string" && !this.broken(7)) setImmediate(() => void session.run(prompt));
    const { ground, ...rest } = session.record;
    return { ...rest, ...(this.broken(2) ? { ground: "" } : { ground }), ...(warnings.length > 0 ? { warnings } : {}) };
  }

  async act(verb: string, session: DoubleSession, body: Body): Promise<object> {
    const { record } = session;
    const { id } = record;
    switch (verb) {
      case "":
        return record;
      case "prompt":
        return this.#prompt(session, String(body["prompt"]), body["interrupt"] === true);
      case "interrupt": {
        const wasBusy = session.busy;
        if (record.adapterSlug.endsWith("-uncancellable") && wasBusy && !this.broken(14))
          throw new DoubleRefusal(409, "cannot_cancel");
        if (!wasBusy && this.broken(13)) throw new DoubleRefusal(409, "not_busy");
        if (wasBusy && this.broken(12)) session.end("killed");
        await session.cancel();
        return { ok: true, id, wasBusy };
      }
      case "kill": {
        const ok = !session.isOver;
        if (ok) session.end("killed");
        await session.buried();
        return { ok, id };
      }
      case "forget":
        if (!session.isOver) session.end("killed");
        if (!this.broken(18)) this.sessions.delete(id);
        return { ok: true, id };
      case "delegates":
        return { agents: [...this.gate.agents.keys()].map((slug) => ({ slug, allowed: this.#may(session, slug) })) };
      default:
        throw new DoubleRefusal(404, "route_not_found");
    }
  }

  restart(): void {
    for (const session of this.sessions.values()) if (!session.isOver && !this.broken(19)) session.end("killed");
    const kept = new Map<string, number>();
    for (const session of [...this.sessions.values()].reverse()) {
      const bucket = this.broken(33) ? "all" : session.record.workspaceSlug;
      const count = (kept.get(bucket) ?? 0) + 1;
      kept.set(bucket, count);
      if (count > KEPT_PER_BUCKET) this.sessions.delete(session.record.id);
    }
    this.#migrate();
  }

  async #prompt(session: DoubleSession, prompt: string, interrupt: boolean): Promise<object> {
    const { id } = session.record;
    if (session.isOver && !this.broken(21)) throw new DoubleRefusal(409, "session_ended");
    if (interrupt && session.busy) {
      await session.cancel();
      if (this.broken(10)) session.memory = "";
    } else if (interrupt && this.broken(11)) session.say("── turn-end (cancelled) ──", "stdout");
    if (session.busy && !this.broken(8)) throw new DoubleRefusal(409, "session_busy");
    if (this.broken(9)) await new Promise((resolve) => setTimeout(resolve, RACE_MS));
    void session.run(prompt);
    return { ok: true, id };
  }

  #may(session: DoubleSession, slug: string): boolean {
    try {
      this.gate.judge(session, this.#childrenOf(session), slug);
      return true;
    } catch {
      return this.broken(40);
    }
  }

  #childrenOf(parent: DoubleSession): readonly DoubleSession[] {
    return [...this.sessions.values()].filter(({ record }) => record.parentSessionId === parent.record.id);
  }

  #caller(request: IncomingMessage, path: string): Caller {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (token === TOKEN) return "operator";
    // A loopback address is not an identity; a broken server takes it for one.
    if (token === "" && this.broken(39) && path === "/mcp") return "operator";
    const session = this.sessions.get(/^session:(.+)$/.exec(token)?.[1] ?? "");
    if (session === undefined) throw new DoubleRefusal(401, "unauthorized");
    return session;
  }

  #control(method: string, path: string, body: Body): object {
    const slug = String(body["slug"]);
    if (path === "/conformance")
      return {
        stillborn: true,
        leaving: true,
        uncancellable: true,
        workspaces: true,
        delegation: true,
        legacyFile: this.#legacyFile,
        keepAliveMaxMs: KEEP_ALIVE_MS * 10,
      };
    if (path === "/conformance/agents") this.gate.agents.set(slug, list(body["delegates_to"]));
    else if (path === "/conformance/limits")
      this.gate.limits = { depthMax: Number(body["depthMax"]), childrenMax: Number(body["childrenMax"]) };
    else if (path === "/conformance/tokens") return { token: `session:${String(body["sessionId"])}` };
    else if (path === "/workspaces") this.gate.workspaces.set(slug, String(body["path"]));
    else if (path === "/workspaces/active") this.gate.active = typeof body["slug"] === "string" ? slug : null;
    else if (method === "DELETE") this.gate.workspaces.delete(path.slice("/workspaces/".length));
    else throw new DoubleRefusal(404, "route_not_found");
    return { ok: true };
  }

  #stream(request: IncomingMessage, response: ServerResponse, session: DoubleSession): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    const keepAlive = setInterval(() => this.broken(24) || response.write(": alive\n\n"), KEEP_ALIVE_MS);
    response.once("close", () => clearInterval(keepAlive));
    const after = this.broken(26) ? 0 : Number(request.headers["last-event-id"] ?? 0);
    session.read(response, after);
  }

  /** Runs once: the old file is never read again, whatever happens to its sessions. */
  #migrate(): void {
    const file = this.#legacyFile;
    if (file === null || this.#isMigrated || !existsSync(file)) return;
    this.#isMigrated = true;
    const { sessions }: { sessions: DoubleRecord[] } = JSON.parse(readFileSync(file, "utf8"));
    for (const old of sessions) {
      const workspaceSlug = this.gate.workspaces.has(old.workspaceSlug) ? old.workspaceSlug : "default";
      const session = new DoubleSession({ ...old, workspaceSlug }, this.broken);
      Object.assign(session.record, { id: old.id, status: old.status, endedAt: old.endedAt });
      this.sessions.set(old.id, session);
    }
    if (this.broken(34)) rmSync(file, { force: true });
  }
}

function boundTo(body: Body): { readonly agentSlug?: string } {
  return body["agent"] === undefined ? {} : { agentSlug: String(body["agent"]) };
}

function list(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

export function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
