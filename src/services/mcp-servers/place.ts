import type { Clock } from "../../host/index.ts";
import { type CallSlots, createCallSlots } from "./call-slots.ts";
import type { Connection } from "./connection.ts";
import type { McpLimits } from "./limits.ts";
import type { McpServer, OpenServer, ServerUser } from "./server.ts";
import { serverFailed } from "./server-failed.ts";

/** One process or one address of a server, and who uses it. */
export interface Place {
  readonly key: string;
  /** The same for all places with the same settings. */
  readonly alike: string;
  readonly server: McpServer;
  readonly slots: CallSlots;
  readonly users: () => number;
  /** The open connection; null while there is none. */
  readonly open: () => Connection | null;
  readonly isOpening: () => boolean;
  readonly trouble: () => string | null;
  /** It has failed too seldom to be given up. */
  readonly isExpected: () => boolean;
  readonly join: (sessionId: string) => void;
  /** Resolves when nothing of a place that only this session used is left; a shared one waits for the next user. */
  readonly leave: (sessionId: string) => Promise<void>;
  /**
   * Connects if need be. For a while after a failure it is refused (`later`), or waited for if that is seconds (`soon`).
   */
  readonly connected: (when?: "at once" | "soon" | "later") => Promise<Connection>;
  /** A call was answered. */
  readonly worked: () => void;
  /** A call was not answered in time. After several in a row the server is started again. */
  readonly wasSilent: () => void;
  /** Nothing can be sent on this connection any more. Resolves with the reason. */
  readonly lost: (connection: Connection, reason: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

export interface PlaceParts {
  readonly key: string;
  readonly alike: string;
  readonly server: McpServer;
  readonly user: ServerUser;
  readonly open: OpenServer;
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly log: (message: string, details: object) => void;
  /** Nobody has used it for the grace period. */
  readonly onIdle: (place: Place) => Promise<void>;
}

const FIRST_WAIT_MS = 500;
const WAIT_MAX_MS = 60_000;
/** As long as a call waits for the next try. */
const SOON_MS = 5_000;
const SILENT_MAX = 3;
const FAILURES_EXPECTED = 2;

export function createPlace(parts: PlaceParts): Place {
  const { server, clock, limits } = parts;
  const users = new Set<string>();
  const ending = new AbortController();
  let opening: Promise<Connection> | null = null;
  let open: Connection | null = null;
  let trouble: string | null = null;
  let failures = 0;
  let retryAtMs = Number.NEGATIVE_INFINITY;
  let silent = 0;
  let cancelGrace = (): void => undefined;

  const failedWith = (reason: string): void => {
    trouble = reason;
    retryAtMs = clock.steadyMs() + Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** failures);
    failures += 1;
  };

  const gone = (connection: Connection, reason: string): void => {
    if (open !== connection) return;
    open = null;
    opening = null;
    if (ending.signal.aborted) return;
    failedWith(`${server.name}: ${reason}`);
    parts.log("an MCP server is gone", { name: server.name, reason });
  };

  const begin = async (): Promise<Connection> => {
    try {
      const connection = await parts.open(server, parts.user, ending.signal);
      open = connection;
      trouble = null;
      void connection.ended.then((reason) => gone(connection, reason));
      if (ending.signal.aborted) await connection.close();
      return connection;
    } catch (thrown) {
      opening = null;
      failedWith(thrown instanceof Error ? thrown.message : String(thrown));
      throw thrown;
    }
  };

  const place: Place = {
    ...{ key: parts.key, alike: parts.alike, server },
    slots: createCallSlots(limits.callsMax, limits.waitingCallsMax, () =>
      serverFailed(server.name, `more than ${limits.waitingCallsMax} calls wait for it`),
    ),
    users: () => users.size,
    open: () => open,
    isOpening: () => opening !== null && open === null,
    trouble: () => trouble,
    isExpected: () => failures <= FAILURES_EXPECTED,
    join: (sessionId) => {
      cancelGrace();
      users.add(sessionId);
    },
    leave: async (sessionId) => {
      if (!users.delete(sessionId) || users.size > 0) return;
      if (parts.key !== parts.alike) return parts.onIdle(place);
      cancelGrace = clock.after(limits.graceMs, () => void parts.onIdle(place));
    },
    connected: async (when = "later") => {
      const waitMs = opening === null && when !== "at once" ? retryAtMs - clock.steadyMs() : 0;
      if (waitMs > (when === "soon" ? SOON_MS : 0))
        throw serverFailed(server.name, `${withoutName(server.name, trouble)} (it is tried again later)`);
      if (waitMs > 0) await clock.sleep(waitMs, ending.signal);
      if (ending.signal.aborted) throw serverFailed(server.name, "it was closed");
      opening ??= begin();
      return opening;
    },
    worked: () => {
      failures = 0;
      silent = 0;
    },
    wasSilent: () => {
      silent += 1;
      const hung = open;
      if (silent < SILENT_MAX || hung === null) return;
      silent = 0;
      gone(hung, `it did not answer ${SILENT_MAX} calls in a row`);
      void hung.close().catch(() => undefined);
    },
    lost: async (connection, reason) => {
      const why = connection.endedBy() ?? reason;
      gone(connection, why);
      await connection.close().catch(() => undefined);
      return why;
    },
    close: async () => {
      cancelGrace();
      ending.abort(new Error("it was closed"));
      const connection = await opening?.catch(() => null);
      await connection?.close();
    },
  };
  return place;
}

function withoutName(name: string, trouble: string | null): string {
  const words = trouble ?? "it failed";
  return words.startsWith(`${name}: `) ? words.slice(name.length + 2) : words;
}
