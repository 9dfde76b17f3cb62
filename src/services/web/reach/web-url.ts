import { NomosError } from "../../../contract/index.ts";
import { plainHost } from "../../../host/index.ts";

/** An address of the web, read once: every later step works with these parts and not with the text. */
export interface WebUrl {
  /** Without the fragment. */
  readonly href: string;
  readonly protocol: "http:" | "https:";
  /** One spelling: lower case, no final dot, an address in canonical form and without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path and query. */
  readonly path: string;
  /** What the server is told: the host with its port where that is not the usual one. */
  readonly authority: string;
}

const URL_CHARS_MAX = 2048;

/** Throws `web_url_invalid`. With a base, relative addresses are read too. */
export function readWebUrl(text: string, base?: WebUrl): WebUrl {
  const given = text.trim();
  if (given.length > URL_CHARS_MAX) throw invalid(`it has more than ${URL_CHARS_MAX} characters`);
  // Parsers disagree on these, so nobody could tell from the text where it leads.
  if (/[\s\\\p{Cc}]/u.test(given)) throw invalid("it has spaces, control characters or backslashes");
  if (base === undefined && !/^https?:\/\/[^/]/i.test(given))
    throw invalid("it does not begin with http:// or https://");
  const url = URL.parse(given, base?.href);
  if (url === null) throw invalid("it cannot be parsed");
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:") throw invalid(`${protocol} is neither http nor https`);
  if (url.username !== "" || url.password !== "") throw invalid("it has a user or a password");
  const host = plainHost(url.hostname);
  if (host === null) throw invalid("its host is not valid");
  url.hash = "";
  return {
    href: url.href,
    protocol,
    host,
    port: url.port === "" ? USUAL_PORTS[protocol] : Number(url.port),
    path: `${url.pathname}${url.search}`,
    authority: url.host,
  };
}

const USUAL_PORTS = { "http:": 80, "https:": 443 } as const;

function invalid(reason: string): NomosError {
  return new NomosError("web_url_invalid", { reason }, { message: `This address cannot be fetched: ${reason}.` });
}
