import { mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { newHome, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { whenTestEnds } from "../support/test-end.ts";
import { residentMb } from "./support/processes.ts";
import { rawRequest } from "./support/raw-http.ts";
import { eventsOf, expectOk, expectSound, PATIENCE, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

const HOSTILE = join(import.meta.dirname, "../fixtures/hostile-acp-agent.ts");
/** A daemon's normal memory plus room for what it reads; the attacks would need many times as much. */
const RESIDENT_MB_MAX = 700;

let daemon: TestDaemon;
beforeAll(async () => {
  const home = await newHome();
  await mkdir(home, { mode: 0o700 });
  const hostile = (...flags: readonly string[]) => ({ command: process.execPath, args: [HOSTILE, ...flags] });
  const drivers = { hostile: hostile(), "huge-offer": hostile("--huge-offer") };
  await writeFile(join(home, "config.json"), JSON.stringify({ drivers }));
  daemon = await startDaemon({ home });
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function endOf(id: string): Promise<{ readonly code: string; readonly message: string } | null> {
  const ends = (await eventsOf(daemon, id, "types=turn.ended@1")).filter(({ type }) => type === "turn.ended@1");
  return (ends.at(-1)?.data["error"] ?? null) as { code: string; message: string } | null;
}

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const manyKeys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(",")}}`;

proves("NB-4", "requests with a million brackets or keys are refused before parsing, over HTTP and MCP", async () => {
  for (const body of [`{"adapter":"demo","x":${nested(1_000_000)}}`, manyKeys(500_000)]) {
    const refused = await daemon.call("POST", "/sessions/agent", body);
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(/nested deeper than 128 levels|more than 100000 values/);
    const mcp = await daemon.call("POST", "/mcp", body, { accept: "application/json, text/event-stream" });
    expect(mcp.text).toMatch(/nested deeper than 128 levels|more than 100000 values/);
  }
});

proves("NB-4", "an agent's message with a million brackets or keys fails its turn by name", async () => {
  for (const [attack, problem] of [
    ["deep-input 100000", "nested deeper"],
    ["deep-ask 100000", "nested deeper"],
    ["deep-line 1000000", "nested deeper"],
    ["keys 200000", "more than 100000 values"],
    ["keys-update 200000", "more than 100000 values"],
  ] as const) {
    const { id } = await start(daemon, { adapter: "hostile" });
    expect(await turn(daemon, id, attack)).toMatchObject({ outcome: "interrupted" });
    expect(await endOf(id)).toMatchObject({ code: "agent_crashed", message: expect.stringContaining(problem) });
    expect(await turn(daemon, id, "say 1")).toMatchObject({ outcome: "completed" });
  }
});

proves("NB-6", "floods of every kind of message leave the daemon and its log sound and small", async () => {
  const { id: other } = await start(daemon);
  for (const attack of [
    "empty-lines 500",
    "chunks 5000",
    "tools 20000",
    "tool-updates 200",
    "plan-entries 50000",
    "offers 20",
    "modes 500",
    "usages 1000",
    "unknowns 300",
    "asks 100",
    "ask-options 20000",
    "elicits 100",
    "wishes 200",
    "strangers 500",
    "strays 1000",
    "rubbish 10500",
    "answers 1200",
    "endless 40",
    "stderr 5",
    "stderr-line 5",
  ]) {
    const { id } = await start(daemon, { adapter: "hostile" });
    await turn(daemon, id, attack);
    expect((await eventsOf(daemon, id)).length, attack).toBeLessThan(1500);
    expectOk(await daemon.call("POST", `/sessions/${id}/kill`));
    expect(await turn(daemon, other, `say after ${attack}`)).toMatchObject({ outcome: "completed" });
  }
  const { id } = await start(daemon, { adapter: "huge-offer" });
  expect(await turn(daemon, id, "say 1")).toMatchObject({ outcome: "interrupted" });
  expect(await residentMb(daemon.pid)).toBeLessThan(RESIDENT_MB_MAX);
  await expectSound(daemon);
});

proves(
  "NB-7",
  "with few file descriptors, a flood of connections leaves room for the owner and for turns",
  async () => {
    const flooded = await startDaemon({ through: ["sh", "-c", 'ulimit -n 256; exec "$0" "$@"'] });
    const { port } = new URL(flooded.url);
    const sockets = Array.from({ length: 400 }, () => {
      const socket = connect({ host: "127.0.0.1", port: Number(port) });
      socket.on("error", () => socket.destroy());
      return socket;
    });
    whenTestEnds(() => {
      for (const socket of sockets) socket.destroy();
    });
    await Promise.all(sockets.map((socket) => new Promise((done) => socket.once("connect", done).once("close", done))));
    const socketPath = join(flooded.home, "nomos.sock");
    const call = async <T>(method: string, path: string, body: unknown = {}): Promise<T> => {
      const headers = { "content-type": "application/json" };
      const given = { method, path, socketPath, headers, ...(method === "GET" ? {} : { body: JSON.stringify(body) }) };
      const { text, status } = await rawRequest(flooded, given);
      if (status >= 300) throw new Error(`${status}: ${text}`);
      return JSON.parse(text);
    };
    const cwd = join(dirname(flooded.home), "ground");
    const { id } = await call<{ id: string }>("POST", "/sessions/agent", { adapter: "demo", cwd });
    const { turnId } = await call<{ turnId: string }>("POST", `/sessions/${id}/prompt`, { prompt: "run echo hi" });
    const waited = await call("GET", `/sessions/${id}/wait?turnId=${turnId}&timeoutMs=30000`);
    expect(waited).toMatchObject({ turn: { outcome: "completed" } });
  },
);
