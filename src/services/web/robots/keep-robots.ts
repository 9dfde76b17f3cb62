import { NomosError } from "../../../contract/index.ts";
import type { Clock } from "../../../host/index.ts";
import { type Follow, follow } from "../reach/follow.ts";
import { readWebUrl, type WebUrl } from "../reach/web-url.ts";
import { isAllowed, type RobotsRule, rulesFor } from "./robots-txt.ts";

/** Throws `web_robots` when the site forbids the page. */
export type CheckRobots = (url: WebUrl, how: Follow, product: string) => Promise<void>;

const KEPT_MS = 3_600_000;
const HOSTS_MAX = 256;
/** RFC 9309 asks for at least 500 KiB. */
const BYTES_MAX = 524_288;

/** Asks each host once an hour. */
export function keepRobots(clock: Pick<Clock, "steadyMs">): CheckRobots {
  const kept = new Map<string, { readonly rules: readonly RobotsRule[]; readonly atMs: number }>();
  return async (url, how, product) => {
    const origin = `${url.protocol}//${url.authority}`;
    const key = `${origin} ${product}`;
    let found = kept.get(key);
    if (found === undefined || clock.steadyMs() - found.atMs > KEPT_MS) {
      const rules = await ask(origin, how, product);
      // Not kept: a server that fails now may answer in a moment.
      if (rules === null) throw new NomosError("web_robots", { host: url.host }, { message: UNKNOWN });
      found = { rules, atMs: clock.steadyMs() };
      kept.delete(key);
      kept.set(key, found);
      const [oldest] = kept.keys();
      if (kept.size > HOSTS_MAX && oldest !== undefined) kept.delete(oldest);
    }
    if (!isAllowed(found.rules, url.path)) throw new NomosError("web_robots", { host: url.host });
  };
}

const UNKNOWN = "The site does not say whether this page may be fetched: its robots.txt cannot be read.";

/** No file: everything is allowed. Null when the server fails to say: then nothing is, as the RFC asks. */
async function ask(origin: string, how: Follow, product: string): Promise<readonly RobotsRule[] | null> {
  const { before: _none, ...rest } = how;
  try {
    const limits = { ...how.limits, bodyBytes: BYTES_MAX };
    const { answer, leadsTo } = await follow(readWebUrl(`${origin}/robots.txt`), { ...rest, limits });
    if (answer.status >= 500) return null;
    return answer.status >= 400 || leadsTo !== null ? [] : rulesFor(answer.body.toString("utf8"), product);
  } catch (thrown) {
    how.signal.throwIfAborted();
    // What may not be reached at all is refused as such by the page's own request.
    if (thrown instanceof NomosError && thrown.code === "web_refused") throw thrown;
    return null;
  }
}
