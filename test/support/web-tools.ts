import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createRawServer, type Server as RawServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WebSettings } from "../../src/contract/index.ts";
import { createProcessHost, systemClock } from "../../src/host/index.ts";
import type { Json, SessionSpec } from "../../src/kernel/index.ts";
import { createWebTools } from "../../src/services/index.ts";
import type { ServedTool } from "../../src/turns/index.ts";

type WebParts = Parameters<typeof createWebTools>[0];

export interface WebHere extends AsyncDisposable {
  /** Opens a server on loopback and returns its port. */
  readonly serve: (answer: RequestListener, address?: string) => Promise<number>;
  readonly serveRaw: (answer: (socket: Socket) => void) => Promise<number>;
  /** The web tools with these settings; the port of each server that was opened is allowed. */
  readonly tools: (settings?: WebSettings, spec?: Partial<SessionSpec>) => Promise<readonly ServedTool[]>;
  readonly fetch: (input: Json, settings?: WebSettings, spec?: Partial<SessionSpec>) => Promise<Answered>;
  readonly call: (tool: ServedTool, input: Json, spec?: Partial<SessionSpec>) => Promise<Answered>;
}

export interface Answered {
  readonly text: string;
  readonly isError: boolean;
  readonly images: readonly { readonly mediaType: string; readonly base64: string }[];
}

/** The real web tools over real servers on loopback. Only names are resolved by the test. */
export function webHere(parts: Partial<Pick<WebParts, "resolve" | "limits" | "environment">> = {}): WebHere {
  const home = mkdtempSync(join(tmpdir(), "web-"));
  const host = createProcessHost({ home, bwrapPath: null, copiesEtc: false });
  const servers: (Server | RawServer)[] = [];
  const sockets = new Set<Socket>();
  const allow: string[] = [];
  let web: WebSettings = {};
  const source = createWebTools({
    ...{ environment: {}, clock: systemClock(), host, instance: "web-test", cwd: tmpdir() },
    config: { show: () => ({ web }) },
    ...parts,
  });
  const listen = (server: Server | RawServer, address: string) =>
    new Promise<number>((resolve) => {
      servers.push(server);
      server.on("connection", (socket: Socket) => {
        sockets.add(socket);
        socket.on("error", () => undefined);
      });
      server.listen(0, address, () => {
        const { port } = server.address() as AddressInfo;
        allow.push(`127.0.0.1:${port}`);
        resolve(port);
      });
    });
  const tools: WebHere["tools"] = async (settings = {}, spec = {}) => {
    web = { ...settings, allow: [...allow, ...(settings.allow ?? [])] };
    return (await source.tools({ sessionId: "s1", spec: specWith(spec), ask: null })).tools;
  };
  const call: WebHere["call"] = async (tool, input, spec = {}) => {
    const { signal } = new AbortController();
    const { content, isError } = await tool.run(input, {
      sessionId: "s1",
      turnId: "t1",
      key: "k",
      spec: specWith(spec),
      signal,
    });
    return {
      text: content.flatMap((part) => (part.kind === "text" ? part.text : [])).join("\n"),
      isError,
      images: content.flatMap((part) => (part.kind === "image" ? part : [])),
    };
  };
  return {
    serve: (answer, address = "127.0.0.1") => listen(createServer(answer), address),
    serveRaw: (answer) => listen(createRawServer(answer), "127.0.0.1"),
    tools,
    call,
    fetch: async (input, settings, spec) => {
      const [tool] = await tools(settings, spec);
      if (tool === undefined) throw new Error("web_fetch is not offered");
      return call(tool, input, spec);
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
      await host.stopAll();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function specWith(given: Partial<SessionSpec>): SessionSpec {
  return {
    ...{
      name: "n",
      adapter: "nomos",
      agent: "a",
      workspace: "w",
      ground: "g",
      cwd: tmpdir(),
      sandbox: "off",
      scope: null,
    },
    ...{ network: null, parentSessionId: null, depth: 0, file: null, external: null },
    ...given,
  };
}

export function answering(status: number, type: string, body: string | Buffer, headers: Record<string, string> = {}) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { ...(type === "" ? {} : { "content-type": type }), ...headers });
    response.end(body);
  };
}
