import type { CallToolResult, Client, Transport } from "@modelcontextprotocol/client";
import { type Json, memberOf } from "../../kernel/index.ts";
import type { McpLimits } from "./limits.ts";
import { type ListedTool, listTools, PAGES_MAX, type ToolList, tooMuchSchema } from "./list-tools.ts";
import { withoutSecrets } from "./result-content.ts";
import { serverFailed } from "./server-failed.ts";
import type { Hiding } from "./transport/hide-secrets.ts";
import { plainReason } from "./transport/plain-reason.ts";
import { CLOSED, FLOODS, tooLarge } from "./transport/stdio-transport.ts";

/** An open connection to a server, with its tools. */
export interface Connection {
  /** The list as it is now: when the server has said that it changed, it is asked first. */
  readonly tools: () => Promise<ToolList>;
  /** The list as it was last read, without asking the server. */
  readonly lastTools: () => ToolList;
  readonly call: (name: string, input: Json, options: CallOptions) => Promise<CallToolResult>;
  /** Resolves with the reason once nothing can be sent any more. */
  readonly ended: Promise<string>;
  readonly endedBy: () => string | null;
  readonly about: ServerAbout;
  /** Replaces the server's secrets in a text of its own. */
  readonly hide: (text: string) => string;
  readonly close: () => Promise<void>;
}

export interface CallOptions {
  readonly sessionId: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ServerAbout {
  readonly name: string;
  readonly version: string;
  readonly protocol: string;
}

/** A transport with what only this kind of transport knows. */
export interface OpenedTransport extends Hiding {
  readonly transport: Transport;
  /** Why it is over; null while it is open, or when that is not known. */
  readonly ended: () => string | null;
  /** What the program printed last; empty for an address. */
  readonly printed: () => string;
  /** Tries the version without a handshake first. */
  readonly probes: boolean;
}

export interface ConnectionParts {
  readonly server: string;
  readonly version: string;
  readonly limits: McpLimits;
  readonly mayBeUnasked: () => boolean;
  readonly signal: AbortSignal;
}

/** The session that a call belongs to, so that a server can tell sessions apart. */
const SESSION_META = "nomos/session";

/** Connects, and asks for the tools. Throws `mcp_server_failed` with a reason that a person understands. */
export async function openConnection(opened: OpenedTransport, parts: ConnectionParts): Promise<Connection> {
  const { server, limits, version, signal } = parts;
  const { transport, probes } = opened;
  const library = await import("@modelcontextprotocol/client");
  let isStale = false;
  const stale = (): void => {
    isStale = true;
  };
  const client = new library.Client(
    { name: "nomos", title: "Nomos", version },
    {
      capabilities: {},
      listMaxPages: PAGES_MAX,
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: stale } },
      ...(probes ? { versionNegotiation: { mode: "auto" } } : {}),
    },
  );
  const over = Promise.withResolvers<string>();
  let endedBy: string | null = null;
  const end = (reason: string): void => {
    endedBy ??= opened.hide(reason);
    over.resolve(endedBy);
  };
  client.onclose = () => end(opened.ended() ?? "the connection was closed");
  client.onerror = () => {
    if (parts.mayBeUnasked()) return;
    end(FLOODS);
    void client.close().catch(() => undefined);
  };
  try {
    await client.connect(transport, { timeout: limits.startMs, signal });
    client.setNotificationHandler("notifications/tools/list_changed", stale);
    const hasTools = client.getServerCapabilities()?.tools !== undefined;
    let list: ToolList = hasTools ? await listTools(server, client, limits) : { tools: [], leftOut: 0 };
    const again = onceAtATime(async () => {
      isStale = false;
      try {
        list = await listTools(server, client, limits);
      } catch (thrown) {
        // The old list is no answer to a change: the next turn asks again.
        isStale = true;
        throw thrownOn(server, opened.hide(reasonOf(thrown, endedBy, limits)), thrown);
      }
    });
    return {
      tools: async () => {
        if (isStale && endedBy === null) await again();
        return list;
      },
      lastTools: () => list,
      call: async (name, given, options) => {
        const { input } = list.tools.find((tool) => tool.name === name) ?? {};
        return withoutSecrets(await callTool(client, name, given, options, input), opened.hideNamed);
      },
      hide: opened.hide,
      ended: over.promise,
      endedBy: () => endedBy,
      about: aboutOf(client),
      close: async () => {
        end(CLOSED);
        await client.close();
      },
    };
  } catch (thrown) {
    const reason = reasonOf(thrown, endedBy ?? opened.ended(), limits);
    await client.close().catch(() => undefined);
    const printed = opened.printed();
    throw thrownOn(server, opened.hide(printed === "" ? reason : `${reason}. It printed: ${printed}`), thrown);
  }
}

/** `input`: the schema of the tool, whose marks say which members are sent as headers too. */
async function callTool(
  client: Client,
  name: string,
  given: Json,
  { sessionId, timeoutMs, signal }: CallOptions,
  input: ListedTool["input"] | undefined,
): Promise<CallToolResult> {
  const members = typeof given === "object" && given !== null && !Array.isArray(given) ? { ...given } : {};
  const result = await client.callTool(
    { name, arguments: members, _meta: { [SESSION_META]: sessionId } },
    {
      ...{ timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal },
      // Without the schema of its results, which the library would compile to code.
      toolDefinition: { name, inputSchema: input ?? { type: "object" } },
    },
  );
  if (!("content" in result)) throw new Error("it answered with something that is no result");
  return result;
}

/** A message that is too large while the tools are listed is a schema that is too large. */
function reasonOf(thrown: unknown, ended: string | null, limits: McpLimits): string {
  const isLate = memberOf(thrown, "code") === "REQUEST_TIMEOUT" || memberOf(thrown, "name") === "TimeoutError";
  if (isLate) return `it did not answer within ${limits.startMs} ms`;
  // The library closes a connection that fails; that is no reason.
  const words = ended === null || ended === CLOSED ? plainReason(thrown) : ended;
  return words.includes(tooLarge(limits)) ? tooMuchSchema(limits) : words;
}

function thrownOn(server: string, reason: string, thrown: unknown): unknown {
  const isOurs = thrown instanceof Error && "remedy" in thrown;
  return isOurs ? thrown : serverFailed(server, reason, thrown);
}

function aboutOf(client: Client): ServerAbout {
  const { name = "", version = "" } = client.getServerVersion() ?? {};
  return {
    name: name.slice(0, NAME_CHARS),
    version: version.slice(0, NAME_CHARS),
    protocol: client.getNegotiatedProtocolVersion() ?? "",
  };
}

const NAME_CHARS = 100;

/** Callers that come while it runs wait for the same run. */
function onceAtATime(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => {
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  };
}
