import { toNomosError } from "../../contract/index.ts";
import { type Clock, type ProcessHost, type Resolve, systemResolve } from "../../host/index.ts";
import { rulesOf } from "../../supervisor/index.ts";
import type { ToolSource } from "../../turns/index.ts";
import type { ConfigService } from "../config/settings.ts";
import { recentPages } from "./content/pages.ts";
import { type FetchParts, fetchTool } from "./fetch-tool.ts";
import { WEB_LIMITS, type WebLimits } from "./reach/limits.ts";
import { readWebRules } from "./reach/web-rules.ts";
import { startReader } from "./reader/start-reader.ts";
import { keepRobots } from "./robots/keep-robots.ts";
import { searchTool } from "./search-tool.ts";
import { takeTurns } from "./take-turns.ts";

export interface WebToolParts {
  readonly config: Pick<ConfigService, "show">;
  readonly clock: Clock;
  /** Starts the process that makes a page readable. */
  readonly host: Pick<ProcessHost, "spawn">;
  readonly instance: string;
  /** A directory outside of the home, for that process. */
  readonly cwd: string;
  /** Of the daemon: a search engine's key may be in it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly resolve?: Resolve;
  readonly limits?: Partial<WebLimits>;
}

const FETCHES_AT_ONCE = 16;
const FETCHES_WAITING_MAX = 100;
const READERS_AT_ONCE = 2;

/** `web_fetch`, and `web_search` where a search engine is configured. A strict session reaches what its walls allow. */
export function createWebTools(parts: WebToolParts): ToolSource {
  const { config, clock, environment, resolve = systemResolve() } = parts;
  const limits = { ...WEB_LIMITS, ...parts.limits };
  const read = startReader({ ...parts, limits });
  const readers = takeTurns(READERS_AT_ONCE, FETCHES_AT_ONCE);
  const settings = () => config.show().web ?? {};
  const shared: FetchParts = {
    settings,
    reachOf: ({ spec }, web) => ({
      rules: readWebRules(web),
      session: spec.sandbox === "strict" ? rulesOf(spec) : null,
      resolve,
    }),
    limits,
    turns: takeTurns(FETCHES_AT_ONCE, FETCHES_WAITING_MAX),
    readHtml: (order, signal) => readers(() => read(order, signal), signal),
    robots: keepRobots(clock),
    pages: recentPages(clock),
  };
  const fetching = fetchTool(shared);
  return {
    name: "web",
    tools: async ({ spec }) => {
      const web = settings();
      const { invalid } = readWebRules(web);
      if (invalid.length > 0) return { tools: [], problems: [unreadRules(invalid)] };
      // Nothing is reachable from there, so there is nothing to offer.
      if (spec.sandbox === "strict" && rulesOf(spec).length === 0) return { tools: [], problems: [] };
      if (web.search === undefined) return { tools: [fetching], problems: [] };
      try {
        return { tools: [fetching, searchTool({ ...shared, environment }, web.search)], problems: [] };
      } catch (thrown) {
        return { tools: [fetching], problems: [`web_search is not offered: ${toNomosError(thrown).message}`] };
      }
    },
  };
}

/** A denied host that is misspelled would be reached. */
function unreadRules(invalid: readonly string[]): string {
  const named = invalid.slice(0, 3).map((text) => `\`${text}\``);
  return `web_fetch and web_search are not offered: ${named.join(", ")} in \`web.allow\` or \`web.deny\` is no host and no network`;
}
