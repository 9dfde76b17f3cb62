import { isIP } from "node:net";
import { NomosError } from "../../../contract/index.ts";
import { type HostRule, isOwnMachine, isPublicAddress, type Resolve, ruleFor } from "../../../host/index.ts";
import { holdsAddress, namesHost, portOf, type WebRule, type WebRules } from "./web-rules.ts";
import type { WebUrl } from "./web-url.ts";

/** What may be reached, for one session. */
export interface Reach {
  readonly rules: WebRules;
  /** `network.allow` of a strict session; null: its sandbox leaves the network open. */
  readonly session: readonly HostRule[] | null;
  readonly resolve: Resolve;
}

/** Checked addresses of a host. Connections go to these and nowhere else, whatever the name resolves to later. */
export type CheckedAddresses = readonly [string, ...string[]];

/** Without a rule, a server is reached on these ports only: on others listens what is not the web. */
const WEB_PORTS: readonly number[] = [80, 443, 8080, 8443];

const ADDRESSES_MAX = 16;

/** Resolves the name once and checks every answer. One address that may not be reached refuses them all. */
export async function findWay({ rules, session, resolve }: Reach, url: WebUrl): Promise<CheckedAddresses> {
  const { host, port } = url;
  const closed = (rule: WebRule) => portOf(rule) === null || portOf(rule) === port;
  if (rules.deny.some((rule) => namesHost(rule, host) && closed(rule))) throw refused(`${host} is denied`, "denied");
  if (session !== null && ruleFor(session, host, port) === null)
    throw refused(`the session's network does not allow ${host}:${port}`, "session_network");
  const opens = (rule: WebRule) => (portOf(rule) === null ? WEB_PORTS.includes(port) : portOf(rule) === port);
  const opening = rules.allow.filter(opens);
  const isNamed = opening.some((rule) => namesHost(rule, host));
  if (isLocalName(host) && !isNamed) throw refused(`${host} is this machine`, "not_public");
  const [first, ...others] = await addressesOf(host, resolve);
  if (first === undefined) throw new NomosError("web_unreachable", { host }, { message: `${host} has no address.` });
  for (const address of [first, ...others]) {
    if (rules.deny.some((rule) => holdsAddress(rule, address) && closed(rule)))
      throw refused(`${host} is denied`, "denied");
    if (isPublicAddress(address) && WEB_PORTS.includes(port)) continue;
    const isOpened = isNamed || opening.some((rule) => holdsAddress(rule, address));
    // A name is in the hands of whoever runs its DNS: it never leads to this machine or to the metadata service.
    const isMeant = isIP(host) !== 0 || (isLocalName(host) ? isLoopback(address) : !isOwnMachine(address));
    if (isOpened && isMeant) continue;
    if (isPublicAddress(address)) throw refused(`port ${port} is not open for the web tools`, "port");
    throw refused(`${host} does not lead to a public address`, "not_public");
  }
  return [first, ...others];
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const found = await resolve(host).catch(() => []);
  return found.filter((address) => isIP(address) !== 0).slice(0, ADDRESSES_MAX);
}

function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}

function refused(why: string, reason: string): NomosError {
  return new NomosError("web_refused", { reason }, { message: `This address may not be reached: ${why}.` });
}
