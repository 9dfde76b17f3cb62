import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";

/** The address of an attempt's name at the n-th lookup. */
export function leadsTo(host: string, asked: number): readonly string[] | null {
  if (host === "flip.test") return asked === 0 ? ["198.51.100.7"] : ["127.0.0.1"];
  return LEADS[host] ?? null;
}

const LEADS: Readonly<Record<string, readonly string[]>> = {
  "rebind.test": ["127.0.0.1"],
  "mixed.test": ["8.8.8.8", "127.0.0.1"],
  "lan.test": ["10.0.0.7"],
  "lan16.test": ["192.168.1.1"],
  "metadata.test": ["169.254.169.254"],
  "carrier.test": ["100.64.0.1"],
  "six.test": ["::1"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "nat64.test": ["64:ff9b::7f00:1"],
  "local6.test": ["fd00::1"],
  "link6.test": ["fe80::1"],
  "a.wild.test": ["127.0.0.1"],
};

/**
 * A careless proxy: it connects to whatever it is asked for. An address not of this machine stands for a service there.
 */
export async function openProxy(ports: { readonly secret: number; readonly gate: number }) {
  const portFor = async (host: string, port: string): Promise<number> => {
    const bare = host.replace(/^\[|\]$|\.$/g, "");
    // An unresolvable name leads nowhere, so such an attempt does not count.
    if (leadsTo(bare, 1) === null) await lookup(bare === "0" ? "0.0.0.0" : bare);
    return Number(port) === ports.gate ? ports.gate : ports.secret;
  };
  const server = createServer((asked, answer) => {
    const url = new URL(asked.url ?? "", `http://${asked.headers.host}`);
    const pass = async (): Promise<void> => {
      const port = await portFor(url.hostname, url.port);
      const headers = asked.rawHeaders;
      const going = request({
        host: "127.0.0.1",
        port,
        path: url.pathname,
        method: asked.method,
        headers,
        setHost: false,
      });
      going.on("response", (came) => came.pipe(answer.writeHead(came.statusCode ?? 502, came.rawHeaders)));
      going.on("error", () => answer.destroy());
      asked.pipe(going);
    };
    pass().catch(() => answer.destroy());
  });
  const tunnel = async (asked: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(asked.url ?? "") ?? [];
    const far = connect(await portFor(host.replace(/^.*@/, ""), port), "127.0.0.1");
    for (const end of [far, client]) end.on("error", () => [far, client].map((one) => one.destroy()));
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    far.write(head);
    client.pipe(far).pipe(client);
  };
  server.on("connect", (asked, client, head) => void tunnel(asked, client, head).catch(() => client.destroy()));
  server.on("upgrade", (asked: IncomingMessage, client: Duplex) => {
    const far = connect(ports.secret, "127.0.0.1");
    for (const end of [far, client]) end.on("error", () => [far, client].map((one) => one.destroy()));
    far.write(`GET ${asked.url} HTTP/1.1\r\n\r\n`);
    far.pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
