export interface SafeLink {
  /** What the browser would open. */
  readonly href: string;
  /** The real host, when the visible text names another one; else null. */
  readonly realHost: string | null;
}

const URL_CHARS_MAX = 4096;
const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/**
 * A link that may be opened, or null: then it is shown as text. Only absolute addresses of the web and of mail. Relative ones
 * would lead into the dashboard itself.
 */
export function safeLink(href: string, visible: string): SafeLink | null {
  if (href.length > URL_CHARS_MAX || !/^(?:https?:\/\/|mailto:)/i.test(href)) return null;
  // A URL parser drops tabs and line feeds, and hides a user name: what is seen would not be what is opened.
  if (/[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\\]/u.test(href)) return null;
  const url = parsed(href);
  if (url === null || !SCHEMES.has(url.protocol)) return null;
  if (url.protocol === "mailto:")
    return { href: url.href, realHost: misleads(visible, mailHost(url)) ? mailHost(url) : null };
  if (url.host === "") return null;
  const isDisguised = url.username !== "" || url.password !== "" || isPunycode(url.host);
  return { href: url.href, realHost: isDisguised || misleads(visible, url.host) ? url.host : null };
}

function parsed(href: string): URL | null {
  return URL.canParse(href) ? new URL(href) : null;
}

function mailHost(url: URL): string {
  return url.pathname.split("@").at(-1)?.toLowerCase() ?? "";
}

function isPunycode(host: string): boolean {
  return /(?:^|\.)xn--/i.test(host);
}

/** Whether a text looks like an address or a host, and not like this one. */
function misleads(visible: string, host: string): boolean {
  const text = visible
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toLowerCase();
  const named = text.slice(0, URL_CHARS_MAX).match(HOST_LIKE) ?? [];
  return named.some((name) => !isSameHost(name, host));
}

/** `example.com`, `www.example.com` and `login.example.com:8080` alike. File names such as `main.ts` match too: harmless. */
const HOST_LIKE = /[\p{L}\p{N}][\p{L}\p{N}\p{M}_-]*(?:\.[\p{L}\p{N}_-]+)*\.[\p{L}\p{N}-]{2,}(?::\d+)?/gu;

function isSameHost(name: string, host: string): boolean {
  const [plain, real] = [name, host.toLowerCase()].map((text) => text.replace(/^www\./, "").replace(/:\d+$/, ""));
  return plain === real || (real ?? "").endsWith(`.${plain}`);
}
