import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, test } from "vitest";
import { needs } from "../../../../test/support/needs.ts";
import { proves } from "../../../../test/support/proves.ts";
import { type Rehearsal, readAll, rehearse } from "../../../../test/support/rehearsal.ts";
import { findBubblewrap } from "../find-bubblewrap.ts";
import { type DoorOptions, openDoor } from "./door.ts";
import type { Denied } from "./egress.ts";
import { parseHostRule } from "./host-rules.ts";

const found = needs("bwrap") ? await findBubblewrap(process.env["PATH"] ?? "") : { missing: "bwrap" };
const bwrapPath = "path" in found ? found.path : "";
const provesWall = proves.skipIf(!needs("bwrap"));

/** Runs a script inside walls with a door. Returns what was denied. */
async function throughDoor(stage: Rehearsal, script: string, more: Partial<DoorOptions> & { allow?: string[] } = {}) {
  const denied: Denied[] = [];
  const door = openDoor({
    folder: join(stage.home, "doors"),
    name: "test.sock",
    rules: (more.allow ?? []).flatMap((text) => parseHostRule(text) ?? []),
    daemon: { port: 0, take: null },
    onDenied: (one) => denied.push(one),
    ...more,
  });
  try {
    const walls = { mounts: [], programs: [], home: null, temp: null, door };
    const env = { ...stage.spec([]).env, ...door.environment };
    return { ...(await readAll(stage.shell(script, { walls, env }))), denied };
  } finally {
    door.close();
  }
}

async function serving(text: string) {
  const server = createHttpServer((asked, answer) => {
    if (asked.url === "/away") answer.writeHead(302, { Location: "http://other.test/" }).end();
    else answer.end(`${text} ${asked.method} ${asked.url} ${asked.headers.host}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

describe.skipIf(!needs("bwrap"))("a sandbox without a network, with a door", () => {
  provesWall("WL-5", "a named loopback port is reached under its own number, and no other port", async () => {
    await using stage = rehearse({ bwrapPath });
    await using model = await serving("model");
    await using other = await serving("other");
    const script = `curl -s -m 5 http://127.0.0.1:${model.port}/v1; echo; curl -s -m 5 http://localhost:${model.port}/v2; echo
      curl -s -m 5 --noproxy '*' http://127.0.0.1:${other.port}/ || echo unreachable
      curl -s -m 5 -x "$HTTP_PROXY" --noproxy '' -o /dev/null -w '%{http_code}' http://127.0.0.1:${other.port}/`;
    const { stdout, denied } = await throughDoor(stage, script, { allow: [`127.0.0.1:${model.port}`] });
    expect(stdout).toBe(
      `model GET /v1 127.0.0.1:${model.port}\nmodel GET /v2 localhost:${model.port}\nunreachable\n403`,
    );
    expect(denied).toEqual([{ host: "127.0.0.1", port: other.port, reason: "not_allowed" }]);
  });

  provesWall("WL-5", "an allowed name is reached through the proxy, at the address that was checked", async () => {
    await using stage = rehearse({ bwrapPath });
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return ["8.8.8.8"];
    };
    // No public address answers in this test; a connection that is not denied counts as tried.
    const script = `curl -s -m 1 -o /dev/null http://site.test/; curl -s -m 5 -o /dev/null -w '%{http_code} ' http://not.test/
      curl -s -m 5 -o /dev/null -w '%{http_connect}' https://not.test/; curl -s -m 5 --noproxy '*' http://site.test/ || echo ' nothing'`;
    const { stdout, denied } = await throughDoor(stage, script, { allow: ["site.test"], resolve });
    expect(stdout).toBe("403 403 nothing\n");
    expect(asked).toEqual(["site.test"]);
    expect(denied).toEqual([
      { host: "not.test", port: 80, reason: "not_allowed" },
      { host: "not.test", port: 443, reason: "not_allowed" },
    ]);
  });

  provesWall("WL-5", "a redirect is judged as a new request", async () => {
    await using stage = rehearse({ bwrapPath });
    await using site = await serving("site");
    const { stdout, denied } = await throughDoor(
      stage,
      `curl -s -m 5 -L -x "$HTTP_PROXY" --noproxy '' http://127.0.0.1:${site.port}/away`,
      { allow: [`127.0.0.1:${site.port}`] },
    );
    expect(stdout).toContain("other.test:80 cannot be reached");
    expect(denied).toEqual([{ host: "other.test", port: 80, reason: "not_allowed" }]);
  });

  provesWall(
    "WL-5",
    "a connection that asks for one host and speaks to another is cut, in plain HTTP and in TLS",
    async () => {
      await using stage = rehearse({ bwrapPath });
      await using site = await serving("site");
      await using tls = await secret(stage);
      const script = `curl -s -m 5 -x "$HTTP_PROXY" --noproxy '' -H 'Host: other.test' -o /dev/null -w '%{http_code} ' http://127.0.0.1:${site.port}/
      curl -s -m 5 -p -x "$HTTP_PROXY" --noproxy '' -H 'Host: other.test' http://127.0.0.1:${site.port}/ || echo -n 'cut '
      curl -sk -m 5 --resolve other.test:${tls.port}:127.0.0.1 --connect-to other.test:${tls.port}:localhost:${tls.port} -x "$HTTP_PROXY" --noproxy '' https://other.test:${tls.port}/ || echo -n 'cut '
      curl -sk -m 5 -x "$HTTP_PROXY" --noproxy '' https://localhost:${tls.port}/`;
      const allow = [`127.0.0.1:${site.port}`, `localhost:${tls.port}`];
      const { stdout, denied } = await throughDoor(stage, script, { allow });
      expect(stdout).toBe("403 cut cut in TLS");
      expect(denied.map(({ reason }) => reason)).toEqual(["other_name", "other_name", "other_name"]);
    },
  );

  provesWall("WL-5", "the daemon's port leads to the daemon, which knows the session of the connection", async () => {
    await using stage = rehearse({ bwrapPath });
    const seen: string[] = [];
    const http = createHttpServer((_asked, answer) => answer.end("daemon"));
    const daemon = {
      port: 4242,
      take: (socket: import("node:net").Socket) => {
        seen.push("taken");
        http.emit("connection", socket);
      },
    };
    const { stdout } = await throughDoor(stage, "for i in 1 2; do curl -s -m 5 http://127.0.0.1:4242/; done", {
      daemon,
      allow: ["127.0.0.1:4242"],
    });
    expect(stdout).toBe("daemondaemon");
    expect(seen).toEqual(["taken", "taken"]);
  });

  provesWall("WL-5", "no rule opens the daemon's port by another name of this machine", async () => {
    await using stage = rehearse({ bwrapPath });
    await using daemon = await serving("daemon");
    const names = ["0.0.0.0", "127.1.2.3", "[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"];
    const script = names
      .map(
        (name) =>
          `curl -s -m 5 -x "$HTTP_PROXY" --noproxy '' -o /dev/null -w '%{http_code} ' http://${name}:${daemon.port}/`,
      )
      .join("\n");
    const { stdout } = await throughDoor(stage, script, {
      daemon: { port: daemon.port, take: null },
      allow: names.map((name) => `${name}:${daemon.port}`),
    });
    expect(stdout).toBe("403 ".repeat(names.length));
  });

  test("many connections at once with large bodies both ways all succeed", async () => {
    await using stage = rehearse({ bwrapPath });
    const echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket).on("error", () => undefined));
    await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
    const { port } = echo.address() as AddressInfo;
    const script = `python3 - <<'P'
import socket, threading, os
data = os.urandom(2_000_000); ok = []
def one():
    s = socket.create_connection(("127.0.0.1", ${port})); got = b""
    t = threading.Thread(target=lambda: (s.sendall(data), s.shutdown(socket.SHUT_WR))); t.start()
    while (piece := s.recv(65536)): got += piece
    ok.append(got == data)
threads = [threading.Thread(target=one) for _ in range(20)]
[t.start() for t in threads]; [t.join() for t in threads]; print(ok.count(True))
P`;
    const { stdout, stderr } = await throughDoor(stage, script, { allow: [`127.0.0.1:${port}`] });
    echo.close();
    expect({ stdout, stderr }).toEqual({ stdout: "20\n", stderr: "" });
  });

  test("a path too long for a socket name still works", async () => {
    await using stage = rehearse({ bwrapPath });
    await using model = await serving("model");
    const folder = join(stage.home, "d".repeat(100), "doors");
    const { stdout } = await throughDoor(stage, `curl -s -m 5 http://127.0.0.1:${model.port}/`, {
      folder,
      allow: [`127.0.0.1:${model.port}`],
    });
    expect(stdout).toContain("model");
  });
});

async function secret(stage: Rehearsal) {
  const [key, cert] = [join(stage.directory, "key"), join(stage.directory, "cert")];
  const subject = ["-subj", "/CN=localhost", "-days", "2"];
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      ...subject,
      "-keyout",
      key,
      "-out",
      cert,
    ],
    { stdio: "ignore" },
  );
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\nin TLS"));
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}
