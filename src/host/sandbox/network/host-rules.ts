import { isIP } from "node:net";
import { domainToASCII } from "node:url";

/** `host`, `host:port` or `*.host`, as written in `network.allow`. */
export interface HostRule {
  /** Lower case, without a final dot; an address in canonical form. */
  readonly host: string;
  /** True for `*.host`: every subdomain, but not the host itself. */
  readonly below: boolean;
  /** Null means the web's ports. */
  readonly port: number | null;
}

const WEB_PORTS = [80, 443];
const PORT_MAX = 65_535;

/** Null for text that names no host. */
export function parseHostRule(text: string): HostRule | null {
  const [, name = "", port] = /^(\[[^\]]+\]|[^:[\]/\s]+)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const below = name.startsWith("*.");
  const host = plainHost(below ? name.slice(2) : name);
  const number = port === undefined ? null : Number(port);
  if (host === null || (number !== null && (number < 1 || number > PORT_MAX))) return null;
  return below && (isIP(host) !== 0 || !host.includes(".")) ? null : { host, below, port: number };
}

/** The canonical form for comparison. Null for invalid hosts, including addresses in legacy notation. */
export function plainHost(text: string): string | null {
  const bare = /^\[(.+)\]$/.exec(text)?.[1];
  if (bare !== undefined) return isIP(bare) === 6 ? new URL(`http://[${bare}]/`).hostname.slice(1, -1) : null;
  if (isIP(text) === 4) return text;
  const ascii = domainToASCII(text.replace(/\.$/, "")).toLowerCase();
  // A resolver reads `0x7f.1`, `127.1` and `2130706433` as loopback, while a comparison sees a name.
  if (!/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9])?$/.test(ascii) || ascii.includes("..")) return null;
  return /(^|\.)(\d+|0x[0-9a-f]*)$/.test(ascii) ? null : ascii;
}

/** The rule that allows it; one for exactly this host and port comes first. */
export function ruleFor(rules: readonly HostRule[], host: string, port: number): HostRule | null {
  const fitting = rules.filter((rule) => {
    const isHost = rule.below ? host.endsWith(`.${rule.host}`) : host === rule.host;
    return isHost && (rule.port === null ? WEB_PORTS.includes(port) : rule.port === port);
  });
  return fitting.find(isExact) ?? fitting[0] ?? null;
}

/** Whether the operator named exactly this host and port. Then it may be a private address too. */
export function isExact({ below, port }: HostRule): boolean {
  return !below && port !== null;
}

export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}

export function spellRule({ host, below, port }: HostRule): string {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return `${below ? "*." : ""}${name}${port === null ? "" : `:${port}`}`;
}
