import { writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { whenTestEnds } from "../support/test-end.ts";
import { residentMb } from "./support/processes.ts";
import { rawRequest, rawSocket } from "./support/raw-http.ts";
import { readStream } from "./support/stream-reader.ts";
import { eventsOf, eventually, expectOk, expectSound, PATIENCE, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** Opens a stream and never reads it. */
async function stalledReader(path: string): Promise<Socket> {
  const socket = await rawSocket(daemon);
  socket.pause();
  const { host } = new URL(daemon.url);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${daemon.token}\r\n\r\n`);
  return socket;
}

proves(
  "H16",
  "readers that never read use no memory while 50 MB of events flow, and delay no one",
  async () => {
    const { id } = await start(daemon);
    for (let at = 0; at < 25; at += 1) {
      await stalledReader(`/sessions/${id}/stream`);
      await stalledReader("/api/events");
    }
    const reader = await readStream(daemon, `/sessions/${id}/stream`);
    const payload = "x".repeat(250_000);
    const addOne = async (at: number): Promise<void> => {
      const events = [{ type: "bulk", payload: `${at} ${payload}` }];
      expectOk(await daemon.call("POST", `/sessions/${id}/events`, { events }), 201);
    };
    for (let at = 0; at < 20; at += 1) await addOne(at);
    const before = await residentMb(daemon.pid);
    let peak = before;
    for (let at = 20; at < 220; at += 1) {
      await addOne(at);
      if (at % 10 === 0) peak = Math.max(peak, await residentMb(daemon.pid));
    }
    const bulk = () => reader.items.filter(({ data }) => data["type"] === "x.bulk@1").length;
    await eventually("the one who reads has them all", async () => bulk() === 220, 30_000);
    // A page of at most 8 MB and what is in transit, per reader, whatever flows.
    expect(peak - before).toBeLessThan(50 * 8);
    const other = await start(daemon);
    expect(await turn(daemon, other.id, "say unaffected")).toMatchObject({ outcome: "completed" });
  },
  120_000,
);

proves("H16", "a reader that falls behind gets every event when it reads again", async () => {
  const { id } = await start(daemon);
  const socket = await stalledReader(`/sessions/${id}/stream`);
  const filler = "y".repeat(20_000);
  for (let round = 0; round < 30; round += 1) {
    const events = Array.from({ length: 20 }, (_, at) => ({ type: "tick", payload: [round * 20 + at, filler] }));
    expectOk(await daemon.call("POST", `/sessions/${id}/events`, { events }), 201);
  }
  const all = await eventsOf(daemon, id);
  let text = "";
  socket.on("data", (bytes) => {
    text += String(bytes);
  });
  socket.resume();
  await eventually("the last event", async () => text.includes(`id: ${all.at(-1)?.seq}\n`));
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, cursor]) => Number(cursor));
  expect(ids).toEqual(all.map(({ seq }) => seq));
});

proves(
  "H16",
  "text frames that were not read in time are dropped, and a gap says so",
  async () => {
    const { id } = await start(daemon);
    const socket = await stalledReader(`/sessions/${id}/stream`);
    await turn(daemon, id, "run i=0; while [ $i -lt 300 ]; do head -c 65536 /dev/zero | tr '\\0' g; i=$((i+1)); done");
    let text = "";
    socket.on("data", (bytes) => {
      text += String(bytes);
    });
    socket.resume();
    await eventually("the turn's end", async () => /"type":"turn\.ended@1"/.test(text));
    await eventually("a gap", async () => /^event: gap$/m.test(text));
    expect(text).toMatch(/"dropped":\d+/);
  },
  60_000,
);

proves("H17", "a scoped token has a limited number of streams, and gets its places back", async () => {
  const issued = await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities: ["session.read"] });
  const authorization = `Bearer ${expectOk(issued, 201).secret}`;
  const { id } = await start(daemon);
  const open = () => readStream(daemon, `/sessions/${id}/stream`, { authorization });
  const readers = await Promise.all(Array.from({ length: 40 }, open));
  const served = readers.filter(({ status }) => status === 200);
  expect(served).toHaveLength(32);
  expect(readers.filter(({ status }) => status === 503)).toHaveLength(8);
  expect((await readStream(daemon, `/sessions/${id}/stream`)).status).toBe(200);
  for (const reader of served) reader.close();
  await eventually("a place", async () => {
    const reader = await open();
    reader.close();
    return reader.status === 200;
  });
});

proves("H17", "at the connection limit new connections are cut, and the socket in the home still answers", async () => {
  const limited = await startDaemon();
  await limited.stop();
  await writeFile(join(limited.home, "config.json"), '{"connectionsMax": 30}');
  const again = await startDaemon({ home: limited.home });
  const port = Number(new URL(again.url).port);
  const sockets = Array.from({ length: 60 }, () => connect({ host: "127.0.0.1", port }));
  whenTestEnds(() => sockets.forEach((socket) => void socket.destroy()));
  let cut = 0;
  for (const socket of sockets) {
    socket.on("error", () => undefined);
    socket.on("close", () => {
      cut += 1;
    });
  }
  await eventually("the rest is cut", async () => cut >= 25);
  const socketPath = join(again.home, "nomos.sock");
  expect((await rawRequest(again, { path: "/sessions", socketPath })).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await eventually("room again", async () => (await again.call("GET", "/health").catch(() => null))?.status === 200);
});

proves("H16", "after all these readers the log passes its check", () => expectSound(daemon));
