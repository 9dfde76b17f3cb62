import { createHash, randomBytes } from "node:crypto";
import { appendFile, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync, zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { newHome, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { openPty } from "../../support/pty.ts";
import { verdictOf } from "../../support/verifier.ts";
import {
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  expectSound,
  newFolder,
  PATIENCE,
  pendingOf,
  start,
  turn,
} from "../support/talk.ts";

vi.setConfig(PATIENCE);

interface Report {
  readonly count: number;
  readonly looked: { readonly events: number; readonly blobs: number; readonly files: number };
  readonly secrets: readonly {
    readonly kind: string;
    readonly fingerprint: string;
    readonly events: number;
    readonly erasable: number;
    readonly sessions: readonly string[];
    readonly files: number;
  }[];
  readonly places: readonly {
    readonly seq: number;
    readonly eventId: string;
    readonly where: string;
    readonly stream: string;
    readonly erased: boolean;
  }[];
  readonly next: number | null;
  readonly files: readonly { readonly what: string; readonly path: string }[];
  readonly unread: readonly { readonly as: string; readonly count: number; readonly names: readonly string[] }[];
  readonly erased: { readonly events: number };
  readonly left: readonly { readonly stream: string; readonly code: string }[];
}

/** Made at run time, so that no file of the repository holds it. */
const canary = (): string => `fake-${randomBytes(12).toString("hex")}`;

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const scan = async (body: object, on = daemon): Promise<Report> =>
  expectOk(await on.call<Report>("POST", "/api/secrets/scan", body));
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const seal = async (value: string, on = daemon): Promise<string> => {
  const name = `S_${randomBytes(6).toString("hex")}`;
  return expectOk(await on.call<{ fingerprint: string }>("POST", "/api/secrets", { name, value }), 201).fingerprint;
};

/** Every file below a folder that holds the text; blobs are unpacked. */
async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    // A side file of the database may go at any moment.
    const bytes = await stat(path)
      .then((at) => (at.isFile() ? readFile(path) : null))
      .catch(() => null);
    const plain = bytes !== null && name.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes;
    if (plain?.includes(text) === true) found.push(name);
  }
  return found;
}

/** Names, contents and times of everything in a folder. */
async function printOf(folder: string): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(folder, { recursive: true })).toSorted()) {
    const at = await stat(join(folder, name));
    hash.update(`${name} ${at.mtimeMs} ${at.isFile() ? (await readFile(join(folder, name))).toString("hex") : ""}\n`);
  }
  return hash.digest("hex");
}

proves(
  "SCAN-1",
  "a value set after it was written is found in log, blobs, archive, backup, exports and daemon log, and erased",
  async () => {
    const value = canary();
    const { id } = await start(daemon, { label: "plain" });
    await turn(daemon, id, `say ${value}\nrun head -c 90000 /dev/urandom | base64; echo ${value}`);
    const packed = { path: "a.gz", content: gzipSync(value).toString("base64"), encoding: "base64" };
    expectOk(await daemon.call("POST", `/sessions/${id}/artifacts`, packed), 201);
    const old = await start(daemon);
    await turn(daemon, old.id, `say ${value}`);
    expectOk(await daemon.call("POST", `/sessions/${old.id}/kill`));
    expectOk(await daemon.call("POST", "/api/gc", { maxAgeDays: 0 }));
    const backup = join(await newFolder(), "backup");
    expectOk(await daemon.call("POST", "/api/backup", { to: backup }));
    for (const name of ["folder", "one.tar"])
      expectOk(await daemon.call("POST", "/api/audit/export", { to: join(daemon.home, "exports", name) }));
    const planted = join(daemon.home, "logs", "daemon.log.4");
    await writeFile(planted, `{"message":"${value}"}\n`);
    const before = await eventsOf(daemon, id);
    const backupBefore = await printOf(backup);

    const fingerprint = await seal(value);
    const answer = await daemon.call<Report>("POST", "/api/secrets/scan", { all: true });
    const seen = expectOk(answer);
    expect(answer.text).not.toContain(value);
    expect(seen.secrets).toMatchObject([{ kind: "vault", fingerprint, sessions: [id] }]);
    expect(seen.secrets[0]?.erasable).toBe(seen.secrets[0]?.events);
    expect(new Set(seen.places.map(({ where }) => where))).toEqual(new Set(["data", "blob"]));
    expect(seen.places.every(({ stream, erased }) => stream === `session/${id}` && !erased)).toBe(true);
    expect(seen.files.map(({ what }) => what).toSorted()).toEqual([
      "archive",
      "backup",
      "daemon-log",
      "export",
      "export",
    ]);
    // In the log, in the backup and in two exports.
    expect(seen.unread).toMatchObject([{ as: "gzip", count: 4 }]);
    expect(await printOf(backup)).toBe(backupBefore);

    const pages: string[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: Report = await scan({ session: id, limit: 1, after });
      pages.push(...page.places.map(({ eventId }) => eventId));
      after = page.next;
    }
    expect(new Set(pages)).toEqual(new Set(seen.places.map(({ eventId }) => eventId)));

    const done = await daemon.cli("secret", "scan", "--all", "--erase");
    expect([done.exitCode, done.stdout]).toEqual([0, expect.stringMatching(/Erased the data of \d+ events/)]);
    expect(done.stdout).toContain(`backup ${backup}`);
    expect(done.stdout).not.toContain(value);
    expect(await scan({ session: id })).toMatchObject({ count: 0, secrets: [] });
    expect(await printOf(backup)).toBe(backupBefore);
    for (const { path } of seen.files) await rm(path, { recursive: true });
    expect(await scan({ all: true })).toMatchObject({ count: 0, secrets: [], files: [] });
    expect(await filesWith(daemon.home, value)).toEqual([]);

    const after = await eventsOf(daemon, id);
    expect(after.slice(0, before.length).map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
    const gone = after.find(({ data }) => data === null);
    expectOk(await daemon.call("GET", `/api/audit/proof/${gone?.id}`));
    expect(expectOk(await daemon.call("GET", "/api/audit/verify"))).toMatchObject({ ok: true, problems: [] });
    await expectSound(daemon);
    const bundle = join(await newFolder(), "bundle");
    expectOk(await daemon.call("POST", "/api/audit/export", { to: bundle }));
    expect(await verdictOf(bundle, "--key", join(daemon.home, "keys/key.pub"))).toMatchObject({ ok: true });
  },
);

proves("SCAN-2", "what cannot be erased is named: a session in a turn, a label, a damaged archive", async () => {
  const value = canary();
  const { id } = await start(daemon, { label: value });
  await turn(daemon, id, `say ${value}`);
  const busy = await start(daemon);
  await turn(daemon, busy.id, `say ${value}`);
  expectOk(await daemon.call("POST", `/sessions/${busy.id}/prompt`, { prompt: "ask go on?" }));
  const { id: question } = await pendingOf(daemon, busy.id);
  const torn = join(daemon.home, "archive", `${id}.jsonl.zst`);
  await appendFile(torn, "no archive");
  await seal(value);

  const done = await scan({ erase: true });
  expect(done.left).toMatchObject([{ stream: `session/${busy.id}`, code: "session_busy" }]);
  expect(done.erased.events).toBeGreaterThan(0);
  expect(done.unread).toContainEqual({ as: "archive_invalid", count: 1, names: [torn] });
  expectOk(await daemon.call("POST", `/api/approvals/${question}/approve`, {}));
  await eventually("the end of the turn", async () => (await scan({ erase: true })).left.length === 0);
  const rest = await scan({});
  // The label was given at birth, in an event that holds the session together.
  expect(rest.secrets.map(({ events, erasable, sessions }) => [events, erasable, sessions])).toEqual([[1, 0, [id]]]);
  await rm(torn);
});

proves("SCAN-2", "on a terminal a person is asked before anything is erased", async () => {
  const value = canary();
  const { id } = await start(daemon);
  await turn(daemon, id, `say ${value}`);
  await seal(value);
  const ask = { home: daemon.home, cwd: await newFolder(), args: ["secret", "scan", "--session", id, "--erase"] };
  const [no, yes] = [openPty(ask), openPty(ask)];
  await no.until(/Erase it\? \[y\/N\]/);
  no.press("enter");
  expect(await no.exited).toBe(2);
  expect((await scan({ session: id })).count).toBeGreaterThan(0);
  await yes.until(/Erase it\? \[y\/N\]/);
  yes.type("y");
  expect(await yes.exited).toBe(0);
  expect(yes.raw()).toContain("Erased the data of");
  expect(await scan({ session: id })).toMatchObject({ count: 0 });
});

proves("SCAN-3", "only the operator scans everything; a token finds nothing of sessions it may not read", async () => {
  const value = canary();
  const [mine, other] = [await start(daemon), await start(daemon)];
  for (const { id } of [mine, other]) await turn(daemon, id, `say ${value}`);
  await seal(value);
  const token = async (capabilities: readonly string[], more: object = {}): Promise<string> =>
    expectOk(await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities, ...more }), 201).secret;
  const ask = (secret: string, body: object) => daemon.call<Report>("POST", "/api/secrets/scan", body, bearer(secret));

  const reader = await token(["secret.scan", "session.read"]);
  expectRefusal(await ask(reader, { all: true }), 403, "denied");
  const read = expectOk(await ask(reader, { erase: true }));
  expect(read.erased.events).toBe(0);
  expect(read.secrets.some(({ sessions }) => sessions.includes(mine.id) && sessions.includes(other.id))).toBe(true);
  const blind = await token(["secret.scan"]);
  expect(expectOk(await ask(blind, {}))).toMatchObject({ count: 0, looked: { events: 0, files: 0 } });
  expectRefusal(await ask(blind, { session: mine.id }), 404, "session_not_found");
  expectRefusal(await ask(await token(["session.read"]), {}), 403, "denied");
  const own = await token(["secret.scan", "session.read"], { sessionId: mine.id });
  const found = expectOk(await ask(own, { session: mine.id }));
  expect(found.secrets.map(({ sessions }) => sessions)).toEqual([[mine.id]]);
  expect((await ask(own, { session: other.id })).status).toBeGreaterThanOrEqual(403);
  await scan({ erase: true });
});

proves("SCAN-4", "killed while it erases, a second run erases the rest; the log is sound", async () => {
  const home = await newHome();
  const first = await startDaemon({ home });
  const value = canary();
  const ids = await Promise.all(
    Array.from({ length: 24 }, async () => {
      const opened = await first.call<{ id: string }>("POST", "/sessions/external", { pid: process.pid });
      const { id } = expectOk(opened, 201);
      const events = [{ type: "note", payload: { text: value } }];
      expectOk(await first.call("POST", `/sessions/${id}/events`, { events }), 201);
      return id;
    }),
  );
  await seal(value, first);
  const cut = first.call("POST", "/api/secrets/scan", { all: true, erase: true }).catch(() => null);
  const erased = async (on: TestDaemon) => {
    const all = await Promise.all(ids.map((id) => eventsOf(on, id, "types=data.erased")));
    return all.filter((events) => events.length > 0).length;
  };
  await eventually("the first erasure", async () => (await erased(first)) > 0);
  await first.kill9();
  await cut;
  const second = await startDaemon({ home });
  const soFar = await erased(second);
  expect(soFar).toBeGreaterThan(0);
  expect(await scan({ all: true, erase: true }, second)).toMatchObject({ left: [] });
  expect(await erased(second)).toBe(ids.length);
  expect(await scan({ all: true }, second)).toMatchObject({ count: 0 });
  expect(await filesWith(home, value)).toEqual([]);
  expect(expectOk(await second.call("GET", "/api/audit/verify"))).toMatchObject({ ok: true, problems: [] });
});
