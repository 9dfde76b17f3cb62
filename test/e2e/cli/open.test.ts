import { chmod, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { newHome, runCli, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { openPty } from "../../support/pty.ts";
import { redeem } from "../support/browser.ts";
import { eventually, expectOk, PATIENCE } from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
let browser: string;
let opened: string;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  const folder = dirname(daemon.home);
  [browser, opened] = [join(folder, "browser"), join(folder, "opened")];
  await writeFile(browser, `#!/bin/sh\nprintf '%s' "$1" > ${opened}\n`);
  await chmod(browser, 0o700);
});
afterAll(() => daemon[Symbol.asyncDispose]());

const linkIn = (text: string): string => /#link=(nml_[0-9a-f]{48})/.exec(text.replaceAll("\n", ""))?.[1] ?? "";
const atTerminal = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  openPty({ home: daemon.home, cwd: dirname(daemon.home), args, columns: 120, rows: 40, env });

test("open at a terminal starts the browser with a link that signs in", async () => {
  const pty = atTerminal(["open"], { BROWSER: browser });
  await pty.until(/Opened in your browser/);
  expect(await pty.exited).toBe(0);
  const url = await readFile(opened, "utf8");
  expect(pty.text()).toContain(url);
  expect((await redeem(daemon, linkIn(url))).status).toBe(201);
});

test("open over SSH, with --print, or with a browser that fails: prints the link and says what to do", async () => {
  const quiet: readonly (readonly [readonly string[], Readonly<Record<string, string>>])[] = [
    [["open"], { BROWSER: "/nowhere/browser", SSH_CONNECTION: "" }],
    [["open"], { BROWSER: browser, SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }],
    [["open", "--print"], { BROWSER: browser }],
  ];
  await writeFile(opened, "nothing");
  for (const [args, env] of quiet) {
    const pty = atTerminal(args, env);
    await pty.until(/Open the link in a browser: it works once/);
    expect(await pty.exited).toBe(0);
    expect(linkIn(pty.text())).not.toBe("");
  }
  expect(await readFile(opened, "utf8")).toBe("nothing");
});

test("open --phone shows a QR code at a terminal, only the link in a pipe, and refuses without a public address", async () => {
  const refused = await daemon.cli("open", "--phone");
  expect(refused).toMatchObject({ exitCode: 5, stdout: "" });
  expect(refused.stderr).toContain("nomos config set publicUrl");
  expectOk(await daemon.call("PUT", "/api/config", { config: { publicUrl: "https://nomos.example.org" } }));
  const pty = atTerminal(["open", "--phone"], { BROWSER: browser });
  await pty.until(/Scan the code/);
  expect(pty.raw()).toContain("\u001b[30;107m");
  expect(pty.text()).toMatch(/█▀▀▀▀▀█/);
  expect(pty.text()).toMatch(/https:\/\/nomos\.example\.org\/#link=nml_/);
  const piped = await daemon.cli("open", "--phone");
  expect(piped.stdout).toMatch(/^https:\/\/nomos\.example\.org\/#link=nml_[0-9a-f]{48}\n$/);
});

test("up at a terminal prints a link that signs in; in the background nothing of it is kept", async () => {
  const home = await newHome();
  const pty = openPty({ home, cwd: dirname(home), args: ["up", "--port", "0"], columns: 200 });
  await pty.until(/stop {3}Ctrl-C/);
  const [, url = ""] = /is up: (http:\S+)/.exec(pty.text()) ?? [];
  expect((await redeem({ url }, linkIn(pty.text()))).status).toBe(201);
  pty.press("ctrlC");
  expect(await pty.exited).toBe(0);
  const behind = await newHome();
  const detached = openPty({
    home: behind,
    cwd: dirname(behind),
    args: ["up", "--detach", "--port", "0"],
    columns: 200,
  });
  await detached.until(/#link=nml_/);
  expect(await detached.exited).toBe(0);
  const kept = await eventually("the log", () => readFile(join(behind, "logs", "daemon.out"), "utf8"));
  expect(kept).not.toContain("nml_");
  await runCli(["down"], { home: behind });
});
