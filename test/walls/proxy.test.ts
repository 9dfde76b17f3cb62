import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { createProcessHost, findBubblewrap, openDoor, parseHostRule } from "../../src/host/index.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { PROXY } from "./attempts/proxy.ts";
import { layBatch, type Tried } from "./batch.ts";
import { leadsTo, openProxy } from "./open-proxy.ts";
import { countBy, unlike } from "./ways.ts";
import { makeWorld, type World } from "./world.ts";

const provesStrict = proves.skipIf(!needs("bwrap", "git", "python3"));
const ALLOWED = ["site.test", "*.wild.test", "rebind.test", "mixed.test", "flip.test", "lan.test", "lan16.test"];
const ALLOWED_TOO = [
  "metadata.test",
  "carrier.test",
  "six.test",
  "mapped.test",
  "nat64.test",
  "local6.test",
  "link6.test",
];

provesStrict("WX-3", "requests that pass a careless proxy do not pass the door of a strict session", async () => {
  // One after the other: laying the second world would block the first one's proxy, which is in this process.
  const control = await tryProxy(carelessly);
  const walled = await tryProxy(behindWalls);
  console.log(`by a careless proxy\n${countBy([PROXY], control)}\n\nthrough the door\n${countBy([PROXY], walled)}`);
  expect({ control: unlike(control, "out"), walled: unlike(walled, "nowhere") }).toEqual({ control: [], walled: [] });
});

type ProxyWay = (world: World, gatePort: number, script: string) => Promise<string>;

async function tryProxy(way: ProxyWay): Promise<readonly Tried[]> {
  await using world = await makeWorld();
  await using gate = await openGate(world);
  const known = { ...world.known, GATE_PORT: String(gate.port) };
  await using batch = layBatch({ ...world, known }, [PROXY]);
  expect(await way(world, gate.port, batch.script)).toContain("finished");
  return await batch.judge();
}

const carelessly: ProxyWay = async ({ known, env, work }, gate, script) => {
  await using proxy = await openProxy({ secret: Number(known["PORT"]), gate });
  const order = { cwd: work, env: { ...env, HTTP_PROXY: proxy.url } };
  return (await promisify(execFile)("sh", [script], order)).stdout;
};

const behindWalls: ProxyWay = async ({ root, work, env, known }, gate, script) => {
  const found = await findBubblewrap(process.env["PATH"] ?? "");
  if (!("path" in found)) throw new Error(found.missing);
  await using host = createProcessHost({ home: join(root, "home"), bwrapPath: found.path });
  const asked = new Map<string, number>();
  const door = openDoor({
    folder: join(root, "home", "doors"),
    name: "test.sock",
    rules: [...ALLOWED, ...ALLOWED_TOO, `127.0.0.1:${gate}`].flatMap((text) => parseHostRule(text) ?? []),
    daemon: { port: 0, take: null },
    onDenied: () => undefined,
    resolve: async (name) => {
      asked.set(name, (asked.get(name) ?? -1) + 1);
      return leadsTo(name, asked.get(name) ?? 0) ?? [];
    },
  });
  try {
    const programs = [process.execPath, known["PYTHON"] ?? ""];
    const walls = { mounts: [], programs, home: null, temp: null, door };
    const order = {
      argv: ["sh", script],
      cwd: work,
      env: { ...env, ...door.environment },
      stdin: "none" as const,
      walls,
    };
    let said = "";
    for await (const { bytes } of host.spawn(order).output) said += Buffer.from(bytes).toString();
    return said;
  } finally {
    door.close();
  }
};

/** An allowed host that gives the secret to any client that asks for what is behind it. */
async function openGate({ secret, known }: World) {
  const server = createServer((asked, answer) => {
    if (asked.url === "/away") answer.writeHead(302, { Location: `http://127.0.0.1:${known["PORT"]}/` }).end();
    else {
      const isBehind = asked.rawHeaders.includes("internal.test") || asked.url?.includes("//internal.test/") === true;
      answer.end(isBehind ? secret : "nothing");
    }
  });
  // Traffic that is not HTTP is TLS here, as far as can be told.
  server.on("clientError", (error: Error & { rawPacket?: Buffer }, socket) => {
    socket.end(error.rawPacket?.includes("internal.test") ? secret : "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
