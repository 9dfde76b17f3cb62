import { NomosError } from "../../contract/index.ts";
import { didYouMean } from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";
import { ownEntry } from "../../kernel/index.ts";
import type { AgentHost } from "../../turns/index.ts";
import { oneAtATime } from "../config/one-at-a-time.ts";
import type { ConfigService } from "../config/settings.ts";
import { type GivenServer, givenServers } from "./given-servers.ts";
import { MCP_LIMITS, type McpLimits } from "./limits.ts";
import { createMcpLogins } from "./login/logins.ts";
import { createMcpPool } from "./pool.ts";
import { isPrivate, isProgram, type McpServer } from "./server.ts";
import { createMcpSource, type McpSource } from "./source.ts";
import { type ServerTest, testServer } from "./test-server.ts";
import { boundedFetch, type Fetch } from "./transport/bounded-fetch.ts";
import { createOpenServer } from "./transport/open-server.ts";
import { namesOf, type ReadSecret } from "./transport/secret-values.ts";

/** MCP servers of the configuration, and the connections to them. */
export interface McpServers {
  readonly list: () => Promise<readonly ListedServer[]>;
  /** Throws `mcp_server_exists` unless `replace` is given. */
  readonly add: (given: GivenServer, replace: boolean) => Promise<void>;
  /** The names of the servers that were given. */
  readonly namesIn: (given: GivenServer) => readonly string[];
  readonly remove: (name: string) => Promise<void>;
  /** Connects, and says which tools there are or what is wrong. */
  readonly test: (name: string) => Promise<ServerTest>;
  readonly login: (name: string) => Promise<{ readonly page: string; readonly expiresInS: number }>;
  readonly source: McpSource;
  /** A session sleeps or has ended: servers that nobody else uses are closed. */
  readonly release: (sessionId: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface ListedServer {
  readonly name: string;
  readonly transport: "stdio" | "http";
  /** The program or the address, without what may be a secret. */
  readonly target: string;
  readonly state: "connected" | "starting" | "idle" | "failed" | "disabled";
  readonly sessions: number;
  readonly processes: number;
  readonly tools: number | null;
  readonly problem: string | null;
  /** Null: it is a program, or nobody has logged in. */
  readonly login: "ok" | "over" | null;
  readonly agents: readonly string[] | null;
  readonly shared: boolean;
  /** Names of variables and headers, and where their values come from. */
  readonly secrets: readonly string[];
}

export interface McpServerDeps {
  readonly home: string;
  readonly config: ConfigService;
  readonly host: Pick<AgentHost, "spawn">;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readSecret: ReadSecret;
  readonly cwd: string;
  readonly version: string;
  readonly clock: Clock;
  readonly log: (message: string, details: object) => void;
  readonly fetch?: Fetch;
  readonly limits?: Partial<McpLimits>;
}

const OAUTH_BYTES_MAX = 1_048_576;

export function createMcpServers(deps: McpServerDeps): McpServers {
  const { config, clock, log } = deps;
  const limits = { ...MCP_LIMITS, ...deps.limits };
  const fetch = deps.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const logins = createMcpLogins({
    ...{ home: deps.home, clock, log },
    fetch: boundedFetch(fetch, {
      bytesMax: OAUTH_BYTES_MAX,
      tooLarge: () => new Error("its answer is too large"),
      unasked: () => null,
    }),
    onLogin: (name) => pool.forget(name),
  });
  const open = createOpenServer({ ...deps, limits, fetch, auth: logins.auth });
  const pool = createMcpPool({ open, limits, clock, log });
  const settings = () => config.show().mcpServers ?? {};
  const all = (): readonly McpServer[] =>
    Object.entries(settings())
      .map(([name, one]) => ({ name, settings: one }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  const enabled = () => all().filter((server) => server.settings.disabled !== true);
  const find = (name: string): McpServer => {
    const found = ownEntry(settings(), name);
    if (found !== undefined) return { name, settings: found };
    const message = `There is no MCP server \`${name}\`.${didYouMean(name, Object.keys(settings()))}`;
    throw new NomosError("mcp_server_not_found", { name }, { message });
  };
  const inTurn = oneAtATime();

  const listed = async (server: McpServer): Promise<ListedServer> => {
    const { name } = server;
    const places = pool.places(name);
    const connected = places.flatMap((place) => place.open() ?? []);
    const problem = places.map((place) => place.trouble()).find((one) => one !== null) ?? null;
    const isOff = server.settings.disabled === true;
    const isStarting = places.some((place) => place.isOpening());
    const idle = problem === null ? ("idle" as const) : ("failed" as const);
    const closed = isStarting && problem === null ? ("starting" as const) : idle;
    return {
      name,
      transport: isProgram(server.settings) ? "stdio" : "http",
      target: shownTarget(config, name),
      state: isOff ? "disabled" : connected.length > 0 ? "connected" : closed,
      sessions: places.reduce((sum, place) => sum + place.users(), 0),
      processes: isProgram(server.settings) ? connected.length : 0,
      // As they are known: a server that does not answer must not hold up the list.
      tools: connected[0]?.lastTools().tools.length ?? null,
      problem: connected.length > 0 ? null : problem,
      login: isProgram(server.settings) ? null : await logins.state(name, server.settings.url),
      agents: server.settings.agents ?? null,
      shared: !isPrivate(server),
      secrets: namesOf(server.settings),
    };
  };

  return {
    list: () => Promise.all(all().map(listed)),
    add: (given, replace) =>
      inTurn(async () => {
        const servers = givenServers(given);
        const taken = servers.find(({ name }) => ownEntry(settings(), name) !== undefined);
        if (taken !== undefined && !replace) throw new NomosError("mcp_server_exists", { name: taken.name });
        const added = Object.fromEntries(servers.map((one) => [one.name, one.settings]));
        await config.change({ mcpServers: { ...settings(), ...added } });
        await Promise.all(servers.map(({ name }) => pool.forget(name)));
      }),
    namesIn: (given) => givenServers(given).map(({ name }) => name),
    remove: (name) =>
      inTurn(async () => {
        find(name);
        const { [name]: _gone, ...others } = settings();
        await config.change({ mcpServers: others });
        await pool.forget(name);
        await logins.forget(name);
      }),
    test: async (name) => testServer(find(name), open, clock),
    login: async (name) => {
      const server = find(name);
      if (isProgram(server.settings)) throw new NomosError("mcp_login_unsupported", { name });
      return logins.begin(name, server.settings.url);
    },
    source: createMcpSource(enabled, pool, limits),
    release: pool.release,
    stop: async () => {
      logins.stop();
      await pool.close();
    },
  };
}

/** As the configuration shows it: arguments and parts of an address may be secrets. */
function shownTarget(config: ConfigService, name: string): string {
  const servers = config.shown()["mcpServers"] as { readonly [name: string]: { readonly [member: string]: unknown } };
  const { command, url, args } = servers[name] ?? {};
  if (url !== undefined) return String(url);
  return [command, ...(Array.isArray(args) ? args : [])].map(String).join(" ");
}
