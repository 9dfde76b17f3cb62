import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Waits on loopback for the browser that comes back from a login. */
export interface ReturnPage {
  readonly redirectUrl: string;
  /** The parameters of the first visit that carries the state of this login. */
  readonly visited: Promise<URLSearchParams>;
  readonly close: () => void;
}

const PATH = "/callback";

/** `port`: one that a registered client names already; another one is taken when it is not free. */
export async function openReturnPage(port: number, state: string): Promise<ReturnPage> {
  const visited = Promise.withResolvers<URLSearchParams>();
  // Nobody may be waiting when a login is given up.
  visited.promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const isOurs = request.method === "GET" && pathname === PATH && searchParams.get("state") === state;
    response.writeHead(isOurs ? 200 : 404, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      connection: "close",
    });
    response.end(isOurs ? "Nomos has the answer of the login. You can close this page.\n" : "There is nothing here.\n");
    if (isOurs) visited.resolve(searchParams);
  });
  server.requestTimeout = REQUEST_MS;
  await listen(server, port).catch(() => listen(server, 0));
  const { port: taken } = server.address() as AddressInfo;
  return {
    redirectUrl: `http://127.0.0.1:${taken}${PATH}`,
    visited: visited.promise,
    close: () => {
      server.close();
      server.closeAllConnections();
      visited.reject(new Error("the login was given up"));
    },
  };
}

const REQUEST_MS = 10_000;

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}
