import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type HostRule, isExact, isLoopbackHost, plainHost, ruleFor } from "./host-rules.ts";
import { isOwnMachine, isPublicAddress } from "./public-address.ts";

/** A checked target: the connection goes to this address, even if the name resolves differently a moment later. */
export interface Way {
  readonly host: string;
  readonly port: number;
  readonly address: string;
}

export type DenialReason = "not_allowed" | "not_a_host" | "not_public" | "unresolved" | "other_name" | "too_many";

export interface Denied {
  readonly host: string;
  readonly port: number;
  readonly reason: DenialReason;
}

export type Resolve = (host: string) => Promise<readonly string[]>;

export function systemResolve(): Resolve {
  return async (host) => (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Checks the name, then every address it resolves to. A single address that is not public refuses them all. */
export async function findWay(
  rules: readonly HostRule[],
  asked: { readonly host: string; readonly port: number },
  resolve: Resolve,
): Promise<Way | Denied> {
  const { port } = asked;
  const host = plainHost(asked.host);
  if (host === null) return { host: asked.host.slice(0, HOST_CHARS_MAX), port, reason: "not_a_host" };
  const rule = ruleFor(rules, host, port);
  if (rule === null) return { host, port, reason: "not_allowed" };
  const addresses = isIP(host) !== 0 ? [host] : await resolve(host).catch(() => []);
  const [address] = addresses;
  if (address === undefined) return { host, port, reason: "unresolved" };
  if (!isExact(rule) && !addresses.every(isPublicAddress)) return { host, port, reason: "not_public" };
  const isName = isIP(host) === 0 && !isLoopbackHost(host);
  if (isName && addresses.some(isOwnMachine)) return { host, port, reason: "not_public" };
  return { host, port, address };
}

const HOST_CHARS_MAX = 255;

export function isDenied(found: Way | Denied): found is Denied {
  return "reason" in found;
}

/** Whether the name used inside a tunnel is the host that the tunnel was opened for. */
export function isSameHost(name: string | null, { host, port }: Way): boolean {
  if (name === null) return false;
  const [, bare = name, said] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(name) ?? [];
  return plainHost(bare) === host && (said === undefined || Number(said) === port);
}
