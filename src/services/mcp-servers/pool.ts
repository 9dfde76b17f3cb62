import { createHash } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { NomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";
import type { Json } from "../../kernel/index.ts";
import type { McpLimits } from "./limits.ts";
import type { ListedTool, ToolList } from "./list-tools.ts";
import { createPlace, type Place } from "./place.ts";
import { isPrivate, type McpServer, type OpenServer, type ServerUser } from "./server.ts";
import { serverFailed } from "./server-failed.ts";
import { callFailure } from "./transport/call-failure.ts";

/**
 * The connections to MCP servers. Sessions share one, unless the server's settings say otherwise. The first session that
 * needs a server opens it; after the last one has left, it is closed.
 */
export interface McpPool {
  /** The tools as far as they are known within `waitMs`, and what is wrong. */
  readonly tools: (server: McpServer, user: ServerUser, waitMs: number) => Promise<KnownTools>;
  readonly call: (server: McpServer, user: ServerUser, call: PoolCall) => Promise<CallToolResult>;
  /** The places of a server that there are now. */
  readonly places: (name: string) => readonly Place[];
  /** The session sleeps or has ended. */
  readonly release: (sessionId: string) => Promise<void>;
  /** Closes the server for everybody: its settings have changed. Who needs it again opens it again. */
  readonly forget: (name: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface KnownTools {
  readonly list: ToolList | null;
  readonly problem: string | null;
}

export interface PoolCall {
  readonly tool: Pick<ListedTool, "name" | "isRepeatable">;
  readonly input: Json;
  readonly signal: AbortSignal;
}

export interface PoolDeps {
  readonly open: OpenServer;
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly log: (message: string, details: object) => void;
}

/** With a list from before there is nothing to wait for but a change. */
const KNOWN_WAIT_MS = 250;

export function createMcpPool(deps: PoolDeps): McpPool {
  const { limits, clock } = deps;
  const places = new Map<string, Place>();
  /** The last list of each server, for the start of turns while it connects again. */
  const known = new Map<string, ToolList>();
  const failed = (name: string) => (thrown: unknown) =>
    deps.log("an MCP server could not be ended", { name, reason: String(thrown) });

  const drop = async (place: Place): Promise<void> => {
    if (places.get(place.key) === place) places.delete(place.key);
    await place.close().catch(failed(place.server.name));
  };

  const placeOf = (server: McpServer, user: ServerUser): Place => {
    const alike = alikeOf(server);
    const key = isPrivate(server) ? `${alike}:${user.sessionId}` : alike;
    for (const other of places.values())
      if (other.server.name === server.name && other.alike !== alike) void drop(other);
    const place = places.get(key) ?? createPlace({ ...deps, key, alike, server, user, onIdle: drop });
    places.set(key, place);
    place.join(user.sessionId);
    return place;
  };

  const tools: McpPool["tools"] = async (server, user, waitMs) => {
    const place = placeOf(server, user);
    const before = known.get(place.alike) ?? null;
    const found = place.connected().then((connection) => connection.tools());
    found.then(
      (list) => known.set(place.alike, list),
      () => undefined,
    );
    const late = new AbortController();
    const waiting = clock.sleep(before === null ? waitMs : Math.min(waitMs, KNOWN_WAIT_MS), late.signal);
    try {
      const list = await Promise.race([found, waiting.then(() => null)]);
      if (list !== null) return { list, problem: leftOutOf(server.name, list, limits) };
      const problem = before === null ? `${server.name} is still starting: its tools come with a later turn` : null;
      return { list: before, problem };
    } catch (thrown) {
      // One that was there a moment ago is expected back: a call waits for it.
      if (before !== null && place.isExpected()) return { list: before, problem: null };
      return { list: null, problem: thrown instanceof Error ? thrown.message : String(thrown) };
    } finally {
      late.abort();
      waiting.catch(() => undefined);
    }
  };

  /** Sent again only where the server never had it, or says that a repetition does no harm. */
  const send = async (place: Place, call: PoolCall, sessionId: string, isAgain: boolean): Promise<CallToolResult> => {
    const { name } = place.server;
    const timeoutMs = place.server.settings.timeoutMs ?? limits.callMs;
    const connection = await place.connected(isAgain ? "at once" : "soon");
    try {
      const result = await connection.call(call.tool.name, call.input, { sessionId, timeoutMs, signal: call.signal });
      place.worked();
      return result;
    } catch (thrown) {
      call.signal.throwIfAborted();
      const failure = callFailure(thrown);
      const { kind } = failure;
      const reason = connection.hide(failure.reason);
      if (kind === "answered") throw thrown instanceof NomosError ? thrown : serverFailed(name, reason, thrown);
      if (kind === "silent") {
        place.wasSilent();
        throw serverFailed(name, `it did not answer within ${timeoutMs} ms; the call may be done or not`, thrown);
      }
      const why = await place.lost(connection, reason);
      if (!isAgain && (kind === "unsent" || call.tool.isRepeatable)) return send(place, call, sessionId, true);
      throw serverFailed(
        name,
        kind === "unsent" ? why : `${why}; the call was under way: it may be done or not`,
        thrown,
      );
    }
  };

  return {
    tools,
    call: (server, user, call) => {
      const place = placeOf(server, user);
      return place.slots.run(() => send(place, call, user.sessionId, false), call.signal);
    },
    places: (name) => [...places.values()].filter(({ server }) => server.name === name),
    release: async (sessionId) => {
      await Promise.all([...places.values()].map((place) => place.leave(sessionId)));
    },
    forget: async (name) => {
      await Promise.all([...places.values()].filter(({ server }) => server.name === name).map(drop));
    },
    close: async () => {
      await Promise.all([...places.values()].map(drop));
    },
  };
}

function alikeOf({ name, settings }: McpServer): string {
  return `${name}:${createHash("sha256").update(JSON.stringify(settings)).digest("hex")}`;
}

function leftOutOf(name: string, { leftOut }: ToolList, { toolsMax }: McpLimits): string | null {
  return leftOut === 0 ? null : `${name} has ${leftOut} more tools than the ${toolsMax} that a server may have`;
}
