import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of the tools `web_fetch` and `web_search`. */
export const WEB_ERRORS = {
  web_url_invalid: entry(
    400,
    2,
    "This address cannot be fetched.",
    "Give a full http or https address without a user or a password.",
  ),
  web_refused: entry(
    403,
    3,
    "This address may not be reached.",
    "Fetch another address. A person can open a host with `web.allow` in the configuration.",
  ),
  web_robots: entry(
    403,
    3,
    "The site's robots.txt forbids to fetch this page.",
    "Fetch another page, or look for the same content elsewhere.",
  ),
  web_unreachable: entry(502, 6, "The server cannot be reached.", "Check the address, or try again later."),
  web_timeout: entry(504, 6, "The server took too long.", "Try again later, or fetch another address."),
  web_too_large: entry(413, 1, "The answer is too large.", "Fetch a smaller page, or a part of it."),
  web_redirects: entry(502, 1, "The server redirects without an end.", "Fetch another address."),
  web_answer_invalid: entry(502, 1, "The server's answer cannot be read.", "Try again, or fetch another address."),
  web_unreadable: entry(
    415,
    1,
    "The content cannot be made readable.",
    "Fetch it with `format: raw` when it is text, or look for the same content as a web page.",
  ),
  web_busy: entry(429, 6, "Too many pages are fetched at once.", "Wait for the others, then try again."),
  search_auth: entry(
    502,
    3,
    "The search engine rejected the key.",
    "A person has to check `web.search.key` in the configuration. Searching again will not help.",
  ),
  search_limited: entry(
    429,
    6,
    "The search engine's limit is reached.",
    "Wait before the next search, or fetch a known address with `web_fetch`.",
  ),
  search_failed: entry(
    502,
    1,
    "The search failed.",
    "Try again, or with other words. A person can check `web.search` in the configuration.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
