import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { storeEnvironment } from "../support/chosen-store.ts";
import { BIN, runCli, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { eventually, expectOk, PATIENCE } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
/** Opened first: all tests of this file wait for time limits of half a minute, at the same time. */
let slow: { readonly socket: Socket; readonly sinceMs: number; closedAfterMs: number | null }[];
let quiet: { readonly sinceMs: number; comment: { readonly text: string; readonly afterMs: number } | null };

beforeAll(async () => {
  daemon = await startDaemon();
  const { host, port } = new URL(daemon.url);
  slow = Array.from({ length: 100 }, (_, at) => {
    const socket = connect({ host: "127.0.0.1", port: Number(port) });
    const one: (typeof slow)[number] = { socket, sinceMs: Date.now(), closedAfterMs: null };
    socket.resume();
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      one.closedAfterMs = Date.now() - one.sinceMs;
    });
    // Some send nothing, some send a little again and again.
    if (at % 2 === 0) socket.write(`GET /sessions HTTP/1.1\r\nHost: ${host}\r\n`);
    const drip = setInterval(() => void (at % 2 === 0 && socket.writable && socket.write("X-Slow: yes\r\n")), 1000);
    socket.on("close", () => clearInterval(drip));
    return one;
  });
  quiet = { sinceMs: Date.now(), comment: null };
  void listenForComment();
});
afterAll(async () => {
  for (const { socket } of slow) socket.destroy();
  await daemon[Symbol.asyncDispose]();
});

async function listenForComment(): Promise<void> {
  const response = await fetch(`${daemon.url}/api/events`, { headers: { authorization: `Bearer ${daemon.token}` } });
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const text = decoder.decode(bytes);
    if (!text.includes(": ") || !text.startsWith(":")) continue;
    quiet.comment = { text, afterMs: Date.now() - quiet.sinceMs };
    return;
  }
}

const SUITE_MAX_MS = 240_000;

proves.concurrent(
  "AIP-1",
  "every case of AIP-46 passes, except those where the daemon documents another behaviour",
  async () => {
    const daemon = await startDaemon();
    const { NOMOS_STORE = "" } = storeEnvironment(daemon.home);
    const restart = `NOMOS_HOME=${daemon.home} NOMOS_STORE='${NOMOS_STORE}' ${process.execPath} ${BIN} restart`;
    const args = ["conformance", "aip46", "--url", daemon.url, "--token", daemon.token, "--restart", restart, "--json"];
    const { exitCode, json } = await runCli(args, { home: join(daemon.home, "../other") });
    const { results } = json<{ results: { number: number; verdict: string; reason: string | null }[] }>();
    expect(results.filter(({ verdict }) => verdict === "fail" || verdict === "not run")).toEqual([]);
    expect(results.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    expect(results.flatMap(({ number, verdict }) => (verdict === "deviates" ? [number] : []))).toEqual([19, 34]);
    expect(exitCode).toBe(0);
  },
  SUITE_MAX_MS,
);

proves.concurrent(
  "H17",
  "connections that never finish their request are ended, and delay no one meanwhile",
  async () => {
    const sinceMs = Date.now();
    for (let at = 0; at < 50; at += 1) expectOk(await daemon.call("GET", "/api/status"));
    expect(Date.now() - sinceMs).toBeLessThan(10_000);
    await eventually(
      "all of them are ended",
      async () => slow.every(({ closedAfterMs }) => closedAfterMs !== null),
      60_000,
    );
  },
  70_000,
);

proves.concurrent(
  "H18",
  "a quiet stream gets a comment every 25 seconds",
  async () => {
    const comment = await eventually("a comment", async () => quiet.comment, 40_000);
    expect(comment.text).toMatch(/^: .*\n\n/);
  },
  50_000,
);
