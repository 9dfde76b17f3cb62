import { BlockList, isIP } from "node:net";
import type { WebSettings } from "../../../contract/index.ts";
import { type HostRule, parseHostRule } from "../../../host/index.ts";

/** `web.allow` and `web.deny`, compiled. */
export interface WebRules {
  readonly allow: readonly WebRule[];
  readonly deny: readonly WebRule[];
}

/** By name: a host and what it resolves to. By network: every address in it, whatever its name. */
export type WebRule = { readonly name: HostRule } | { readonly net: BlockList; readonly port: number | null };

/** `invalid` names the entries that are no rules. */
export function readWebRules({ allow = [], deny = [] }: WebSettings): WebRules & { readonly invalid: string[] } {
  const invalid: string[] = [];
  const read = (texts: readonly string[]): WebRule[] =>
    texts.flatMap((text) => {
      const rule = readRule(text);
      if (rule === null) invalid.push(text);
      return rule ?? [];
    });
  return { allow: read(allow), deny: read(deny), invalid };
}

function readRule(text: string): WebRule | null {
  const [, net, bits] = /^\[?([0-9a-fA-F.:]+)\]?\/(\d{1,3})$/.exec(text) ?? [];
  if (net !== undefined) return netRule(net, Number(bits), null);
  const rule = parseHostRule(isIP(text) === 6 ? `[${text}]` : text);
  if (rule === null) return null;
  return isIP(rule.host) === 0 ? { name: rule } : netRule(rule.host, isIP(rule.host) === 4 ? 32 : 128, rule.port);
}

function netRule(address: string, bits: number, port: number | null): WebRule | null {
  const family = isIP(address);
  if (family === 0 || bits > (family === 4 ? 32 : 128)) return null;
  const net = new BlockList();
  net.addSubnet(address, bits, family === 4 ? "ipv4" : "ipv6");
  return { net, port };
}

export function namesHost(rule: WebRule, host: string): boolean {
  if (!("name" in rule)) return false;
  return rule.name.below ? host.endsWith(`.${rule.name.host}`) : host === rule.name.host;
}

export function holdsAddress(rule: WebRule, address: string): boolean {
  return "net" in rule && rule.net.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

export function portOf(rule: WebRule): number | null {
  return "name" in rule ? rule.name.port : rule.port;
}
