import { NomosError } from "../../../contract/index.ts";
import { findWay, type Reach } from "./find-way.ts";
import type { WebLimits } from "./limits.ts";
import { orAborted } from "./or-aborted.ts";
import { request, tookTooLong, type WebAnswer } from "./request.ts";
import { readWebUrl, type WebUrl } from "./web-url.ts";

export interface Follow {
  readonly reach: Reach;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: WebLimits;
  readonly signal: AbortSignal;
  /** Called before each request; throws when the page must not be fetched. */
  readonly before?: (url: WebUrl) => Promise<void>;
}

/** The last answer and where it came from. `leadsTo`: a redirect that was not followed. */
export interface Followed {
  readonly url: WebUrl;
  readonly answer: WebAnswer;
  readonly leadsTo: WebUrl | null;
}

/**
 * Follows redirects on the same host; each one is resolved and checked anew. One to another host, or from https to http,
 * is given back: the gate has judged this host and no other.
 */
export async function follow(from: WebUrl, options: Follow): Promise<Followed> {
  const { reach, headers, limits, before } = options;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(tookTooLong(`more than ${limits.totalMs / 1000} seconds`)), limits.totalMs);
  const signal = AbortSignal.any([options.signal, late.signal]);
  try {
    let url = from;
    for (let hop = 0; hop <= limits.redirectsMax; hop += 1) {
      await before?.(url);
      const addresses = await orAborted(findWay(reach, url), signal);
      const answer = await request({ url, addresses, headers, limits, signal });
      const next = redirectOf(answer, url);
      if (next === null) return { url, answer, leadsTo: null };
      if (next.host !== url.host || (url.protocol === "https:" && next.protocol === "http:")) {
        // Nobody is sent on to what would be refused.
        await orAborted(findWay(reach, next), signal);
        return { url, answer, leadsTo: next };
      }
      url = next;
    }
    throw new NomosError("web_redirects", { redirectsMax: limits.redirectsMax });
  } finally {
    clearTimeout(timer);
  }
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

function redirectOf({ status, headers }: WebAnswer, from: WebUrl): WebUrl | null {
  const { location } = headers;
  if (location === undefined || !REDIRECTS.includes(status)) return null;
  // Headers are read byte by byte; servers write addresses in UTF-8, and some with spaces.
  return readWebUrl(Buffer.from(location, "latin1").toString("utf8").trim().replaceAll(" ", "%20"), from);
}
