import { BlockList, isIP } from "node:net";

/**
 * Whether an address is on the public internet: not this machine, its network, or its cloud provider's metadata
 * service.
 */
export function isPublicAddress(address: string): boolean {
  return isIP(address) !== 0 && !isIn(address, V4, V6);
}

/** This machine itself or its cloud provider's metadata service. No name may lead there, only a rule for the address. */
export function isOwnMachine(address: string): boolean {
  return isIn(address, OWN_V4, OWN_V6);
}

type Nets = readonly (readonly [string, number])[];

/** One list for each family: a shared list would match every IPv4 address as its IPv4-mapped IPv6 form. */
function isIn(address: string, v4: Nets, v6: Nets): boolean {
  const family = isIP(address) === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  for (const [net, bits] of family === "ipv4" ? v4 : v6) list.addSubnet(net, bits, family);
  return list.check(address, family);
}

const OWN_V4: Nets = [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
];
const OWN_V6: Nets = [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2002::", 16],
  ["fd00:ec2::", 32],
  ["fd20:ce::", 32],
  ["fe80::", 10],
];

const V4: Nets = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Azure's metadata and name service, at an address that looks public.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Only 2000::/3 is global; in it, the forms that embed an IPv4 address, because it could be any of the above. */
const V6: Nets = [
  ["::", 3],
  ["4000::", 2],
  ["8000::", 1],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];
