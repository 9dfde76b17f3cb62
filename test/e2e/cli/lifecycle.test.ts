import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCliHere } from "../../support/cli-here.ts";
import { BIN, daemonNote, newHome, runCli, startDaemon } from "../../support/daemon.ts";
import { redeem } from "../support/browser.ts";

const UP = /^nomos \d+\.\d+\.\d+ is up: (http:\/\/127\.0\.0\.1:\d+) \(pid (\d+)\)$/m;

describe("up", () => {
  test("up in the foreground prints its address and how to use the token, and SIGTERM ends it cleanly", async () => {
    const daemon = await startDaemon();
    const [, url, pid] = UP.exec(daemon.printed()) ?? [];
    expect({ url, pid: Number(pid) }).toEqual({ url: daemon.url, pid: daemon.pid });
    expect(daemon.printed()).toContain(`Authorization: Bearer $(cat ${daemon.home}/token)`);
    expect(daemon.printed()).toContain("nomos open");
    // Where nobody looks at the output it may be kept, so there is no link in it.
    expect(daemon.printed()).not.toContain("#link=");
    expect((await daemon.call("GET", "/api/status")).status).toBe(200);
    const before = Date.now();
    expect(await daemon.stop()).toBe(0);
    expect(Date.now() - before).toBeLessThan(5000);
    expect(await daemonNote(daemon.home)).toBeNull();
  });

  test("SIGTERM during work still ends it within 5 s, with exit code 0", async () => {
    const daemon = await startDaemon();
    await daemon.cli("run", "--detach", "run trap '' TERM; sleep 60");
    await daemon.cli("run", "--detach", "sleep 60000");
    const before = Date.now();
    expect(await daemon.stop()).toBe(0);
    expect(Date.now() - before).toBeLessThan(5000);
  });

  test("a second Ctrl-C ends it at once", async () => {
    const daemon = await startDaemon();
    daemon.child.kill("SIGINT");
    daemon.child.kill("SIGINT");
    await once(daemon.child, "exit");
    expect([0, 130]).toContain(daemon.child.exitCode);
  });

  test("a second daemon on the same home is refused and the holder named; with --detach it succeeds", async () => {
    const daemon = await startDaemon();
    const second = await daemon.cli("up", "--json");
    expect(second.exitCode).toBe(5);
    expect(second.json()).toMatchObject({
      error: {
        code: "home_in_use",
        details: { pid: daemon.pid, url: daemon.url },
        remedy: expect.stringContaining("nomos down"),
      },
    });
    const plain = await daemon.cli("up");
    expect(plain).toMatchObject({ exitCode: 5, stdout: "" });
    expect(plain.stderr).toContain("home_in_use");
    expect(plain.stderr).not.toContain("    at ");
    const detached = await daemon.cli("up", "--detach");
    expect(detached).toMatchObject({ exitCode: 0 });
    expect(detached.stdout).toContain(`is up already: ${daemon.url} (pid ${daemon.pid})`);
  });

  test("--tour creates a demo session and prints what to type", async () => {
    const daemon = await startDaemon({ args: ["--tour"] });
    const { sessions } = (await daemon.cli("ps", "--json")).json<{ sessions: { name: string; label: string }[] }>();
    expect(sessions).toMatchObject([{ label: "tour" }]);
    for (const command of ["ps", "logs", "attach", "prompt", "fork", "rewind"])
      expect(daemon.printed()).toContain(`nomos ${command}`);
    expect(daemon.printed()).toContain(sessions[0]?.name);
    expect(daemon.printed()).not.toContain("\u001b");
    const [, link = ""] = /#link=(nml_[0-9a-f]{48}) /.exec(daemon.printed()) ?? [];
    expect((await redeem(daemon, link)).status).toBe(201);
  });

  test("--detach returns when the daemon is up, prints pid and address, and the daemon has its own session", async () => {
    const home = await newHome();
    const { exitCode, stdout } = await runCli(["up", "--detach", "--tour"], { home });
    expect(exitCode).toBe(0);
    const [, url, pid] = UP.exec(stdout) ?? [];
    expect(await fetch(`${url}/health`).then(({ status }) => status)).toBe(200);
    expect(stdout).toContain("A first session waits for you");
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    expect(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]).toBe(pid);
  });

  test("a detached daemon keeps no inherited file open", async () => {
    const home = await newHome();
    const lock = openSync(join(dirname(home), "lock"), "w");
    const child = spawn(process.execPath, [BIN, "up", "--detach", "--json"], {
      stdio: ["ignore", "pipe", "inherit", "ignore", lock, lock],
      env: { ...process.env, NOMOS_HOME: home, NOMOS_PORT: "0" },
    });
    closeSync(lock);
    // Would never end if the daemon kept the pipe open.
    const [[exitCode], printed] = await Promise.all([once(child, "exit"), child.stdout?.toArray()]);
    expect(exitCode).toBe(0);
    const { pid }: { pid: number } = JSON.parse(String(printed?.join("")));
    const files = await readdir(`/proc/${pid}/fd`);
    const open = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => "")));
    expect(open.filter((path) => path.endsWith("/lock"))).toEqual([]);
  });

  test("the port comes from --port, else $NOMOS_PORT, else the configuration", async () => {
    const port = await freePort();
    const other = await freePort();
    await using configured = await startDaemon({ args: ["--port", String(port)] });
    expect(configured.url).toBe(`http://127.0.0.1:${port}`);
    const home = configured.home;
    await configured.cli("config", "set", "port", String(other));
    await configured.stop();
    const byEnvironment = await runCli(["up", "--detach", "--json"], { home, env: { NOMOS_PORT: String(port) } });
    expect(byEnvironment.json()).toMatchObject({ port });
    await runCli(["down"], { home });
    const byConfiguration = await runCli(["up", "--detach", "--json"], { home, env: { NOMOS_PORT: "" } });
    expect(byConfiguration.json()).toMatchObject({ port: other });
    await runCli(["down"], { home });
    for (const wrong of ["70000", "-1", "x", "1.5"])
      expect(await runCliHere("up", [`--port=${wrong}`], home)).toMatchObject({ exitCode: 2 });
  });
});

describe("down, restart, status", () => {
  test("status without a daemon says so and exits 6; down succeeds", async () => {
    const home = await newHome();
    const status = await runCli(["status", "--json"], { home });
    expect(status.exitCode).toBe(6);
    expect(status.json()).toMatchObject({
      error: { code: "daemon_unreachable", remedy: expect.stringContaining("nomos up") },
    });
    expect(await runCli(["status"], { home })).toMatchObject({ exitCode: 6, stdout: "" });
    expect(await runCli(["down"], { home })).toMatchObject({ exitCode: 0, stdout: "no daemon ran\n" });
    expect((await runCli(["down", "--json"], { home })).json()).toEqual({ ok: true, pid: null });
    expect(await daemonNote(home)).toBeNull();
  });

  test("status shows a running daemon; down waits until it is gone; restart keeps the port", async () => {
    const home = await newHome();
    const up = (await runCli(["up", "--detach", "--json"], { home })).json<{ pid: number; port: number }>();
    const status = await runCli(["status", "--json"], { home });
    expect(status.exitCode).toBe(0);
    expect(status.json()).toMatchObject({ service: "nomos", status: "ok", pid: up.pid, port: up.port, home });
    expect((await runCli(["status"], { home })).stdout).toContain(`address:   http://127.0.0.1:${up.port}\n`);
    const again = (await runCli(["restart", "--json"], { home })).json<{ pid: number; port: number }>();
    expect(again.port).toBe(up.port);
    expect(again.pid).not.toBe(up.pid);
    expect(await isGone(up.pid)).toBe(true);
    expect((await runCli(["down", "--json"], { home })).json()).toEqual({ ok: true, pid: again.pid });
    expect(await isGone(again.pid)).toBe(true);
    expect(await runCli(["status"], { home })).toMatchObject({ exitCode: 6 });
  });

  test("a daemon of another version: a warning with the remedy on stderr", async () => {
    const daemon = await startDaemon();
    const path = join(daemon.home, "daemon.json");
    const note = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...note, version: "9.9.9" }));
    const { exitCode, stderr, stdout } = await daemon.cli("ps", "--json");
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^warning: the daemon is version 9\.9\.9, .*`nomos restart`\n$/);
    expect(JSON.parse(stdout)).toEqual({ sessions: [], next: null });
  });
});

describe("commands that start a daemon", () => {
  test("the first command starts a daemon, and the next ones use it", async () => {
    const home = await newHome();
    const first = await runCli(["ps", "--json"], { home });
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    expect(first.json()).toEqual({ sessions: [], next: null });
    const note = await daemonNote(home);
    expect(await runCli(["agent", "list", "--json"], { home })).toMatchObject({ exitCode: 0 });
    expect(await daemonNote(home)).toEqual(note);
  });

  test("many commands at once start one daemon", async () => {
    const home = await newHome();
    const answers = await Promise.all(Array.from({ length: 4 }, () => runCli(["status", "--json"], { home })));
    expect(answers.map(({ exitCode }) => exitCode)).toEqual([6, 6, 6, 6]);
    const opened = await Promise.all(Array.from({ length: 4 }, () => runCli(["open", "--address"], { home })));
    expect(opened.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
      Array.from({ length: 4 }, () => ({ exitCode: 0, stderr: "" })),
    );
    expect(new Set(opened.map(({ stdout }) => stdout)).size).toBe(1);
  });

  test.each([["version"], ["help"], ["completion", "bash"], ["down"], ["status"], ["doctor"], ["daemon", "logs"]])(
    "`%s` starts no daemon",
    async (...args) => {
      const home = await newHome();
      await runCli(args, { home });
      expect(await daemonNote(home)).toBeNull();
    },
  );

  test("after kill -9 the next command works, and nothing is lost", async () => {
    const daemon = await startDaemon();
    const run = (await daemon.cli("run", "say before", "--json")).json<{ id: string }>();
    await daemon.kill9();
    expect(await daemon.cli("status")).toMatchObject({ exitCode: 6 });
    const { sessions } = (await daemon.cli("ps", "--json")).json<{ sessions: { id: string }[] }>();
    expect(sessions.map(({ id }) => id)).toEqual([run.id]);
    const logs = await daemon.cli("logs", run.id);
    expect(logs.stdout).toContain("before\n");
    await daemon.cli("down");
  });

  test("a daemon note whose pid now belongs to another process is ignored", async () => {
    const home = await newHome();
    await mkdir(home);
    await writeFile(
      join(home, "daemon.json"),
      JSON.stringify({ pid: process.pid, port: 1, socket: null, version: "0" }),
    );
    expect(await runCli(["down"], { home })).toMatchObject({ exitCode: 0, stdout: "no daemon ran\n" });
    expect(await runCli(["ps", "--json"], { home })).toMatchObject({ exitCode: 0 });
  });

  test("a daemon that cannot start: the reason is printed and sets the exit code", async () => {
    const home = await newHome();
    await mkdir(home);
    await writeFile(join(home, "config.json"), '{"port": "x"}');
    const { exitCode, stdout, json } = await runCli(["ps", "--json"], { home });
    expect(exitCode).toBe(2);
    expect(json()).toMatchObject({ error: { code: "invalid_request", details: { file: "config.json" } } });
    expect(stdout).not.toContain("    at ");
  });

  test("inside a session the address and the token of the environment are used", async () => {
    const daemon = await startDaemon();
    const env = { NOMOS_URL: daemon.url, NOMOS_TOKEN: "nst_wrong" };
    const elsewhere = await newHome();
    expect(await runCli(["ps", "--json"], { home: elsewhere, env })).toMatchObject({ exitCode: 3 });
    const right = { NOMOS_URL: daemon.url, NOMOS_TOKEN: daemon.token };
    expect(await runCli(["ps", "--json"], { home: elsewhere, env: right })).toMatchObject({ exitCode: 0 });
    expect(await daemonNote(elsewhere)).toBeNull();
  });
});

/** A zombie process has no command line any more. */
async function isGone(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")) === "";
}

async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
