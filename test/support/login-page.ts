import { once } from "node:events";
import { createServer } from "node:http";

/** A login server that gives a device code; nobody ever enters it. */
export async function startLoginPage(): Promise<{ readonly url: string } & AsyncDisposable> {
  const code = { device_code: "d", user_code: "AB-12", verification_uri: "https://example.test/device" };
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...code, expires_in: 600, interval: 60 }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
