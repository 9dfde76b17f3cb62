import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import {
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  expectSound,
  linesOf,
  show,
  start,
  turn,
} from "../../e2e/support/talk.ts";
import { daemonNote, newHome, runCli, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { startPostgres, testSchema } from "../../support/postgres.ts";
import { proves } from "../../support/proves.ts";

const LEASE_MS = 2500;

describe("daemons on one PostgreSQL", () => {
  proves(
    "PG-3",
    "a second daemon is told who holds the log; when the first is killed, a waiting one takes over",
    async () => {
      await using schema = await testSchema();
      const first = await daemonOn(schema.url);
      const { id } = await start(first);
      expect(await turn(first, id, "say by the first")).toMatchObject({ outcome: "completed" });

      const refused = await runCli(["up", "--json"], { home: await homeWith({}), env: { NOMOS_STORE: schema.url } });
      expect(refused.exitCode).toBe(5);
      expect(refused.json()).toMatchObject({ error: { code: "home_in_use", details: { heldBy: expect.any(String) } } });

      const second = daemonOn(schema.url, { storeWaitMs: 15_000 });
      await first.kill9();
      const taken = await second;
      expect(await turn(taken, id, "say by the second")).toMatchObject({ outcome: "completed" });
      expect((await linesOf(taken, id)).join()).toContain("by the first");
      await expectSound(taken);
      expect(await taken.stop()).toBe(0);
    },
  );

  proves("PG-3", "a daemon on the same home starts at once after a kill, without waiting for the lease", async () => {
    await using schema = await testSchema();
    const home = await homeWith({ storeLeaseMs: 60_000 });
    const env = { NOMOS_STORE: schema.url };
    const { id } = await start(await startDaemon({ home, env }));
    for (let round = 0; round < 3; round += 1) {
      const daemon = await restarted(home, env);
      expect(await turn(daemon, id, `say round ${round}`)).toMatchObject({ outcome: "completed" });
    }
  });

  proves("PG-3", "a paused daemon that lost its lease ends and writes nothing", async () => {
    await using schema = await testSchema();
    const first = await daemonOn(schema.url);
    const { id } = await start(first);
    expect(await turn(first, id, "say hello")).toMatchObject({ outcome: "completed" });
    first.child.kill("SIGSTOP");
    const second = await daemonOn(schema.url, { storeWaitMs: 20_000 });
    const before = (await eventsOf(second, id)).length;
    const late = first.call("POST", `/sessions/${id}/prompt`, { prompt: "say too late" }).catch(() => null);
    const ended = once(first.child, "exit");
    first.child.kill("SIGCONT");
    const [exitCode] = await ended;
    expect(exitCode).toBe(6);
    expect((await late)?.status ?? 503).not.toBe(200);
    expect(await eventsOf(second, id)).toHaveLength(before);
    expect(await turn(second, id, "say still mine")).toMatchObject({ outcome: "completed" });
    await expectSound(second);
  });

  proves("PG-2", "a database that goes away: calls are refused by name, the daemon stays up and goes on", async () => {
    await using server = await startPostgres();
    const daemon = await daemonOn(server.url, { storeLeaseMs: 60_000 });
    const { id } = await start(daemon);
    expect(await turn(daemon, id, "say before")).toMatchObject({ outcome: "completed" });
    await server.kill9();
    const away = await eventually("a refusal", async () => {
      const answer = await daemon.call("GET", `/sessions/${id}`);
      return answer.status === 503 ? answer : null;
    });
    expectRefusal(away, 503, "store_unreachable");
    expectOk(await daemon.call("GET", "/health"));
    await server.start();
    await eventually("an answer", async () => (await daemon.call("GET", `/sessions/${id}`)).status === 200);
    expect(await turn(daemon, id, "say after")).toMatchObject({ outcome: "completed" });
    expect((await show(daemon, id)).state).toBe("idle");
    await expectSound(daemon);
    expect(daemon.printed()).not.toContain(new URL(server.url).password);
  });

  proves("PG-4", "the database password is in no answer, no output and no log", async () => {
    await using server = await startPostgres();
    const home = await homeWith({ store: server.url });
    const { password } = new URL(server.url);
    const daemon = await startDaemon({ home, env: { NOMOS_STORE: "" } });
    const shown = await daemon.call<{ config: { store: string } }>("GET", "/api/config");
    expect(shown.body.config.store).toContain("postgres://");
    expect(shown.text).not.toContain(password);
    expectOk(
      await daemon.call("PUT", "/api/config", { config: { store: shown.body.config.store, turnTimeoutMs: 9000 } }),
    );
    expect((await daemon.cli("daemon", "logs")).stdout).not.toContain(password);
    expect(await daemon.stop()).toBe(0);
    const again = await startDaemon({ home, env: { NOMOS_STORE: "" } });
    await again.stop();

    const wrong = new URL(server.url);
    wrong.password = "wrong-4711";
    const refused = await runCli(["up", "--json"], { home: await homeWith({}), env: { NOMOS_STORE: wrong.href } });
    expect(refused.exitCode).toBe(6);
    expect(refused.json()).toMatchObject({ error: { code: "store_unreachable" } });
    expect(refused.stdout + refused.stderr).not.toContain("wrong-4711");
  });
});

function daemonOn(store: string, config: Readonly<Record<string, unknown>> = {}): Promise<TestDaemon> {
  return homeWith({ storeLeaseMs: LEASE_MS, ...config }).then((home) =>
    startDaemon({ home, env: { NOMOS_STORE: store } }),
  );
}

async function homeWith(config: Readonly<Record<string, unknown>>): Promise<string> {
  const home = await newHome();
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(join(home, "config.json"), JSON.stringify(config));
  return home;
}

/** Kills the daemon that runs on the home, and starts the next. */
async function restarted(home: string, env: Readonly<Record<string, string>>): Promise<TestDaemon> {
  const note = await daemonNote(home);
  if (note !== null) process.kill(note.pid, "SIGKILL");
  return startDaemon({ home, env });
}
