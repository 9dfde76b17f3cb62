import { createServer, request, type Server } from "node:http";

export interface TokenProxy extends AsyncDisposable {
  readonly url: string;
}

/**
 * For programs that cannot send a token: a loopback proxy that adds it and passes everything else on. A Host or Origin
 * that names the proxy is rewritten; a foreign one stays foreign.
 */
export async function startTokenProxy(target: { readonly port: number; readonly token: string }): Promise<TokenProxy> {
  const server = createServer((incoming, outgoing) => {
    const own = portOf(server);
    const readdress = (value: string | undefined) => value?.replace(new RegExp(`:${own}$`), `:${target.port}`);
    const headers = {
      ...incoming.headers,
      authorization: `Bearer ${target.token}`,
      host: readdress(incoming.headers.host),
      ...(incoming.headers.origin === undefined ? {} : { origin: readdress(incoming.headers.origin) }),
    };
    const passed = request(
      { host: "127.0.0.1", port: target.port, method: incoming.method, path: incoming.url, headers, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
      },
    );
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
