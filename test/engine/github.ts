import { once } from "node:events";
import { createServer } from "node:http";

/** GitHub's three endpoints for a login at Copilot, on loopback. */
export async function startGitHub(): Promise<
  { readonly url: string; readonly exchanges: () => number } & AsyncDisposable
> {
  let polls = 0;
  let exchanges = 0;
  const answers: { readonly [path: string]: () => object } = {
    "/login/device/code": () => ({
      ...{ device_code: "d", user_code: "AB-12", verification_uri: "https://example.test/device" },
      ...{ expires_in: 60, interval: 0.01 },
    }),
    "/login/oauth/access_token": () => {
      polls += 1;
      return polls < 2 ? { error: "authorization_pending" } : { access_token: "gho_person" };
    },
    "/copilot_internal/v2/token": () => {
      exchanges += 1;
      return { token: `short-${exchanges}`, expires_at: Math.floor(Date.now() / 1000) + 3600 };
    },
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ""];
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer?.() ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges: () => exchanges,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
