import { request } from "node:http";
import { connect, type Socket } from "node:net";

import type { Answer, TestDaemon } from "../../support/daemon.ts";
import { whenTestEnds } from "../../support/test-end.ts";

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Without a length: sent in chunks. */
  readonly chunks?: readonly (Uint8Array | string)[];
  readonly socketPath?: string;
}

/** A request exactly as given, also with a Host or a body that `fetch` refuses to send. */
export async function rawRequest(daemon: TestDaemon, given: RawRequest): Promise<Answer<unknown>> {
  const { port } = new URL(daemon.url);
  const { promise, resolve, reject } = Promise.withResolvers<Answer<unknown>>();
  const sent = request(
    {
      ...(given.socketPath === undefined ? { host: "127.0.0.1", port } : { socketPath: given.socketPath }),
      method: given.method ?? "GET",
      path: given.path,
      headers: { host: `127.0.0.1:${port}`, authorization: `Bearer ${daemon.token}`, ...given.headers },
      agent: false,
    },
    (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        const headers = new Headers(
          Object.entries(response.headersDistinct).map(([name, all]) => [name, `${all?.[0]}`]),
        );
        resolve({ status: response.statusCode ?? 0, headers, text, body: parsed(text) });
      });
    },
  );
  sent.on("error", reject);
  for (const chunk of given.chunks ?? []) sent.write(chunk);
  sent.end(given.body);
  return promise;
}

/** A raw connection, for malformed HTTP. Closed when the test ends. */
export async function rawSocket(daemon: TestDaemon): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(daemon.url).port) });
  whenTestEnds(() => void socket.destroy());
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => socket.destroy());
  return socket;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
