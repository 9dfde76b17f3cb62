import { mkdir } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { daemonNote, newHome, runCli, startCli, startDaemon } from "../../support/daemon.ts";
import { lineTalk } from "../../support/line-talk.ts";

const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "session_list", arguments: {} } };

test("nomos mcp says which home it serves, and whether it started the daemon", async () => {
  const daemon = await startDaemon();
  const served = await runCli(["mcp"], { home: daemon.home });
  expect(served).toMatchObject({ exitCode: 0, stdout: "" });
  expect(served.stderr).toBe(`nomos mcp: serves ${daemon.home} (daemon ${daemon.pid} at ${daemon.url})\n`);
  const home = await newHome();
  const { stderr } = await runCli(["mcp"], { home });
  expect(stderr).toContain(`nomos mcp: no daemon runs on ${home}; starting one\n`);
  expect(stderr).toContain(`nomos mcp: serves ${home} (daemon ${(await daemonNote(home))?.pid} at http`);
});

test("nomos mcp with $NOMOS_URL says so, and says when it cannot be used", async () => {
  const daemon = await startDaemon();
  const env = { NOMOS_URL: daemon.url, NOMOS_TOKEN: daemon.token };
  const nowhere = join(dirname(daemon.home), "nowhere");
  expect((await runCli(["mcp"], { home: nowhere, env })).stderr).toBe(
    `nomos mcp: serves the daemon at ${daemon.url} ($NOMOS_URL)\n`,
  );
  expect(await daemonNote(nowhere)).toBeNull();
  const { stderr } = await runCli(["mcp"], { home: daemon.home, env: { NOMOS_URL: "http://127.0.0.1:1" } });
  expect(stderr).toContain("$NOMOS_URL is not used, because $NOMOS_TOKEN is not set\n");
  expect(stderr).toContain(`serves ${daemon.home} `);
});

test("a port that is taken: nomos mcp says that a second daemon was not started", async () => {
  const daemon = await startDaemon();
  const home = await newHome();
  const port = new URL(daemon.url).port;
  const { exitCode, stderr } = await runCli(["mcp"], { home, env: { NOMOS_PORT: port } });
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain("A second daemon was not started.");
  expect(stderr).toContain("NOMOS_HOME=");
});

// The other home is looked for where the system says this user lives, so the test needs that place for itself.
test.skipIf(userInfo().homedir !== process.env["HOME"])(
  "another $HOME and no $NOMOS_HOME: the daemon of this $HOME is used, and nothing is started elsewhere",
  async () => {
    const place = dirname(await newHome());
    const home = join(place, ".nomos");
    await mkdir(home, { recursive: true });
    const daemon = await startDaemon({ home });
    const { stderr } = await runCli(["mcp"], { home: "", env: { HOME: place, NOMOS_HOME: "" } });
    expect(stderr).toBe(`nomos mcp: serves ${home} (daemon ${daemon.pid} at ${daemon.url})\n`);
  },
);

test("a daemon that a person stopped is not started again by nomos mcp; one that crashed is", async () => {
  const home = await newHome();
  const first = await startDaemon({ home });
  const child = startCli(["mcp"], { home });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += String(chunk);
  });
  const talk = lineTalk(child);
  talk.say(HELLO);
  await talk.answer(1);
  talk.say({ jsonrpc: "2.0", method: "notifications/initialized" });
  talk.say({ ...LIST, id: "before" });
  await talk.answer("before");
  await first.stop();
  talk.say(LIST);
  expect(await talk.answer(2)).toMatchObject({ error: { data: { code: "daemon_unreachable" } } });
  expect(await daemonNote(home)).toBeNull();
  const second = await startDaemon({ home });
  talk.say({ ...LIST, id: 3 });
  expect(await talk.answer(3)).toMatchObject({ result: { structuredContent: { sessions: [] } } });
  await second.kill9();
  talk.say({ ...LIST, id: 4 });
  expect(await talk.answer(4)).toMatchObject({ result: { structuredContent: { sessions: [] } } });
  expect(said).toContain("starting one\n");
  expect(await talk.end()).toBe(0);
});
