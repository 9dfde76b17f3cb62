import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { type OpenDoor, openDoor } from "./door.ts";
import type { Denied } from "./egress.ts";
import { parseHostRule } from "./host-rules.ts";

/** A careless server: it records everything and answers whatever looks like a request. */
let careless: Server;
let heard = "";
/** A correct server, with a WebSocket. */
const web = createHttpServer((asked, answer) => {
  let body = "";
  asked.on("data", (piece: Buffer) => {
    body += piece.toString();
  });
  asked.on("end", () => answer.end(`${asked.method} ${asked.url} ${asked.headers.host} ${body};`));
});
let door: OpenDoor;
const denied: Denied[] = [];
const folder = mkdtempSync(join(tmpdir(), "nomos-tunnel-"));
let [port, webPort] = [0, 0];

beforeAll(async () => {
  careless = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (piece) => {
      heard += piece.toString("latin1");
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
  });
  web.on("upgrade", (asked, socket) => {
    const key = `${asked.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${asked.headers.upgrade}\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.on("error", () => undefined);
    socket.pipe(socket);
  });
  for (const server of [careless, web]) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (careless.address() as AddressInfo).port;
  webPort = (web.address() as AddressInfo).port;
  door = openDoor({
    folder,
    name: "t.sock",
    rules: [`gate.test:${port}`, `127.0.0.1:${port}`, `127.0.0.1:${webPort}`].flatMap(
      (one) => parseHostRule(one) ?? [],
    ),
    daemon: { port: 0, take: null },
    onDenied: (one) => denied.push(one),
  });
});
afterAll(() => {
  door.close();
  careless.close();
  web.close();
  rmSync(folder, { recursive: true });
});

const QUIET_MS = 400;

const PATIENCE_MS = 15_000;

/**
 * Sends raw bytes through the proxy. Returns all it receives until the connection closes, goes quiet, or the awaited
 * text arrives.
 */
async function say(pieces: readonly string[], to: "tunnel" | "proxy", at = port, until?: RegExp): Promise<string> {
  const proxyPort = Number(new URL(door.environment["HTTP_PROXY"] ?? "").port);
  const socket = connect({ path: door.socket, allowHalfOpen: true });
  let got = "";
  const quiet = Promise.withResolvers<void>();
  let timer = setTimeout(quiet.resolve, until === undefined ? QUIET_MS * 3 : PATIENCE_MS);
  socket.on("data", (piece) => {
    got += piece.toString("latin1");
    if (until?.test(got) === true) quiet.resolve();
    if (until !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(quiet.resolve, QUIET_MS);
  });
  socket.on("error", () => quiet.resolve());
  socket.on("close", () => quiet.resolve());
  socket.on("end", () => quiet.resolve());
  socket.write(Buffer.from([proxyPort >> 8, proxyPort & 255]));
  if (to === "tunnel") {
    socket.write(`CONNECT 127.0.0.1:${at} HTTP/1.1\r\nHost: 127.0.0.1:${at}\r\n\r\n`);
    await new Promise<void>((resolve) => socket.once("data", () => resolve()));
    got = "";
  }
  for (const piece of pieces) {
    socket.write(Buffer.from(piece, "latin1"));
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  await quiet.promise;
  clearTimeout(timer);
  socket.destroy();
  return got;
}

const evil = "GET /evil HTTP/1.1\r\nHost: internal.test\r\n\r\n";
const honest = (more = "") => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}\r\n`;
const post = (headers: string, body: string) => `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}\r\n${body}`;

const ATTACKS: readonly (readonly [string, () => readonly string[]])[] = [
  ["a second request with another host, at once", () => [honest() + evil]],
  ["a second request with another host, later", () => [honest(), evil]],
  ["a third one", () => [honest() + honest() + evil]],
  [
    "a second request for an absolute address",
    () => [`${honest()}GET http://internal.test/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`],
  ],
  [
    "an absolute address, and an honest header",
    () => [`GET http://internal.test/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`],
  ],
  [
    "an absolute address of another kind",
    () => [`GET https://internal.test/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`],
  ],
  ["an address without a scheme", () => [`GET internal.test:80 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`]],
  ["two hosts", () => [honest("Host: internal.test\r\n")]],
  [
    "a host that is folded",
    () => [honest("X: y\r\n Host: internal.test\r\n").replace("Host: 127", "Host:\r\n internal.test\r\nX-A: 127")],
  ],
  ["a host with a space before its colon", () => [honest("Host : internal.test\r\n")]],
  ["lines that end with a line feed alone", () => ["GET / HTTP/1.1\nHost: internal.test\n\n"]],
  ["a second request with bare line feeds", () => [`${honest()}GET / HTTP/1.1\nHost: internal.test\n\n`]],
  ["two lengths", () => [post("Content-Length: 0\r\nContent-Length: 60\r\n", evil)]],
  ["a length and chunks", () => [post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${evil}`)]],
  ["chunks that are none", () => [post("Transfer-Encoding: xchunked\r\n", `0\r\n\r\n${evil}`)]],
  ["chunks under a tab", () => [post("Transfer-Encoding:\tchunked\r\nContent-Length: 3\r\n", `0\r\n\r\n${evil}`)]],
  ["a request after chunks", () => [post("Transfer-Encoding: chunked\r\n", `3\r\nabc\r\n0\r\n\r\n${evil}`)]],
  ["a request after a body", () => [post("Content-Length: 3\r\n", `abc${evil}`)]],
  ["a request after a body of no length", () => [`POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n${evil}`]],
  ["a length with a sign", () => [post("Content-Length: +3\r\n", `abc${evil}`)]],
  ["HTTP of another version", () => [`${honest()}PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${evil}`]],
  ["HTTP/0.9, and more behind it", () => [`GET /\r\n${evil}`]],
  ["HTTP/1.0 without a host", () => [`GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n${evil}`]],
  ["a tunnel in the tunnel", () => [`CONNECT internal.test:80 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n${evil}`]],
  [
    "a second tunnel, after a request",
    () => [`${honest()}CONNECT internal.test:80 HTTP/1.1\r\nHost: internal.test\r\n\r\n${evil}`],
  ],
  [
    "an upgrade to HTTP/2",
    () => [
      honest("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n") + evil,
    ],
  ],
  ["a web socket that the server does not want", () => [honest("Connection: Upgrade\r\nUpgrade: websocket\r\n"), evil]],
  ["a method in small letters", () => ["get / HTTP/1.1\r\nhost: internal.test\r\n\r\n"]],
  ["a method that nobody knows", () => ["M-X!Y / HTTP/1.1\r\nHost: internal.test\r\n\r\n"]],
  ["a long method", () => [`${"A".repeat(40)} / HTTP/1.1\r\nHost: internal.test\r\n\r\n`]],
  ["a space before the method", () => [` ${evil}`]],
  ["a tab behind the method", () => ["GET\t/ HTTP/1.1\r\nHost: internal.test\r\n\r\n"]],
  ["empty lines first", () => ["\r\n\n\r\n", evil]],
  ["letter by letter", () => [..."GET /x HTTP/1.1\r\nHo", "st: internal.test\r\n\r\n"]],
  ["a header that is too large", () => [honest(`X: ${"x".repeat(70_000)}\r\nHost: internal.test\r\n`)]],
  ["a header that is taken away on the way", () => [honest("Connection: host\r\n") + evil]],
];

describe("a tunnel to a server that speaks plain HTTP", () => {
  for (const to of ["tunnel", "proxy"] as const)
    proves("WL-40", `no other host can be named through the ${to}, however it is spelled`, async () => {
      heard = "";
      await Promise.all(
        ATTACKS.map(([, pieces], n) => {
          const marked = pieces().map((one) => one.replaceAll("internal.test", `n${n}.internal.test`));
          const absolute = marked.map((one) => one.replace(/^(GET|POST) \/ /gm, `$1 http://127.0.0.1:${port}/ `));
          return say(to === "tunnel" ? marked : absolute, to);
        }),
      );
      // The proxy may pass on a body, but no header line.
      const named =
        to === "tunnel" ? (n: number) => `n${n}.internal.test` : (n: number) => `\nHost: n${n}.internal.test`;
      expect(ATTACKS.flatMap(([name], n) => (heard.includes(named(n)) ? [name] : []))).toEqual([]);
      expect(heard).not.toMatch(/GET http|\/evil/);
    });

  proves(
    "WL-40",
    "honest requests pass: keep-alive, pipelined, with bodies and chunks, absolute, without a port",
    async () => {
      const host = `127.0.0.1:${webPort}`;
      const requests = [
        `GET /a HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
        `POST /b HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 3\r\n\r\nabc`,
        `PUT /c HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nxyz\r\n0\r\n\r\n`,
        `GET http://${host}/d?e HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
        `POST /f HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
      ];
      const got = await say(
        [requests.slice(0, 2).join(""), ...requests.slice(2)],
        "tunnel",
        webPort,
        /POST \/f [^;]*;/,
      );
      expect(got.match(/(GET|POST|PUT) \/[^;]*;/g)).toEqual([
        `GET /a ${host} ;`,
        `POST /b ${host} abc;`,
        `PUT /c ${host} xyz;`,
        `GET /d?e ${host} ;`,
        `POST /f 127.0.0.1 ;`,
      ]);
    },
  );

  proves("WL-40", "a WebSocket opens and works through the tunnel", async () => {
    const ask = `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${webPort}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eHg=\r\nSec-WebSocket-Version: 13\r\n\r\n`;
    const got = await say([ask, "frames"], "tunnel", webPort, /frames$/);
    expect(got).toMatch(/^HTTP\/1\.1 101 [\s\S]*Sec-WebSocket-Accept: [\s\S]*frames$/);
  });

  proves("WL-40", "a request that names another host is cut off, and that is recorded", async () => {
    denied.length = 0;
    await say([honest() + evil], "tunnel", port, /never/);
    expect(denied).toMatchObject([{ host: "127.0.0.1", port, reason: "other_name" }]);
  });

  test("traffic that is not HTTP passes to a named port", async () => {
    heard = "";
    await say(["SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"], "tunnel", port, /ok$/);
    expect(heard).toContain("SSH-2.0");
    await say(["\x00\x00\x00\x08\x04\xd2\x16\x2f"], "tunnel", port, /ok$/);
    expect(heard).toContain("\x04\xd2");
  });

  test("TLS without a readable server name does not pass", async () => {
    heard = "";
    for (const hello of ["\x16\x02\x00\x00\x02\x01\x00", "\x16\x03\x01\x00\x04\x02\x00\x00\x00internal.test"])
      await say([hello], "tunnel");
    expect(heard).toBe("");
  });
});
