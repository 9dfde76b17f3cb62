import { readFile } from "node:fs/promises";

/** A connection within this machine, by the ports of its two ends. */
export interface LocalConnection {
  readonly theirPort: number;
  readonly ourPort: number;
}

/** IPv4 sockets, and IPv6 sockets that were connected to an IPv4 address. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const LOOPBACK = /^(?:0000000000000000FFFF0000)?0100007F$/;

/** The user whose process holds the other end of a loopback connection; null where the system does not tell. */
export async function socketUser(connection: LocalConnection): Promise<number | null> {
  for (const table of TABLES) {
    const user = userIn(await readFile(table, "latin1").catch(() => ""), connection);
    if (user !== null) return user;
  }
  return null;
}

/** `sl local_address rem_address st tx:rx tr:when retrnsmt uid ...`, addresses as hexadecimal `address:port`. */
export function userIn(table: string, { theirPort, ourPort }: LocalConnection): number | null {
  for (const line of table.split("\n")) {
    const [, local = "", remote = "", , , , , uid] = line.trim().split(/\s+/);
    if (isAt(local, theirPort) && isAt(remote, ourPort) && uid !== undefined) return Number(uid);
  }
  return null;
}

function isAt(end: string, port: number): boolean {
  const [address = "", hex = ""] = end.split(":");
  return LOOPBACK.test(address) && Number.parseInt(hex, 16) === port;
}
