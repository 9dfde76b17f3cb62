import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { sha256 } from "../support/bundles.ts";
import { CHOSEN_STORE } from "../support/chosen-store.ts";
import { newHome, runCli, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { verdictOf } from "../support/verifier.ts";
import {
  type Event,
  eventsOf,
  expectOk,
  expectRefusal,
  expectSound,
  newFolder,
  PATIENCE,
  pendingOf,
  type Session,
  show,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

interface Collected {
  readonly dryRun: boolean;
  readonly sessions: readonly { readonly id: string; readonly events: number; readonly archive: string | null }[];
  readonly needed: readonly { readonly id: string }[];
  readonly events: number;
  readonly bytes: number;
  readonly blobs: number;
  readonly blobBytes: number;
}

const CANARY = "canary in a coal mine";

/** Each test collects the sessions that it ended, so the next finds none. */
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

proves(
  "KEEP-5",
  "old sessions' data moves from the log to archives; chains, proofs and exports stay valid",
  async () => {
    const folder = await newFolder();
    const id = await endedSession(daemon, `say ${CANARY}\nrun head -c 200000 /dev/urandom | base64`);
    const alive = (await start(daemon)).id;
    await turn(daemon, alive, "say I live");
    const before = await eventsOf(daemon, id);
    const proofOf = async (event: Event | undefined) =>
      expectOk(await daemon.call<{ root: string; leafHash: string }>("GET", `/api/audit/proof/${event?.id}`));
    const proof = await proofOf(before[2]);
    const early = join(folder, "early");
    expectOk(await daemon.call("POST", "/api/audit/export", { to: early }));

    expect(await gc(daemon, { maxAgeDays: 30 })).toMatchObject({ sessions: [], events: 0, bytes: 0 });
    const planned = await gc(daemon, { maxAgeDays: 0, dryRun: true });
    expect(planned).toMatchObject({ dryRun: true, sessions: [{ id, archive: null }] });
    expect(await eventsOf(daemon, id)).toEqual(before);
    const headers = { "idempotency-key": "once" };
    const done = expectOk(await daemon.call<Collected>("POST", "/api/gc", { maxAgeDays: 0 }, headers));
    expect(done).toMatchObject({
      dryRun: false,
      sessions: [{ id, archive: `${id}.jsonl.zst` }],
      events: planned.events,
      bytes: planned.bytes,
      blobs: planned.blobs,
      blobBytes: planned.blobBytes,
    });
    expect(planned.bytes).toBe(dataBytes(before));
    expect(planned.blobs).toBeGreaterThan(0);
    expect(expectOk(await daemon.call("POST", "/api/gc", { maxAgeDays: 0 }, headers))).toEqual(done);

    const after = await eventsOf(daemon, id);
    const gone = after.filter(({ data }) => data === null);
    expect(gone.length).toBe(done.events);
    expect(after.slice(0, before.length).map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
    expect(after.slice(before.length).map(({ type }) => type)).toEqual(["data.erased@1", "session.archived@1"]);
    expect(JSON.stringify(after)).not.toContain(CANARY);
    expect(await show(daemon, id)).toMatchObject({ state: "killed", archived: { file: `${id}.jsonl.zst` } });
    expect((await proofOf(before[2])).leafHash).toBe(proof.leafHash);
    expect(await turn(daemon, alive, "say still")).toMatchObject({ outcome: "completed" });
    await expectSound(daemon);
    expect(expectOk(await daemon.call("GET", "/api/audit/verify"))).toMatchObject({ ok: true, problems: [] });
    const bundle = join(folder, "bundle");
    expectOk(await daemon.call("POST", "/api/audit/export", { to: bundle }));
    const key = ["--key", join(daemon.home, "keys/key.pub"), "--checkpoint", join(early, "checkpoint")];
    expect(await verdictOf(bundle, ...key)).toMatchObject({ ok: true, erased: done.events });
  },
);

proves("KEEP-5", "an archive gives the data back, proved by the log; with one byte less it is refused", async () => {
  const id = await endedSession(daemon, `say ${CANARY}\nrun head -c 200000 /dev/urandom | base64`);
  const before = (await eventsOf(daemon, id)).filter(({ type }) =>
    /^(turn.admitted|message|effect.(int|out))/.test(type),
  );
  await gc(daemon, { maxAgeDays: 0 });
  const path = join(daemon.home, "archive", `${id}.jsonl.zst`);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const read = expectOk(await daemon.call<{ events: Event[]; next: number }>("GET", `/sessions/${id}/archive?limit=2`));
  expect(read.events).toEqual(before.slice(0, 2));
  const rest = await daemon.call<{ events: Event[]; next: null }>("GET", `/sessions/${id}/archive?after=${read.next}`);
  expect([...read.events, ...expectOk(rest).events]).toEqual(before);
  const whole = await daemon.cli("archive", "verify", id, "--json");
  expect([whole.exitCode, whole.json()]).toEqual([0, expect.objectContaining({ ok: true, events: before.length })]);

  const good = await readFile(path);
  const lines = zstdDecompressSync(good).toString().trim().split("\n");
  for (const line of lines.slice(1)) {
    const { blob, bytes, prev, header, hash, salt, data } = JSON.parse(line);
    if (blob !== undefined) expect(sha256(Buffer.from(bytes, "base64")).toString("hex")).toBe(blob);
    else {
      expect(sha256(Buffer.from(prev, "hex"), header).toString("hex")).toBe(hash);
      const dataHash = sha256(Buffer.from(salt, "hex"), Buffer.from(data, "base64")).toString("hex");
      expect(JSON.parse(header).dataHash).toBe(dataHash);
    }
  }
  expect(lines.some((line) => line.startsWith('{"blob"'))).toBe(true);
  const forged = lines.map((line) => line.replace(/"data":"(.)/, '"data":"A'));
  const spoiled = [
    zstdCompressSync(forged.join("\n")),
    zstdCompressSync(lines.slice(0, -1).join("\n")),
    zstdCompressSync(lines.slice(1).join("\n")),
    good.subarray(0, good.length - 40),
    Buffer.from(""),
    Buffer.from("no archive at all"),
  ];
  for (const [n, bytes] of spoiled.entries()) {
    await writeFile(path, bytes);
    const verdict = await daemon.call<{ ok: boolean }>("GET", `/sessions/${id}/archive/verify`);
    expect([n, expectOk(verdict).ok]).toEqual([n, false]);
  }
  expect(await daemon.cli("archive", "verify", id, "--json")).toMatchObject({ exitCode: 1 });
  await writeFile(path, zstdCompressSync(forged.join("\n")));
  expectRefusal(await daemon.call("GET", `/sessions/${id}/archive`), 500, "archive_invalid");
  await rm(path);
  expectRefusal(await daemon.call("GET", `/sessions/${id}/archive`), 404, "archive_not_found");
});

proves("KEEP-5", "with `discard` no archive is made, and the session says so", async () => {
  const id = await endedSession(daemon, `say ${CANARY}`);
  expect(await gc(daemon, { maxAgeDays: 0, discard: true })).toMatchObject({ sessions: [{ id, archive: null }] });
  expect(await readdir(join(daemon.home, "archive"))).not.toContain(`${id}.jsonl.zst`);
  expect(await show(daemon, id)).toMatchObject({ archived: { at: expect.any(String) } });
  expectRefusal(await daemon.call("GET", `/sessions/${id}/archive`), 404, "archive_not_found");
  expect(JSON.stringify(await eventsOf(daemon, id))).not.toContain(CANARY);
  await expectSound(daemon);
});

proves("KEEP-6", "living sessions, waiting questions and what a fork needs keep their data", async () => {
  const idle = (await start(daemon)).id;
  await turn(daemon, idle, "say idle");
  const asking = (await start(daemon, { prompt: "ask May I?" })).id;
  await pendingOf(daemon, asking);
  const parent = (await start(daemon)).id;
  await turn(daemon, parent, "say the parent's words");
  await writeArtifact(parent, "notes.txt", "the parent's file");
  const child = await forkOf(daemon, parent);
  const grandchild = await forkOf(daemon, child);
  await turn(daemon, grandchild, "say the grandchild's words");
  for (const id of [parent, child]) await kill(daemon, id);
  const plan = await gc(daemon, { maxAgeDays: 0, dryRun: true });
  expect(plan.sessions).toEqual([]);
  expect(plan.needed.map(({ id }) => id).toSorted()).toEqual([parent, child].toSorted());
  const was = await pathOf(daemon, grandchild);
  expect(await gc(daemon, { maxAgeDays: 0 })).toMatchObject({ sessions: [], events: 0 });
  expect(await pathOf(daemon, grandchild)).toEqual(was);
  expect(JSON.stringify(was)).toContain("the parent's words");

  // The last session of the family ends: now all may be collected, the youngest first.
  await kill(daemon, grandchild);
  const done = await gc(daemon, { maxAgeDays: 0 });
  expect(done.sessions.map(({ id }) => id)).toEqual([grandchild, child, parent]);
  expectRefusal(await daemon.call("POST", `/sessions/${parent}/fork`, {}), 409, "session_archived");
  expect(await show(daemon, idle)).not.toHaveProperty("archived");
  expect(await show(daemon, asking)).toMatchObject({ busy: true, waitingFor: "approval" });
  await expectSound(daemon);
});

proves("KEEP-6", "blobs shared by several sessions stay while one of them needs them", async () => {
  const shared = await endedSession(daemon, "say one");
  const bytes = "the same bytes ".repeat(100);
  const alive = (await start(daemon)).id;
  await writeArtifact(alive, "kept.txt", bytes);
  const other = (await start(daemon)).id;
  await writeArtifact(other, "gone.txt", bytes);
  await kill(daemon, other);
  const done = await gc(daemon, { maxAgeDays: 0 });
  expect(done.sessions.map(({ id }) => id).toSorted()).toEqual([shared, other].toSorted());
  const read = await daemon.cli("artifact", "read", alive, "kept.txt");
  expect(read.stdout).toBe(bytes);
});

proves("KEEP-6", "a fork made during a collection has its whole history, or is refused", async () => {
  const parents: string[] = [];
  for (let n = 0; n < 8; n += 1) parents.push(await endedSession(daemon, `say words of ${n}\nsay more`));
  const collecting = gc(daemon, { maxAgeDays: 0 });
  const forks = await Promise.all(
    parents.map((id) => daemon.call<Session>("POST", `/sessions/${id}/fork`, {}).then((answer) => ({ id, answer }))),
  );
  const { sessions } = await collecting;
  for (const { id, answer } of forks) {
    const isArchived = sessions.some((session) => session.id === id);
    if (answer.status === 201) {
      expect([id, isArchived]).toEqual([id, false]);
      expect(JSON.stringify(await pathOf(daemon, answer.body.id))).toContain("words of");
    } else {
      expectRefusal(answer, 409, "session_archived");
      expect(isArchived).toBe(true);
    }
  }
  await expectSound(daemon);
});

proves("KEEP-5", "forgotten sessions are collected too; of two collections at once the second is refused", async () => {
  const id = await endedSession(daemon, `say ${CANARY}`);
  expectOk(await daemon.call("DELETE", `/sessions/${id}`));
  const others: string[] = [];
  for (let n = 0; n < 4; n += 1) others.push(await endedSession(daemon, `say ${n}`));
  const answers = await Promise.all([0, 1].map(() => daemon.call<Collected>("POST", "/api/gc", { maxAgeDays: 0 })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 503]);
  const collected = answers.find(({ status }) => status === 200)?.body.sessions.map((session) => session.id);
  expect(collected?.toSorted()).toEqual([id, ...others].toSorted());
  for (const bad of [{}, { maxAgeDays: "old" }, { maxAgeDays: -1 }, { maxAgeDays: 0, dryRun: "perhaps" }])
    expectRefusal(await daemon.call("POST", "/api/gc", bad), 400, "invalid_request");
  expect((await daemon.cli("gc")).exitCode).toBe(2);
});

proves.where(CHOSEN_STORE === "sqlite")("KEEP-5", "a collection makes the log file smaller", async () => {
  const large = await startDaemon();
  const id = (await start(large)).id;
  for (let n = 0; n < 12; n += 1) await turn(large, id, `say ${String(n).repeat(15_000)}\nsay ${"y".repeat(15_000)}`);
  await kill(large, id);
  await large.stop();
  const size = async () => (await stat(join(large.home, "log.db"))).size;
  const before = await size();
  const again = await startDaemon({ home: large.home });
  const { bytes } = await gc(again, { maxAgeDays: 0 });
  expect(bytes).toBeGreaterThan(300_000);
  await again.stop();
  expect(before - (await size())).toBeGreaterThan(bytes * 0.6);
});

proves.where(CHOSEN_STORE === "sqlite")(
  "KEEP-4",
  "unnamed blobs an hour old are removed by the next collection; a new one stays",
  async () => {
    const folder = join(daemon.home, "blobs");
    const put = async (text: string, agoMs: number): Promise<string> => {
      const name = sha256(text).toString("hex");
      const path = join(folder, name.slice(0, 2), `${name}.zst`);
      await mkdir(join(folder, name.slice(0, 2)), { recursive: true });
      await writeFile(path, zstdCompressSync(text));
      await utimes(path, new Date(Date.now() - agoMs), new Date(Date.now() - agoMs));
      return path;
    };
    const old = await put("left by a crash", 4_000_000);
    const young = await put("about to be named", 10_000);
    const torn = `${old}.0123456789ab.tmp`;
    await writeFile(torn, "half");
    await utimes(torn, new Date(0), new Date(0));
    const plan = await gc(daemon, { maxAgeDays: 30, dryRun: true });
    expect(plan).toMatchObject({ blobs: 1, blobBytes: (await stat(old)).size });
    expect(await gc(daemon, { maxAgeDays: 30 })).toMatchObject({ blobs: 1, blobBytes: plan.blobBytes });
    expect(await stat(young)).toBeTruthy();
    for (const path of [old, torn]) await expect(stat(path)).rejects.toThrow("ENOENT");
  },
);

proves("KEEP-2", "archives are part of a backup, and are restored with it", async () => {
  const id = await endedSession(daemon, `say ${CANARY}`);
  await gc(daemon, { maxAgeDays: 0 });
  const to = join(await newFolder(), "backup");
  expectOk(await daemon.call("POST", "/api/backup", { to }));
  const home = await newHome();
  expect((await runCli(["restore", to], { home })).exitCode).toBe(0);
  const again = await startDaemon({ home });
  expect((await again.call("GET", `/sessions/${id}/archive`)).text).toContain(CANARY);
  expect(expectOk(await again.call("GET", `/sessions/${id}/archive/verify`))).toMatchObject({ ok: true });
  await again.stop();
  await writeFile(join(to, "archive", `${id}.jsonl.zst`), "other bytes");
  const { exitCode, stdout } = await runCli(["restore", to, "--json"], { home: await newHome() });
  expect([exitCode, JSON.parse(stdout).error.code]).toEqual([1, "backup_invalid"]);
});

async function gc(daemon: TestDaemon, asked: Readonly<Record<string, unknown>>): Promise<Collected> {
  return expectOk(await daemon.call<Collected>("POST", "/api/gc", asked));
}

async function writeArtifact(id: string, path: string, content: string): Promise<void> {
  expectOk(await daemon.call("POST", `/sessions/${id}/artifacts`, { path, content }), 201);
}

async function endedSession(daemon: TestDaemon, prompt: string): Promise<string> {
  const { id } = await start(daemon);
  await turn(daemon, id, prompt);
  await kill(daemon, id);
  return id;
}

async function kill(daemon: TestDaemon, id: string): Promise<void> {
  expectOk(await daemon.call("POST", `/sessions/${id}/kill`, {}));
}

async function forkOf(daemon: TestDaemon, id: string): Promise<string> {
  return expectOk(await daemon.call<Session>("POST", `/sessions/${id}/fork`, {}), 201).id;
}

async function pathOf(daemon: TestDaemon, id: string): Promise<readonly Event[]> {
  return eventsOf(daemon, id, "view=path");
}

/** Of all erasable events: the stored data and sixteen bytes of salt each. */
function dataBytes(events: readonly Event[]): number {
  const erasable = /^(turn\.admitted|message\.|effect\.intended|effect\.output|approval\.requested|artifact\.|todo\.)/;
  return events
    .filter(({ type }) => erasable.test(type))
    .reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)) + 16, 0);
}
