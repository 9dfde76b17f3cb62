import { createSocket } from "node:dgram";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { type AddressInfo, createServer, type ListenOptions, type Socket } from "node:net";
import { join } from "node:path";

/**
 * Servers outside, on loopback and local sockets: they give the secret to any client, and remember what they received.
 */
export interface Ears extends AsyncDisposable {
  readonly known: Readonly<Record<string, string>>;
  readonly hear: (text: string) => void;
  readonly heard: () => readonly string[];
}

export interface EarsOrder {
  readonly outside: string;
  readonly tag: string;
  readonly secret: string;
}

export async function openEars({ outside, tag, secret }: EarsOrder): Promise<Ears> {
  const heard: string[] = [];
  await using open = new AsyncDisposableStack();
  const answer = (socket: Socket): void => {
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes) => {
      heard.push(bytes.toString("latin1"));
      socket.end(`HTTP/1.0 200 OK\r\n\r\n${secret}\n`);
    });
  };
  const listen = async (at: ListenOptions): Promise<number> => {
    const server = createServer(answer);
    server.listen(at);
    await once(server, "listening");
    open.defer(() => void server.close());
    const address: AddressInfo | string | null = server.address();
    return typeof address === "object" ? (address?.port ?? 0) : 0;
  };
  const port = await listen({ host: "127.0.0.1", port: 0 });
  await listen({ host: "127.0.0.2", port });
  const port6 = await listen({ host: "::1", port: 0 });
  for (const name of ["service", "docker", "agent", "bus"]) await listen({ path: join(outside, `${name}.sock`) });
  const abstract = `nomos-walls-${tag}`;
  await listen({ path: `\0${abstract}` });
  await listen({ path: `\0/tmp/.X11-unix/X${abstract}` });
  const service = `/run/nomos-walls-${tag}.sock`;
  if (process.getuid?.() === 0) {
    await listen({ path: service });
    open.defer(() => rmSync(service, { force: true }));
  }
  const datagrams = createSocket("udp4", (bytes) => heard.push(bytes.toString("latin1")));
  datagrams.bind(0, "127.0.0.1");
  await once(datagrams, "listening");
  open.defer(() => void datagrams.close());
  const kept = open.move();
  return {
    known: {
      ...{ PORT: String(port), PORT6: String(port6), UDP: String(datagrams.address().port) },
      ...{ SOCK: join(outside, "service.sock"), ABSTRACT: abstract, RUN_SOCK: service },
    },
    hear: (text) => void heard.push(text),
    heard: () => heard,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
