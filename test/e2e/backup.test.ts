import { cp, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { CHOSEN_STORE } from "../support/chosen-store.ts";
import { runCliHere } from "../support/cli-here.ts";
import { newHome, runCli, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { verdictOf } from "../support/verifier.ts";
import {
  type Event,
  eventsOf,
  expectOk,
  expectRefusal,
  expectSound,
  linesOf,
  newFolder,
  PATIENCE,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

interface Made {
  readonly path: string;
  readonly size: number;
  readonly root: string;
  readonly blobs: number;
  readonly bytes: number;
}

/** For backups that leave the daemon as it was. */
let running: TestDaemon;
beforeAll(async () => {
  running = await startDaemon();
});
afterAll(() => running[Symbol.asyncDispose]());

proves("KEEP-2", "backups are listed, newest first; one that was deleted is listed as gone", async () => {
  const folder = await newFolder();
  const [first, second] = [join(folder, "first"), join(folder, "second")];
  for (const to of [first, second]) expectOk(await running.call<Made>("POST", "/api/backup", { to }));
  await rm(first, { recursive: true });
  const { backups } = expectOk(await running.call<{ backups: object[] }>("GET", "/api/system/backups?limit=2"));
  expect(backups).toMatchObject([
    { path: second, isThere: true, missingBlobs: 0, madeAt: expect.any(String) },
    { path: first, isThere: false },
  ]);
});

proves("KEEP-2", "a backup of a running daemon becomes a home that works and records its restore", async () => {
  const daemon = running;
  const { id } = await start(daemon);
  await turn(daemon, id, `say ${"long ".repeat(10_000)}\nrun echo kept`);
  const folder = await newFolder();
  const to = join(folder, "backup");
  const headers = { "idempotency-key": "one backup" };
  const made = expectOk(await daemon.call<Made>("POST", "/api/backup", { to }, headers));
  expect(made).toMatchObject({ path: to, size: expect.any(Number), missingBlobs: 0 });
  expect(made.blobs).toBeGreaterThan(0);
  expect(expectOk(await daemon.call<Made>("POST", "/api/backup", { to }, headers))).toEqual(made);
  const [noted] = await entriesAfter(daemon, made.size);
  expect(noted).toMatchObject({ type: "log.backed_up@1", actor: "operator", data: { path: to, root: made.root } });
  await expectOwnersAlone(to);
  expect((await readdir(folder)).toSorted()).toEqual(["backup"]);
  await turn(daemon, id, "say behind the backup");
  const was = await eventsOf(daemon, id);

  const home = await newHome();
  const cli = await runCli(["restore", to, "--json"], { home });
  const { exitCode, stdout, stderr } = cli;
  expect({ exitCode, stderr, refused: exitCode === 0 ? "" : stdout }).toEqual({
    exitCode: 0,
    stderr: "",
    refused: "",
  });
  const report = cli.json<{ fence: number }>();
  expect(report).toMatchObject({ size: made.size, root: made.root, newer: null, missingBlobs: 0, movedTo: null });
  const again = await startDaemon({ home });
  const now = await eventsOf(again, id);
  expect(now.slice(0, 5)).toEqual(was.slice(0, 5));
  expect((await linesOf(again, id)).join("\n")).toContain("kept");
  expect((await linesOf(again, id)).join("\n")).not.toContain("behind the backup");
  expect(await turn(again, id, "say and on it goes")).toMatchObject({ outcome: "completed" });
  const [lease, restored] = await entriesAfter(again, made.size);
  expect(lease).toMatchObject({ type: "lease.acquired@1", data: { fence: report.fence } });
  expect(restored).toMatchObject({ type: "log.restored@1", data: { from: to, size: made.size, newer: null } });
  const fences = (await entriesAfter(again, 0)).flatMap(({ type, data }) =>
    type === "lease.acquired@1" ? [Number(data["fence"])] : [],
  );
  expect(fences.toSorted((a, b) => a - b)).toEqual(fences);
  expect(report.fence).toBeGreaterThan(1_700_000_000);
  await expectSound(again);
  expect(expectOk(await again.call<{ ok: boolean }>("GET", "/api/audit/verify"))).toMatchObject({ ok: true });
  // The backup's checkpoint belongs to the restored log: the same key continues it.
  const proof = await again.call<{ fromRoot: string }>("GET", `/api/audit/consistency?from=${made.size}`);
  expect(expectOk(proof).fromRoot).toBe(made.root);
  const bundle = join(folder, "bundle");
  expectOk(await again.call("POST", "/api/audit/export", { to: bundle }));
  const verdict = await verdictOf(
    ...[bundle, "--key", join(to, "keys/key.pub"), "--checkpoint", join(to, "checkpoint")],
  );
  expect(verdict).toMatchObject({ ok: true });
});

proves.onOneStore(
  "KEEP-2",
  "a backup without a name goes into the home's backup folder, also from the command line",
  async () => {
    const daemon = running;
    const before = (await readdir(join(daemon.home, "backups")).catch(() => [])).length;
    const answer = await daemon.cli("backup", "--json");
    expect(answer.exitCode).toBe(0);
    const { path } = answer.json<Made>();
    expect(dirname(path)).toBe(join(daemon.home, "backups"));
    const shown = await daemon.cli("backup");
    expect(shown.stdout).toMatch(/^Backed up [\d,]+ events to \S+backups\/nomos-.*\n(With .*\n)?Next: nomos restore /);
    expect((await readdir(join(daemon.home, "backups"))).length).toBe(before + 2);
  },
);

proves.onOneStore(
  "KEEP-2",
  "a target that exists, is relative, missing or inside the home is refused and left as it was",
  async () => {
    const daemon = running;
    const folder = await newFolder();
    const file = join(folder, "file");
    await writeFile(file, "mine");
    await mkdir(join(folder, "empty"));
    await symlink(daemon.home, join(folder, "link"));
    const backup = (to: string) => daemon.call("POST", "/api/backup", { to });
    for (const to of [file, join(folder, "empty")]) expectRefusal(await backup(to), 409, "backup_exists");
    const nowhere = ["relative/path", join(folder, "no/such/folder"), join(file, "x"), join(daemon.home, "blobs/x")];
    for (const to of [...nowhere, join(folder, "link", "x"), daemon.home, join(daemon.home, "backups"), "/"])
      expect([to, (await backup(to)).status]).toEqual([
        to,
        expect.toSatisfy((status) => status === 400 || status === 409),
      ]);
    expectRefusal(await backup(""), 400, "backup_refused");
    expectRefusal(await daemon.call("POST", "/api/backup", { to: 5 }), 400, "invalid_request");
    expect(await readFile(file, "utf8")).toBe("mine");
    expect((await readdir(folder)).toSorted()).toEqual(["empty", "file", "link"]);
    expect(await readdir(join(folder, "empty"))).toEqual([]);
  },
);

proves.onOneStore("KEEP-2", "a backup needs its own capability; reading everything is not enough", async () => {
  const daemon = running;
  const issue = async (...capabilities: readonly string[]): Promise<Readonly<Record<string, string>>> => {
    const { secret } = expectOk(await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities }), 201);
    return { authorization: `Bearer ${secret}` };
  };
  const reader = await issue("session.read", "system.read", "audit.read", "audit.export", "system.admin");
  for (const [path, body] of [
    ["/api/backup", {}],
    ["/api/gc", { maxAgeDays: 0 }],
    ["/api/gc", { maxAgeDays: 0, dryRun: true }],
  ] as const)
    expectRefusal(await daemon.call("POST", path, body, reader), 403, "denied");
  expectOk(await daemon.call("POST", "/api/backup", {}, await issue("system.backup")));
});

proves("KEEP-2", "two backups at once: one is made, the other is refused and leaves nothing", async () => {
  const daemon = running;
  const { id } = await start(daemon);
  await turn(daemon, id, "run head -c 3000000 /dev/urandom | base64");
  const folder = await newFolder();
  const answers = await Promise.all(
    ["a", "b", "a"].map((name) => daemon.call<Made>("POST", "/api/backup", { to: join(folder, name) })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 503, 503]);
  expect((await readdir(folder)).length).toBe(1);
  const prompted = turn(daemon, id, "say meanwhile");
  const next = daemon.call<Made>("POST", "/api/backup", { to: join(folder, "c") });
  expect(await prompted).toMatchObject({ outcome: "completed" });
  expectOk(await next);
});

proves.skipIf(!needs("smallDisk"))(
  "KEEP-2",
  "the disk fills up during a backup: `disk_full`, nothing is left there, and the daemon goes on",
  async () => {
    const folder = await newFolder();
    const mount = 'mount -t tmpfs -o size=700k tmpfs "$0" && exec "$@"';
    const daemon = await startDaemon({ through: ["unshare", "-rm", "sh", "-c", mount, folder] });
    const there = `/proc/${daemon.pid}/root${folder}`;
    const { id } = await start(daemon);
    const small = expectOk(await daemon.call<Made>("POST", "/api/backup", { to: join(folder, "small") }));
    expect(await readdir(there)).toEqual(["small"]);
    await rm(join(there, "small"), { recursive: true });
    await turn(daemon, id, "run head -c 900000 /dev/urandom | base64");
    for (let n = 0; n < 3; n += 1)
      expectRefusal(await daemon.call("POST", "/api/backup", { to: join(folder, "large") }), 507, "disk_full");
    expect(await readdir(there)).toEqual([]);
    expect(await turn(daemon, id, "say still here")).toMatchObject({ outcome: "completed" });
    const elsewhere = expectOk(await daemon.call<Made>("POST", "/api/backup", {}));
    expect(elsewhere.size).toBeGreaterThan(small.size);
    await expectSound(daemon);
  },
);

proves("KEEP-3", "a home that runs, or that has a log, is never overwritten by a restore", async () => {
  const daemon = await startDaemon();
  const { path } = expectOk(await daemon.call<Made>("POST", "/api/backup", { to: join(await newFolder(), "b") }));
  const restore = () => runCli(["restore", path, "--json"], { home: daemon.home });
  const live = await restore();
  expect([live.exitCode, live.json<Refusal>().error.code]).toEqual([5, "home_in_use"]);
  expect(await daemon.stop()).toBe(0);
  const full = await restore();
  expect([full.exitCode, full.json<Refusal>().error.code]).toEqual([5, "home_not_empty"]);
  const again = await startDaemon({ home: daemon.home });
  await expectSound(again);
  await again.stop();
  const asHome = await runCli(["up", "--json"], { home: path });
  expect([asHome.exitCode, asHome.json<Refusal>().error.code]).toEqual([5, "home_is_backup"]);
});

proves(
  "KEEP-3",
  "a backup that was changed, cut short or made by a newer version is refused and leaves nothing",
  async () => {
    const daemon = await startDaemon();
    const { id } = await start(daemon);
    await turn(daemon, id, `say ${"long ".repeat(10_000)}`);
    const [erased] = (await eventsOf(daemon, id)).filter(({ type }) => type === "message.completed@1");
    await turn(daemon, id, `say ${"other ".repeat(10_000)}`);
    expectOk(await daemon.call("POST", `/sessions/${id}/erase`, { events: [erased?.id] }));
    const folder = await newFolder();
    const good = join(folder, "good");
    const made = expectOk(await daemon.call<Made>("POST", "/api/backup", { to: good }));
    await daemon.stop();
    const [part = ""] = await readdir(join(good, "blobs"));
    const [blob = ""] = await readdir(join(good, "blobs", part));
    const onLog = (sql: string) => async (at: string) => {
      const db = new DatabaseSync(join(at, "log.db"));
      db.exec(sql);
      db.close();
    };
    const inManifest = (change: Record<string, unknown>) => async (at: string) => {
      const manifest = JSON.parse(await readFile(join(at, "backup.json"), "utf8"));
      await writeFile(join(at, "backup.json"), JSON.stringify({ ...manifest, ...change }));
    };
    const faults: readonly (readonly [string, string, (at: string) => Promise<unknown>])[] = [
      ["no manifest", "backup_invalid", (at) => rm(join(at, "backup.json"))],
      ["a manifest of nothing", "backup_invalid", (at) => writeFile(join(at, "backup.json"), "{}")],
      ["no JSON", "backup_invalid", (at) => writeFile(join(at, "backup.json"), "{")],
      ["a newer format", "backup_newer", inManifest({ format: 2 })],
      ["a newer log", "log_newer", onLog("PRAGMA user_version=99")],
      ["a longer log is promised", "backup_invalid", inManifest({ size: made.size + 1 })],
      ["a file elsewhere", "backup_invalid", inManifest({ files: { "../../token": "x" } })],
      ["no log", "backup_invalid", (at) => rm(join(at, "log.db"))],
      [
        "half a log",
        "backup_invalid",
        async (at) => truncate(join(at, "log.db"), (await stat(join(at, "log.db"))).size / 2),
      ],
      ["a log of zero bytes", "backup_invalid", (at) => truncate(join(at, "log.db"), 0)],
      [
        "a link for a log",
        "backup_invalid",
        async (at) => {
          await rm(join(at, "log.db"));
          await symlink(join(good, "log.db"), join(at, "log.db"));
        },
      ],
      ["events missing at the end", "backup_invalid", onLog(`DELETE FROM events WHERE seq = ${made.size}`)],
      ["an event in between", "backup_invalid", onLog("DELETE FROM events WHERE seq = 5")],
      ["other data", "backup_invalid", onLog("UPDATE events SET data = CAST('{}' AS BLOB) WHERE seq = 6")],
      ["another hash", "backup_invalid", onLog("UPDATE events SET hash = zeroblob(32) WHERE seq = 6")],
      [
        "data that was never erased is gone",
        "backup_invalid",
        onLog("UPDATE events SET data = NULL, salt = NULL WHERE seq = 6"),
      ],
      [
        "a table more",
        "backup_invalid",
        onLog("CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END"),
      ],
      ["a blob missing", "backup_invalid", (at) => rm(join(at, "blobs", part, blob))],
      [
        "a blob missing, and its name too",
        "backup_invalid",
        async (at) => {
          await onLog("DELETE FROM event_blobs")(at);
          await rm(join(at, "blobs"), { recursive: true });
        },
      ],
      ["another blob", "backup_invalid", (at) => writeFile(join(at, "blobs", part, blob), "no blob at all")],
      ["another key", "backup_invalid", (at) => writeFile(join(at, "keys", "log.key"), "mine")],
      ["no checkpoint", "backup_invalid", (at) => rm(join(at, "checkpoint"))],
      [
        "another checkpoint",
        "backup_invalid",
        async (at) => {
          const note = (await readFile(join(at, "checkpoint"), "utf8")).replace(
            `\n${made.size}\n`,
            `\n${made.size - 1}\n`,
          );
          await writeFile(join(at, "checkpoint"), note);
        },
      ],
    ];
    for (const [what, code, spoil] of faults) {
      const bad = join(folder, "bad");
      await cp(good, bad, { recursive: true });
      await spoil(bad);
      const home = await newHome();
      const { exitCode, stdout, stderr } = await runCliHere("restore", [bad], home);
      expect([what, exitCode === 0, stderr]).toEqual([what, false, ""]);
      expect([what, JSON.parse(stdout).error?.code]).toEqual([what, code]);
      expect([what, await readdir(home).catch(() => [])]).toEqual([what, []]);
      await rm(bad, { recursive: true });
    }
    for (const from of [join(folder, "nothing"), folder, join(good, "log.db")]) {
      const { exitCode, stdout } = await runCliHere("restore", [from], await newHome());
      expect([from, exitCode, JSON.parse(stdout).error?.code]).toEqual([from, 1, "backup_invalid"]);
    }
    expect((await runCliHere("restore", [], await newHome())).exitCode).toBe(2);
    expect((await runCliHere("restore", [good, "more"], await newHome())).exitCode).toBe(2);
    expect((await runCli(["restore", good], { home: await newHome() })).exitCode).toBe(0);
  },
  240_000,
);

proves.where(CHOSEN_STORE === "sqlite")(
  "KEEP-3",
  "what the home remembers beyond the backup is reported and recorded; a contradiction refuses the backup",
  async () => {
    const daemon = await startDaemon();
    const { id } = await start(daemon);
    const { path, size } = expectOk(
      await daemon.call<Made>("POST", "/api/backup", { to: join(await newFolder(), "b") }),
    );
    await turn(daemon, id, "say lost with the disk");
    await daemon.stop();
    for (const name of ["log.db", "log.db-wal", "log.db-shm"]) await rm(join(daemon.home, name), { force: true });
    const refused = await runCli(["up", "--json"], { home: daemon.home });
    expect(refused.json<Refusal>().error.code).toBe("log_rolled_back");
    await rm(join(daemon.home, "log.db"), { force: true });

    const { stdout, exitCode } = await runCli(["restore", path], { home: daemon.home });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/\d+ events are lost\. The log records this/);
    const again = await startDaemon({ home: daemon.home });
    const [, restored] = await entriesAfter(again, size);
    const newer = restored?.data["newer"];
    expect(newer).toMatchObject({ size: expect.any(Number), root: expect.any(String) });
    expect(Number(Reflect.get(Object(newer), "size"))).toBeGreaterThan(size);
    await expectSound(again);
    // The two logs now differ after the backup: neither accepts the other's checkpoint.
    await turn(again, id, "say another history");
    const other = expectOk(await again.call<Made>("POST", "/api/backup", { to: join(await newFolder(), "c") }));
    await again.stop();
    const [aside = ""] = (await readdir(daemon.home)).filter((name) => name.startsWith("before-restore-"));
    const torn = await newHome();
    await mkdir(torn, { recursive: true });
    await cp(join(daemon.home, aside, "checkpoint"), join(torn, "checkpoint"));
    const contradicted = await runCli(["restore", other.path, "--json"], { home: torn });
    expect(contradicted.json<Refusal>().error).toMatchObject({ code: "backup_invalid" });
    expect(await readdir(torn)).toEqual(expect.arrayContaining(["checkpoint"]));
    expect(await readdir(torn)).not.toContain("log.db");
  },
);

interface Refusal {
  readonly error: { readonly code: string };
}

async function entriesAfter(daemon: TestDaemon, seq: number): Promise<readonly Event[]> {
  const path = `/api/audit/entries?after=${seq}&limit=1000`;
  return expectOk(await daemon.call<{ entries: readonly Event[] }>("GET", path)).entries;
}

async function expectOwnersAlone(folder: string): Promise<void> {
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    expect([entry.name, mode & 0o777]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600]);
  }
}
