import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { CHOSEN_STORE } from "../support/chosen-store.ts";
import { newHome, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { whenTestEnds } from "../support/test-end.ts";
import { eventually, expectOk, expectRefusal, expectSound, PATIENCE, start } from "./support/talk.ts";

vi.setConfig(PATIENCE);

const MB = 1_048_576;
/** Twice the size that starts a checkpoint of the write-ahead log, plus one batch. */
const USUAL_MB_MAX = 40;

interface Status {
  readonly wal: { readonly bytes: number; readonly limit: number; readonly problem: string | null };
}

const provesOnSqlite = proves.where(CHOSEN_STORE === "sqlite");
const statusOf = async (daemon: TestDaemon): Promise<Status> =>
  expectOk(await daemon.call<Status>("GET", "/api/status"));
const walOf = async (daemon: TestDaemon): Promise<number> => (await stat(join(daemon.home, "log.db-wal"))).size;
const write = (daemon: TestDaemon, id: string) =>
  daemon.call("POST", `/sessions/${id}/events`, { events: [{ type: "much", payload: "x".repeat(1_000_000) }] });

provesOnSqlite(
  "Q8",
  "a process keeps an old read transaction open: it is reported, new work is refused, and both end when it closes",
  async () => {
    const daemon = await startDaemon();
    expectOk(await daemon.call("PUT", "/api/config", { config: { limits: { walBytes: 10 * MB } } }));
    const { id } = await start(daemon);
    const holder = spawn(process.execPath, ["-e", HOLDER, join(daemon.home, "log.db")], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    whenTestEnds(() => void holder.kill("SIGKILL"));
    await once(holder.stdout, "data");
    const refused = await eventually("a refusal", async () => {
      const answer = await write(daemon, id);
      return answer.status === 201 ? null : answer;
    });
    const error = expectRefusal(refused, 507, "disk_low");
    expect(String(error.details["reason"])).toContain("keeps an old state of the log open");
    // Calls already running between two looks may still have been accepted.
    expect(await walOf(daemon)).toBeLessThan(400 * MB);
    expect((await statusOf(daemon)).wal.problem).not.toBeNull();
    expect((await daemon.cli("status")).stdout).toMatch(/^.*wal.*old state/m);
    expect((await daemon.cli("doctor")).stdout).toMatch(/^.*wal.*old state/m);
    expect((await daemon.call("GET", "/api/metrics")).text).toMatch(/^nomos_wal_pinned 1$/m);
    expectOk(await daemon.call("POST", `/sessions/${id}/kill`));
    holder.stdin.end();
    await once(holder, "close");
    await eventually("a small one again", async () => (await statusOf(daemon)).wal.problem === null);
    expect(await walOf(daemon)).toBeLessThan(10 * MB);
    await start(daemon);
    await expectSound(daemon);
  },
);

provesOnSqlite("Q8", "our own readers that do not read make nothing grow", async () => {
  const daemon = await startDaemon();
  const { id } = await start(daemon);
  const { port, hostname } = new URL(daemon.url);
  for (const path of ["/api/events", `/sessions/${id}/stream`, "/api/events"]) {
    const socket = connect(Number(port), hostname);
    whenTestEnds(() => void socket.destroy());
    await once(socket, "connect");
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${daemon.token}\r\n\r\n`);
  }
  const sizes: number[] = [];
  for (let n = 0; n < 120; n += 1) {
    expectOk(await write(daemon, id), 201);
    sizes.push(await walOf(daemon));
  }
  expect(Math.max(...sizes)).toBeLessThan(USUAL_MB_MAX * MB);
  expect((await statusOf(daemon)).wal.problem).toBeNull();
});

proves("Q8", "files that an earlier daemon left half written are removed; similar files stay", async () => {
  const home = await newHome();
  const folder = join(home, "blobs", "ab");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const old = [
    join(folder, `${"ab".repeat(32)}.zst.0123456789ab.tmp`),
    join(home, ".config.json.01900000-0000-7000-8000-000000000000.tmp"),
    join(home, "checkpoint.0123456789ab.tmp"),
  ];
  const others = [join(home, "notes.tmp"), join(folder, `${"ab".repeat(32)}.zst`)];
  const before = new Date(Date.now() - 60_000);
  for (const path of [...old, ...others]) {
    await writeFile(path, "half");
    await utimes(path, before, before);
  }
  const daemon = await startDaemon({ home });
  await eventually("cleaned", async () => (await readdir(folder)).length === 1);
  await eventually("cleaned", async () => !(await readdir(home)).includes("checkpoint.0123456789ab.tmp"));
  for (const path of others) expect((await stat(path)).size).toBe(4);
  await daemon.stop();
});

const HOLDER = `
  const { DatabaseSync } = require("node:sqlite");
  const db = new DatabaseSync(process.argv[1], { readOnly: true });
  db.exec("BEGIN");
  db.prepare("SELECT count(*) FROM events").get();
  console.log("holding");
  process.stdin.on("end", () => process.exit(0)).resume();
`;
