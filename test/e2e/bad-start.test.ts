import { spawnSync } from "node:child_process";
import { mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, vi } from "vitest";
import { CHOSEN_STORE } from "../support/chosen-store.ts";
import { BIN, type CliAnswer, newHome, runCli, startDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { homeCopies } from "./support/home-copies.ts";
import { expectOk, PATIENCE, type Refused, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

/** A start that must fail: its exit code, and the error on stdout. */
const failedStart = (answer: CliAnswer): { readonly exitCode: number | null; readonly code: string } => {
  const { error } = answer.json<Refused>();
  expect(Object.keys(error).sort()).toEqual(["code", "details", "message", "remedy"]);
  expect(error.remedy).not.toBe("");
  return { exitCode: answer.exitCode, code: error.code };
};
/** A daemon ran on it, with one session, and was stopped. */
const stoppedHome = homeCopies(async (home) => {
  const daemon = await startDaemon({ home, outlivesTest: true });
  const { id } = await start(daemon, { cwd: join(home, "..") });
  await turn(daemon, id, "say the truth");
  await daemon.stop();
});
const up = (home: string, ...args: readonly string[]) => runCli(["up", "--json", "--port", "0", ...args], { home });

proves("H14", "case 27: two daemons on one home: the second is refused, and the first runs on", async () => {
  const daemon = await startDaemon();
  const { id } = await start(daemon);
  await turn(daemon, id, "say before");
  const attempts = await Promise.all([up(daemon.home), up(daemon.home), up(daemon.home)]);
  for (const attempt of attempts) expect(failedStart(attempt)).toEqual({ exitCode: 5, code: "home_in_use" });
  expect(await turn(daemon, id, "say after")).toMatchObject({ outcome: "completed" });
  expect(expectOk(await daemon.call("GET", "/api/doctor?rebuild=1"))).toMatchObject({ ok: true });
});

proves("H14", "many starts at once on a new home: exactly one comes up", async () => {
  const home = await newHome();
  const children = await Promise.allSettled([startDaemon({ home }), startDaemon({ home }), startDaemon({ home })]);
  const started = children.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  expect(started).toHaveLength(1);
  expectOk(await (started[0] as Awaited<ReturnType<typeof startDaemon>>).call("GET", "/api/status"));
});

proves("H14", "a taken port is refused by name, and the home can be used at once", async () => {
  const home = await newHome();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  expect(failedStart(await up(home, "--port", String(port)))).toEqual({ exitCode: 5, code: "port_in_use" });
  server.close();
  const daemon = await startDaemon({ home });
  expectOk(await daemon.call("GET", "/api/status"));
});

proves.skipIf(!needs("bwrap"))("H15", "a home that cannot be written is refused by name", async () => {
  const home = await stoppedHome();
  // Root ignores permissions, but not a read-only mount.
  const readOnly = ["--dev-bind", "/", "/", "--ro-bind", home, home];
  const answer = spawnSync("bwrap", [...readOnly, process.execPath, BIN, "up", "--json", "--port", "0"], {
    env: { ...process.env, NOMOS_HOME: home },
    encoding: "utf8",
  });
  const cli = { exitCode: answer.status, signal: null, stdout: answer.stdout, stderr: answer.stderr };
  expect(failedStart({ ...cli, json: <T>(): T => JSON.parse(answer.stdout) }), answer.stdout).toEqual({
    exitCode: 6,
    code: "store_read_only",
  });
  expectOk(await (await startDaemon({ home })).call("GET", "/api/status"));
});

proves("H15", "a home that is not a directory is refused by name", async () => {
  const home = await newHome();
  await writeFile(home, "a file");
  expect(failedStart(await up(home))).toEqual({ exitCode: 6, code: "home_unusable" });
  await rm(home);
});

proves.where(CHOSEN_STORE === "sqlite")(
  "H15",
  "a log file that is not a log is refused and left as it is",
  async () => {
    const home = await newHome();
    await mkdir(home, { recursive: true });
    const garbage = Buffer.alloc(20_000, "this is no log. ");
    await writeFile(join(home, "log.db"), garbage);
    expect(failedStart(await up(home))).toEqual({ exitCode: 1, code: "log_corrupt" });
    expect(await readFile(join(home, "log.db"))).toEqual(garbage);
  },
);

proves.where(CHOSEN_STORE === "sqlite")("H15", "a log of a newer version is refused and left as it is", async () => {
  const home = await stoppedHome();
  const db = new DatabaseSync(join(home, "log.db"));
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  db.exec(`PRAGMA user_version = ${version + 1}`);
  db.close();
  expect(failedStart(await up(home))).toEqual({ exitCode: 6, code: "log_newer" });
  const again = new DatabaseSync(join(home, "log.db"));
  again.exec(`PRAGMA user_version = ${version}`);
  again.close();
  const { sessions } = expectOk(await (await startDaemon({ home })).call<{ sessions: object[] }>("GET", "/sessions"));
  expect(sessions).toHaveLength(1);
});

proves.where(CHOSEN_STORE === "sqlite")(
  "H15",
  "an event changed on disk stops the start, and the answer names its place",
  async () => {
    const home = await stoppedHome();
    const db = new DatabaseSync(join(home, "log.db"));
    const lie = "CAST(replace(CAST(data AS TEXT), 'the truth', 'a lie 123') AS BLOB)";
    db.exec(`UPDATE events SET data = ${lie} WHERE CAST(type AS TEXT) = 'message.completed@1'`);
    db.close();
    const answer = await up(home);
    expect(failedStart(answer)).toEqual({ exitCode: 1, code: "log_corrupt" });
    expect(answer.json<Refused>().error.details).toMatchObject({
      stream: expect.stringMatching(/^session\//),
      problem: "data_mismatch",
    });
  },
);

proves.where(CHOSEN_STORE === "sqlite")(
  "H15",
  "a torn file is refused, or everything acknowledged is there",
  async () => {
    const home = await newHome();
    const before = await startDaemon({ home });
    const { id } = await start(before, { cwd: join(home, "..") });
    await turn(before, id, "say kept");
    await before.kill9();
    const wal = await open(join(home, "log.db-wal"), "r+");
    const { size } = await wal.stat();
    // The last page of the write-ahead log is half written: its checksum fails, so it counts as never written.
    await wal.truncate(Math.max(0, size - 1000));
    await wal.close();
    const after = await startDaemon({ home }).catch(String);
    // A checkpoint may have signed what was on that page: then the loss is detected.
    if (typeof after === "string") return expect(after).toContain("log_rolled_back");
    expect(expectOk(await after.call("GET", "/api/doctor?rebuild=1"))).toMatchObject({ ok: true });
    expect(await turn(after, id, "say on")).toMatchObject({ outcome: "completed" });
  },
);

proves("H15", "a wrong configuration is refused, and the answer names the setting", async () => {
  const home = await newHome();
  await mkdir(home, { recursive: true });
  for (const [text, code] of [
    ["{ not json", "malformed_json"],
    ['{"turnTimeoutMs": "long"}', "invalid_request"],
  ] as const) {
    await writeFile(join(home, "config.json"), text);
    const answer = await up(home);
    expect(failedStart(answer)).toMatchObject({ code });
    expect(answer.stdout).toContain("config.json");
  }
  await writeFile(join(home, "config.json"), '{"turnTimeoutMs": 60000, "somethingNew": {"kept": true}}');
  const daemon = await startDaemon({ home });
  expectOk(await daemon.call("PUT", "/api/config", { config: { idleHibernateMs: 5000 } }));
  expect(JSON.parse(await readFile(join(home, "config.json"), "utf8"))).toEqual({
    turnTimeoutMs: 60_000,
    somethingNew: { kept: true },
    idleHibernateMs: 5000,
  });
  const refused = await daemon.call("PUT", "/api/config", { config: { port: 99_999 } });
  expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
});
