import type { AuthProvider, Transport } from "@modelcontextprotocol/client";
import type { McpAddress, McpProgram } from "../../../contract/index.ts";
import type { Clock } from "../../../host/index.ts";
import type { AgentHost } from "../../../turns/index.ts";
import { type OpenedTransport, openConnection } from "../connection.ts";
import type { McpLimits } from "../limits.ts";
import { isPrivate, isProgram, type McpServer, type OpenServer, type ServerUser } from "../server.ts";
import { serverFailed } from "../server-failed.ts";
import { boundedFetch, type Fetch } from "./bounded-fetch.ts";
import { hidingOf } from "./hide-secrets.ts";
import { type Environment, type ReadSecret, secretValues } from "./secret-values.ts";
import { createStdioTransport, FLOODS, tooLarge } from "./stdio-transport.ts";
import { createUnaskedCount } from "./unasked-messages.ts";

export interface OpenDeps {
  readonly host: Pick<AgentHost, "spawn">;
  readonly environment: Environment;
  readonly readSecret: ReadSecret;
  /** The directory of shared programs that name none. */
  readonly cwd: string;
  readonly version: string;
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly fetch: Fetch;
  /** The tokens of a login, refreshed when need be. */
  readonly auth: (server: string, url: string) => AuthProvider;
}

type Opening = (mayBeUnasked: () => boolean) => Promise<OpenedTransport>;

/** Starts the program or finds the address, and connects. */
export function createOpenServer(deps: OpenDeps): OpenServer {
  const { clock, limits, version } = deps;
  return async (server, user, signal) => {
    const { name, settings } = server;
    const mayBeUnasked = createUnaskedCount(limits, clock.steadyMs);
    const opening: Opening = isProgram(settings)
      ? startProgram(deps, server, user, settings)
      : reach(deps, name, settings);
    const opened = await opening(mayBeUnasked);
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(limits.startMs)]);
    return openConnection(opened, { server: name, version, limits, mayBeUnasked, signal: inTime });
  };
}

/** A private one of a strict session runs behind the session's walls. */
function startProgram(
  deps: OpenDeps,
  server: McpServer,
  { sessionId, spec }: ServerUser,
  settings: McpProgram,
): Opening {
  const { host, limits } = deps;
  const { name } = server;
  const ofSession = isPrivate(server) ? spec : null;
  return async (mayBeUnasked) => {
    const secrets = await secretValues(name, settings.env ?? {}, deps);
    const { deserializeMessage } = await import("@modelcontextprotocol/client");
    try {
      const process = host.spawn({
        slug: "mcp-server",
        label: `mcp:${name}`,
        cwd: settings.cwd ?? ofSession?.cwd ?? deps.cwd,
        argv: [settings.command, ...(settings.args ?? [])],
        env: ofSession === null ? secrets : { ...secrets, NOMOS_SESSION_ID: sessionId },
        shown: [],
        walledFor: ofSession?.sandbox === "strict" ? { id: sessionId, spec: ofSession } : null,
      });
      const transport = createStdioTransport({ process, parse: deserializeMessage, limits, mayBeUnasked });
      const { ended, stderr: printed } = transport;
      return { transport, ended, printed, ...hidingOf(settings.env ?? {}, secrets), probes: false };
    } catch (thrown) {
      throw serverFailed(name, thrown instanceof Error ? thrown.message : String(thrown), thrown);
    }
  };
}

function reach(
  { environment, readSecret, limits, fetch, auth }: OpenDeps,
  name: string,
  settings: McpAddress,
): Opening {
  return async (mayBeUnasked) => {
    const headers = await secretValues(name, settings.headers ?? {}, { environment, readSecret });
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    let why: string | null = null;
    const broken = (reason: string): Error => {
      why ??= reason;
      transport.close().catch(() => undefined);
      return new Error(reason);
    };
    const hasOwn = Object.keys(headers).some((header) => header.toLowerCase() === "authorization");
    const bounded = boundedFetch(fetch, {
      bytesMax: limits.messageBytesMax,
      tooLarge: () => broken(tooLarge(limits)),
      unasked: () => (mayBeUnasked() ? null : broken(FLOODS)),
    });
    const transport: Transport = new StreamableHTTPClientTransport(new URL(settings.url), {
      fetch: bounded,
      requestInit: { headers },
      ...(hasOwn ? {} : { authProvider: auth(name, settings.url) }),
      onInsufficientScope: "throw",
    });
    const hiding = hidingOf(settings.headers ?? {}, headers);
    return { transport, ended: () => why, printed: () => "", ...hiding, probes: true };
  };
}
