import { spawn } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import { storeEnvironment } from "../support/chosen-store.ts";
import { BIN, daemonNote, newHome, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { sampled } from "../support/sampled.ts";
import { plantDriver } from "./support/driver-file.ts";
import { processesWith, running } from "./support/processes.ts";
import { rawRequest } from "./support/raw-http.ts";
import {
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectSound,
  idle,
  linesOf,
  PATIENCE,
  pendingOf,
  prompt,
  show,
  start,
  turn,
  typesOf,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

const STOP_MAX_MS = 5000;

proves.onOneStore("H1", "the home holds the daemon's address; only its owner can read the token", async () => {
  const daemon = await startDaemon();
  expect(await daemonNote(daemon.home)).toMatchObject({ pid: daemon.pid, port: Number(new URL(daemon.url).port) });
  expect((await stat(join(daemon.home, "token"))).mode & 0o777).toBe(0o600);
  expect((await stat(daemon.home)).mode & 0o777).toBe(0o700);
  const status = expectOk(await daemon.call("GET", "/api/status"));
  expect(status).toMatchObject({ service: "nomos", status: "ok", pid: daemon.pid, home: daemon.home });
  const socketPath = join(daemon.home, "nomos.sock");
  expect(await rawRequest(daemon, { path: "/sessions", socketPath, headers: { host: "nomos" } })).toMatchObject({
    status: 200,
  });
  await daemon.stop();
  expect(await daemonNote(daemon.home)).toBeNull();
});

proves("H1", "a restart keeps the token; a new one is made only where there is none", async () => {
  const home = await newHome();
  const first = await startDaemon({ home });
  await first.stop();
  const second = await startDaemon({ home });
  expect(second.token).toBe(first.token);
});

proves("H2", "health is not ok before recovery has ended and the token exists", async () => {
  const home = await newHome();
  const before = await startDaemon({ home });
  const cwd = join(home, "..");
  for (let at = 0; at < sampled(60, 20); at += 1) {
    const { id } = await start(before, { cwd });
    await prompt(before, id, "sleep 60000");
    await prompt(before, id, "say after the crash", { queue: true });
  }
  await before.kill9();
  const port = await freePort();
  const child = spawn(process.execPath, [BIN, "up", "--port", String(port)], {
    env: { ...process.env, NOMOS_HOME: home, ...storeEnvironment(home) },
    stdio: "ignore",
  });
  try {
    const seen = new Set<number>();
    await eventually("health", async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
      if (answer !== null) seen.add(answer.status);
      if (answer?.status !== 200) return false;
      // From the first ok on, everything of the last run is settled and readable.
      const token = (await readFile(join(home, "token"), "utf8")).trim();
      const listed = await fetch(`http://127.0.0.1:${port}/sessions?limit=1000`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(listed.status).toBe(200);
      return true;
    });
    for (const status of seen) expect([200, 503]).toContain(status);
    expect((await daemonNote(home))?.pid).toBe(child.pid);
  } finally {
    child.kill("SIGKILL");
  }
});

proves(
  "C1",
  "after kill -9 a cut turn is interrupted and never run again; the queue goes on; no process is left",
  async () => {
    const home = await newHome();
    const before = await startDaemon({ home });
    const cwd = join(home, "..");
    const { id } = await start(before, { cwd });
    const mark = `cut-${id}`;
    const cut = await prompt(before, id, `run echo ${mark} >> did.txt; sleep 1000`);
    const queued = await prompt(before, id, "run wc -l < did.txt", { queue: true });
    await running(mark);
    await eventually("its effect", async () => (await readFile(join(cwd, "did.txt"), "utf8").catch(() => "")) !== "");
    await before.kill9();
    await eventually("its processes are gone", async () => (await processesWith(mark)).length === 0);

    const after = await startDaemon({ home });
    expect(await ended(after, id, cut.turnId)).toMatchObject({ outcome: "interrupted" });
    expect(await ended(after, id, queued.turnId)).toMatchObject({ outcome: "completed" });
    expect(await linesOf(after, id)).toContain("1");
    const settled = (await eventsOf(after, id, "types=effect.settled"))[0];
    expect(settled?.data).toMatchObject({ outcome: "unknown", redo: "ask" });
    expect(await turn(after, id, "say and on")).toMatchObject({ outcome: "completed" });
    await expectSound(after);
  },
);

proves("S14", "a graceful stop hibernates every session; each takes a prompt as soon as the daemon is up", async () => {
  const home = await newHome();
  const before = await startDaemon({ home });
  const idling = await start(before);
  await turn(before, idling.id, "say idle");
  const working = await start(before);
  const cut = await prompt(before, working.id, "sleep 60000");
  const queued = await prompt(before, working.id, "say later", { queue: true });
  const held = await start(before);
  await turn(before, held.id, "say held");
  await before.call("POST", `/sessions/${held.id}/suspend`);
  expect(await before.stop()).toBe(0);

  const after = await startDaemon({ home });
  expect(await show(after, idling.id)).toMatchObject({ state: "hibernated" });
  expect(await show(after, held.id)).toMatchObject({ state: "suspended" });
  expect(await ended(after, working.id, cut.turnId)).toMatchObject({ outcome: "interrupted" });
  expect(await ended(after, working.id, queued.turnId)).toMatchObject({ outcome: "completed" });
  expect(await turn(after, idling.id, "say on")).toMatchObject({ outcome: "completed" });
  await idle(after, working.id);
  expect(await turn(after, working.id, "say on")).toMatchObject({ outcome: "completed" });
  const recovery = expectOk(await after.call<{ recovery: object }>("GET", "/api/status")).recovery;
  expect(recovery).toMatchObject({ sessions: expect.any(Number), ms: expect.any(Number) });
});

proves.onOneStore(
  "H3",
  "SIGTERM ends a loaded daemon within five seconds, with code 0 and no process left",
  async () => {
    const daemon = await startDaemon();
    const deaf = `deaf-${daemon.pid}`;
    const file = await plantDriver(`export default async () => {
    process.on("SIGTERM", () => undefined);
    setInterval(() => undefined, 1000);
    await new Promise(() => undefined);
  };`);
    for (let at = 0; at < 4; at += 1) {
      const { id } = await start(daemon);
      await prompt(daemon, id, `run trap '' TERM; : ${deaf}; while true; do sleep 1; done`);
      const script = await start(daemon, { adapter: "script", file });
      await prompt(daemon, script.id, "never ends");
      const asking = await start(daemon);
      await prompt(daemon, asking.id, "ask for ever");
    }
    await running(deaf);
    const watching = await fetch(`${daemon.url}/api/events`, { headers: { authorization: `Bearer ${daemon.token}` } });
    const sinceMs = Date.now();
    expect(await daemon.stop()).toBe(0);
    expect(Date.now() - sinceMs).toBeLessThan(STOP_MAX_MS);
    expect(await processesWith(deaf)).toEqual([]);
    expect(await processesWith(file)).toEqual([]);
    await watching.body?.cancel().catch(() => undefined);
  },
);

proves.onOneStore("H3", "a daemon with a pending question ends just as fast", async () => {
  const daemon = await startDaemon();
  const { id } = await start(daemon);
  await prompt(daemon, id, "ask for ever");
  await pendingOf(daemon, id);
  const sinceMs = Date.now();
  expect(await daemon.stop()).toBe(0);
  expect(Date.now() - sinceMs).toBeLessThan(STOP_MAX_MS);
});

proves.onOneStore.concurrent("H3", "a request to stop is answered before the daemon stops", async () => {
  const daemon = await startDaemon();
  const { id } = await start(daemon);
  await turn(daemon, id, "say x");
  expect(expectOk(await daemon.call("POST", "/api/shutdown"))).toEqual({ ok: true, pid: daemon.pid });
  await eventually("its end", async () => daemon.child.exitCode !== null);
  expect(daemon.child.exitCode).toBe(0);
});

proves.onOneStore.concurrent(
  "S15",
  "an external session ends with the process it reports for, also across a restart",
  async () => {
    const home = await newHome();
    const first = await startDaemon({ home });
    const agent = spawn("sleep", ["1000"]);
    const open = await first.call<{ id: string }>("POST", "/sessions/external", { pid: agent.pid, label: "outside" });
    const { id } = expectOk(open, 201);
    const begun = await first.call<{ turnId: string }>("POST", `/sessions/${id}/turns`, { input: "task" });
    const { turnId } = expectOk(begun, 201);
    await first.kill9();
    const second = await startDaemon({ home });
    expect(await show(second, id)).toMatchObject({ state: "busy" });
    expectOk(await second.call("POST", `/sessions/${id}/turns/${turnId}/messages`, { text: "still here" }), 201);
    agent.kill("SIGKILL");
    await eventually("its end", async () => (await show(second, id)).status === "exited");
    expect(typesOf(await eventsOf(second, id)).slice(-2)).toEqual(["turn.ended@1", "session.exited@1"]);
  },
);

proves.onOneStore.concurrent(
  "S15",
  "an external session whose process died while no daemon ran is ended by the next one",
  async () => {
    const home = await newHome();
    const first = await startDaemon({ home });
    const agent = spawn("sleep", ["1000"]);
    const { id } = expectOk(await first.call<{ id: string }>("POST", "/sessions/external", { pid: agent.pid }), 201);
    await first.stop();
    agent.kill("SIGKILL");
    const second = await startDaemon({ home });
    await eventually("its end", async () => (await show(second, id)).status === "exited");
  },
);

proves.onOneStore.concurrent(
  "S14",
  "idle sessions hibernate by themselves when the configuration says so",
  async () => {
    const daemon = await startDaemon();
    expectOk(await daemon.call("PUT", "/api/config", { config: { idleHibernateMs: 1000 } }));
    const { id } = await start(daemon);
    await turn(daemon, id, "say x");
    const asking: TestDaemon = daemon;
    const waiting = await start(asking);
    await prompt(asking, waiting.id, "ask wait");
    await pendingOf(asking, waiting.id);
    await eventually("asleep", async () => (await show(daemon, id)).state === "hibernated");
    expect(await show(daemon, waiting.id)).toMatchObject({ state: "busy", waitingFor: "approval" });
  },
);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  server.close();
  await sleep(1);
  return typeof address === "object" && address !== null ? address.port : 0;
}
