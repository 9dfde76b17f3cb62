import { chmod, open, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { CHOSEN_STORE } from "../../support/chosen-store.ts";
import { type CliAnswer, newHome, runCli, startDaemon } from "../../support/daemon.ts";
import { needs } from "../../support/needs.ts";
import { runConfined } from "../../support/run-confined.ts";
import { homeCopies } from "../support/home-copies.ts";

/** Every refusal at start has four members, no stack, and the catalogue's exit code. */
function expectRefusal(
  { exitCode, stdout, stderr }: Pick<CliAnswer, "exitCode" | "stdout" | "stderr">,
  code: string,
  exit: number,
): void {
  expect({ exitCode, stderr }).toEqual({ exitCode: exit, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code, message: expect.any(String), remedy: expect.stringMatching(/\.$/), details: expect.any(Object) },
  });
  expect(stdout).not.toMatch(/\n\s+at /);
}

/** A daemon ran on it, with one session. */
const stoppedHome = homeCopies(async (home) => {
  const ran = await runCli(["run", "say x", "--json"], { home });
  if (ran.exitCode !== 0) throw new Error(ran.stdout + ran.stderr);
  await runCli(["down"], { home });
  await readFile(join(home, "token"));
});

/** About the log's file, which only SQLite has. */
const testOfFile: (title: string, prove: () => Promise<void>) => void =
  CHOSEN_STORE === "sqlite" ? test.skipIf(!needs("bwrap")) : () => undefined;

describe("a daemon that cannot start", () => {
  test("up with a taken port is refused", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const home = await newHome();
    const args = ["--port", String(port), "--json"];
    expectRefusal(await runCli(["up", ...args], { home }), "port_in_use", 5);
    expectRefusal(await runCli(["up", "--detach", ...args], { home }), "port_in_use", 5);
    const plain = await runCli(["up", "--port", String(port)], { home });
    expect(plain.stderr).toMatch(/^error: .*\(port_in_use\)\n(.*\n)*remedy: .*--port/);
    server.close();
    expect(await runCli(["up", "--detach"], { home })).toMatchObject({ exitCode: 0 });
  });

  test.each([
    ["{", "malformed_json"],
    ['{"port": -1}', "invalid_request"],
  ])("up with a config.json of %s is refused", async (text, code) => {
    const home = await stoppedHome();
    await writeFile(join(home, "config.json"), text);
    expectRefusal(await runCli(["up", "--json"], { home }), code, 2);
    const doctor = await runCli(["doctor"], { home });
    expect(doctor.stdout).toMatch(/^!! {2}config {3}config\.json/m);
    expect(doctor.stdout.match(/ config /g)).toHaveLength(1);
  });

  test("a config.json that is not JSON is named with line and column, by every command that starts a daemon", async () => {
    const home = await stoppedHome();
    await writeFile(join(home, "config.json"), '{\n  "port": 0,\n  "store" "sqlite"\n}');
    for (const words of [["up"], ["ps"], ["up", "--detach"]]) {
      const { stderr, exitCode } = await runCli(words, { home });
      expect({ words, exitCode, stderr }).toMatchObject({ exitCode: 2 });
      expect(stderr).toContain("error: config.json, line 3, column 11: this is not JSON. (malformed_json)");
      expect(stderr).not.toContain("request");
    }
    await writeFile(join(home, "config.json"), '{"turnTimeoutMs": "soon"}');
    const { stderr } = await runCli(["ps"], { home });
    expect(stderr).toMatch(/^error: config\.json: `turnTimeoutMs`: .*number.*\(invalid_request\)/);
  });

  test("up with a home that is a file is refused", async () => {
    const home = await newHome();
    await writeFile(home, "");
    expectRefusal(await runCli(["up", "--json"], { home }), "home_unusable", 6);
    expectRefusal(await runCli(["ps", "--json"], { home }), "home_unusable", 6);
  });

  testOfFile("up with a home that cannot be written is refused", async () => {
    const home = await stoppedHome();
    const up = await runConfined(["up", "--json"], { home, args: ["--ro-bind", home, home] });
    expectRefusal(up, "store_read_only", 6);
    const ps = await runConfined(["ps", "--json"], { home, args: ["--ro-bind", home, home] });
    expectRefusal(ps, "store_read_only", 6);
    const doctor = await runConfined(["doctor"], { home, args: ["--ro-bind", home, home] });
    expect(doctor).toMatchObject({ exitCode: 1, stderr: "" });
    expect(doctor.stdout).toMatch(/^!! {2}write .*\n +remedy: .*(.*\n)*!! {2}log .*\(store_read_only\)\n +remedy: /m);
  });

  test.skipIf(!needs("bwrap"))("up on a full disk is refused", async () => {
    const home = await newHome();
    const tiny = ["--size", "65536", "--tmpfs", dirname(home)];
    expectRefusal(await runConfined(["up", "--json"], { home, args: tiny }), "disk_full", 6);
  });

  testOfFile("up with a log of a newer version is refused", async () => {
    const home = await stoppedHome();
    const db = new DatabaseSync(join(home, "log.db"));
    db.exec("PRAGMA user_version = 999");
    db.close();
    expectRefusal(await runCli(["up", "--json"], { home }), "log_newer", 6);
    const doctor = await runCli(["doctor"], { home });
    expect(doctor).toMatchObject({ exitCode: 1, stderr: "" });
    expect(doctor.stdout).toContain("(log_newer)\n");
  });

  testOfFile("up with a log whose bytes were changed is refused; doctor names the place", async () => {
    const home = await stoppedHome();
    const db = new DatabaseSync(join(home, "log.db"));
    db.exec("UPDATE events SET data = CAST('{\"x\":1}' AS BLOB) WHERE seq = (SELECT max(seq) FROM events)");
    db.close();
    expectRefusal(await runCli(["up", "--json"], { home }), "log_corrupt", 1);
    expectRefusal(await runCli(["ps", "--json"], { home }), "log_corrupt", 1);
    const doctor = await runCli(["doctor", "--json"], { home });
    expect(doctor.exitCode).toBe(1);
    expect(doctor.json()).toMatchObject({
      ok: false,
      daemon: null,
      log: { ok: false, problems: [{ stream: expect.any(String), seq: expect.any(Number) }] },
    });
    const plain = await runCli(["doctor"], { home });
    expect(plain).toMatchObject({ exitCode: 1, stderr: "" });
    expect(plain.stdout).toMatch(/^!! {2}log .*\n +remedy: .*backup/m);
  });

  testOfFile("up with a log that is not a database is refused", async () => {
    const home = await stoppedHome();
    const file = await open(join(home, "log.db"), "r+");
    await file.write(Buffer.alloc(100, 7), 0, 100, 0);
    await file.close();
    expectRefusal(await runCli(["up", "--json"], { home }), "log_corrupt", 1);
    expect(await runCli(["doctor"], { home })).toMatchObject({ exitCode: 1, stderr: "" });
  });
});

describe("doctor", () => {
  test("doctor finds no problem, with a daemon and without, and before there is a home", async () => {
    const daemon = await startDaemon();
    await daemon.cli("run", "say x");
    const withDaemon = (await daemon.cli("doctor", "--rebuild", "--json")).json();
    expect(withDaemon).toMatchObject({
      ok: true,
      log: { ok: true },
      models: { ok: true },
      daemon: { pid: daemon.pid },
    });
    await daemon.stop();
    const without = await daemon.cli("doctor", "--rebuild", "--json");
    expect(without.exitCode).toBe(0);
    expect(without.json()).toMatchObject({ ok: true, log: { ok: true }, models: { ok: true }, daemon: null });
    const before = await runCli(["doctor", "--json"], { home: await newHome() });
    expect(before.exitCode).toBe(0);
    expect(before.json()).toMatchObject({ ok: true, log: null });
  });

  testOfFile("doctor finds read models that differ from the log, and --repair rewrites them", async () => {
    const home = await stoppedHome();
    const db = new DatabaseSync(join(home, "log.db"));
    db.exec("DELETE FROM sessions");
    db.close();
    expect(await runCli(["doctor"], { home })).toMatchObject({ exitCode: 0 });
    const found = await runCli(["doctor", "--rebuild", "--json"], { home });
    expect(found.exitCode).toBe(1);
    expect(found.json()).toMatchObject({ models: { ok: false, differences: [{ what: "missing" }] } });
    expect(await runCli(["doctor", "--repair"], { home })).toMatchObject({ exitCode: 0 });
    expect(await runCli(["doctor", "--rebuild"], { home })).toMatchObject({ exitCode: 0 });
    const { sessions } = (await runCli(["ps", "--json"], { home })).json<{ sessions: unknown[] }>();
    expect(sessions).toHaveLength(1);
  });

  test("doctor finds a home and a token that others can read, and --repair closes them", async () => {
    const home = await stoppedHome();
    await chmod(home, 0o755);
    await chmod(join(home, "token"), 0o644);
    const found = await runCli(["doctor"], { home });
    expect(found.exitCode).toBe(1);
    expect(found.stdout).toContain(`run: chmod 700 ${home}`);
    expect(found.stdout).toContain(`run: chmod 600 ${home}/token`);
    expect(await runCli(["doctor", "--repair"], { home })).toMatchObject({ exitCode: 0 });
    expect(await runCli(["doctor"], { home })).toMatchObject({ exitCode: 0 });
  });

  test("doctor warns about missing bubblewrap, with the remedy", async () => {
    const home = await stoppedHome();
    const { exitCode, stdout } = await runCli(["doctor"], { home, env: { PATH: dirname(process.execPath) } });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^-- {2}sandbox .*\n +remedy: run: apt-get install bubblewrap$/m);
  });
});
