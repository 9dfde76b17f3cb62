import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { hashData, headerText, SYSTEM_STREAM, systemFact } from "../../../src/domains/index.ts";
import { fact, Session } from "../../../src/kernel/index.ts";
import { HOUSE } from "../../../src/store/definitions.ts";
import { lockHome, logPath, openLogReader, openSqliteStore, type Store } from "../../../src/store/index.ts";
import { sha256 } from "../../../src/store/log/sha256.ts";
import { openForWriting, SCHEMA_VERSION } from "../../../src/store/sqlite/tables/schema.ts";
import { createWriter } from "../../../src/store/sqlite/writer/writer.ts";
import { proves } from "../../support/proves.ts";
import { appendTo, event, everyEvent, makeTestHome, newId, note, openSession } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";

const FOLLOWER = fileURLToPath(new URL("./log-follower.ts", import.meta.url));
const STARTER = fileURLToPath(new URL("./start-store.ts", import.meta.url));
const openAt = (home: string): Promise<Store> => openSqliteStore({ home, onFatal: throwOnFatal });

describe("several processes and one home", () => {
  proves(
    "LOG-6",
    "other processes tail the log while it is written: history, then live, no gap, no duplicate",
    async () => {
      await using home = await makeTestHome();
      const store = await openAt(home.path);
      const streams = await Promise.all(Array.from({ length: 4 }, () => openSession(store)));
      const rounds = 50;
      const until = streams.length * (rounds + 1);
      const followers = Array.from({ length: 3 }, () =>
        spawn(process.execPath, [FOLLOWER, logPath(home.path), String(until)], {
          stdio: ["ignore", "pipe", "inherit"],
        }),
      );
      const seen = followers.map((child) => text(child.stdout));
      for (let n = 0; n < rounds; n += 1)
        await Promise.all(streams.map((stream) => appendTo(store, stream, [note(n)])));
      for (const lines of await Promise.all(seen))
        expect(lines.trim().split("\n").map(Number)).toEqual(Array.from({ length: until }, (_, n) => n + 1));
      await store.close();
      const late = openLogReader(logPath(home.path));
      expect(late.readAll({ limit: 1000 }).events).toHaveLength(until);
      expect(late.readStream(streams[0] ?? "", { limit: 1000 }).events).toHaveLength(rounds + 1);
      late.close();
    },
  );

  proves(
    "LOG-17",
    "a second daemon on one home is refused, also in the same process; a killed one leaves no lock",
    async () => {
      await using home = await makeTestHome();
      const holder = spawn(process.execPath, [STARTER, home.path], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      expect(await firstLine(holder)).toBe("opened");
      const second = spawn(process.execPath, [STARTER, home.path], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      expect(await firstLine(second)).toBe("home_in_use");
      const lock = join(home.path, "lock");
      expect(() => lockHome(lock)).toThrow(expect.objectContaining({ code: "home_in_use" }));
      holder.kill("SIGKILL");
      await once(holder, "close");
      const held = lockHome(lock);
      expect(() => lockHome(lock)).toThrow(expect.objectContaining({ code: "home_in_use" }));
      held.release();
      lockHome(lock).release();
    },
  );

  proves(
    "LOG-3",
    "two stores on one log: the one with the older fence writes nothing, and the other has no gap",
    async () => {
      await using home = await makeTestHome();
      const [old, young] = [await openAt(home.path), await openAt(home.path)];
      const lease = (fence: number) =>
        systemFact("lease.acquired@1", { resource: "home", holder: String(fence), fence });
      await appendTo(old, SYSTEM_STREAM, [lease(1)], 1);
      const stream = await openSession(old, "calm-otter-01", 1);
      await appendTo(young, SYSTEM_STREAM, [lease(2)], 2);
      await expect(appendTo(old, stream, [note("late")], 1)).rejects.toMatchObject({ code: "stale_fence" });
      await appendTo(young, stream, [note(1), note(2)], 2);
      expect(await old.foldStream(stream)).toEqual(await young.foldStream(stream));
      await expect(appendTo(old, stream, [note("later")], 1)).rejects.toMatchObject({ code: "stale_fence" });
      await appendTo(young, await openSession(young, "calm-otter-02", 2), [note(3)], 2);
      expect((await everyEvent(young)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect((await young.verify()).ok).toBe(true);
      await old.close();
      await young.close();
    },
  );

  proves(
    "LOG-10",
    "a process with an old read transaction keeps erased bytes in the file, and the caller is told",
    async () => {
      await using home = await makeTestHome();
      const store = await openAt(home.path);
      const stream = await openSession(store);
      const [secret] = await appendTo(store, stream, [note("canary")]);
      const reader = spawn(process.execPath, ["-e", HOLDER, logPath(home.path)], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      expect(await firstLine(reader)).toBe("holding");
      const ids = [secret?.id ?? ""];
      const erasing = eraseNotes(store, stream, ids);
      await expect(erasing).rejects.toMatchObject({ code: "overloaded", details: { erased: ids } });
      expect(await store.event(ids[0] ?? "")).toMatchObject({ data: null });
      reader.stdin.end();
      await once(reader, "close");
      await eraseNotes(store, stream, ids);
      await store.close();
      expect(await contains(logPath(home.path), "canary")).toBe(false);
    },
    60_000,
  );
});

describe("unusual homes", () => {
  proves("LOG-21", "only the owner can read a home's files", async () => {
    await using home = await makeTestHome();
    const store = await openAt(join(home.path, "a", "b"));
    await openSession(store);
    await store.search("x", 1, Session);
    await store.putBlob(Buffer.from("x"));
    for (const name of ["log.db", "log.db-wal", "log.db-shm", "search.db"])
      expect((await stat(join(home.path, "a", "b", name))).mode & 0o077, name).toBe(0);
    expect((await stat(join(home.path, "a", "b"))).mode & 0o077).toBe(0);
    await store.close();
  });

  proves("LOG-21", "a home that cannot be written, or that is a file, is refused by name", async () => {
    await using home = await makeTestHome();
    await writeFile(join(home.path, "file"), "");
    await expect(openAt(join(home.path, "file"))).rejects.toMatchObject({ code: "store_read_only" });
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const shut = join(home.path, "shut");
    await chmod(home.path, 0o755);
    await mkdir(shut);
    await chmod(shut, 0o555);
    const child = spawn(process.execPath, [STARTER, shut], {
      stdio: ["pipe", "pipe", "inherit"],
      ...nobody,
    });
    expect(await firstLine(child)).toBe("store_read_only");
  });

  proves(
    "LOG-16",
    "a log of a newer version is refused, and a stream with an unknown event is not folded",
    async () => {
      await using home = await makeTestHome();
      const store = await openAt(home.path);
      const stream = await openSession(store);
      await store.close();
      await pragma(home.path, `PRAGMA user_version=${SCHEMA_VERSION + 1}`);
      await expect(openAt(home.path)).rejects.toMatchObject({
        code: "log_newer",
        details: { found: SCHEMA_VERSION + 1, known: SCHEMA_VERSION },
      });
      expect(() => openLogReader(logPath(home.path))).toThrow(expect.objectContaining({ code: "log_newer" }));
      await pragma(home.path, `PRAGMA user_version=${SCHEMA_VERSION}`);
      writeUnknown(home.path, stream, 2);
      const again = await openAt(home.path);
      const unknown = { code: "log_newer", details: { stream, version: 2, type: "session.teleported@1" } };
      expect(await everyEvent(again)).toMatchObject([{}, { type: "session.teleported@1", data: { to: "elsewhere" } }]);
      expect((await again.verify()).ok).toBe(true);
      await expect(again.foldStream(stream)).rejects.toMatchObject(unknown);
      await expect(appendTo(again, stream, [note(1)])).rejects.toMatchObject(unknown);
      await expect(again.rebuild(null)).rejects.toMatchObject(unknown);
      await appendTo(again, await openSession(again), [note("others go on")]);
      await again.close();
      writeUnknown(home.path, SYSTEM_STREAM, 1);
      await expect(openAt(home.path)).rejects.toMatchObject({ code: "log_newer", details: { stream: SYSTEM_STREAM } });
    },
  );

  proves("LOG-16", "another program's database is refused as a log", async () => {
    await using home = await makeTestHome();
    await pragma(home.path, "CREATE TABLE events(a)");
    await expect(openAt(home.path)).rejects.toMatchObject({ code: "log_corrupt" });
    await using other = await makeTestHome();
    await writeFile(
      logPath(other.path),
      "This is not a database at all, only some text that is long enough. ".repeat(100),
    );
    await expect(openAt(other.path)).rejects.toMatchObject({ code: "log_corrupt" });
    expect(() => openLogReader(logPath(other.path))).toThrow(expect.objectContaining({ code: "log_corrupt" }));
  });
});

const HOLDER = `
  const { DatabaseSync } = require("node:sqlite");
  const db = new DatabaseSync(process.argv[1], { readOnly: true });
  db.exec("BEGIN");
  db.prepare("SELECT count(*) FROM events").get();
  console.log("holding");
  process.stdin.on("end", () => process.exit(0)).resume();
`;

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("no standard output");
  for await (const chunk of child.stdout.setEncoding("utf8")) return String(chunk).trim();
  return "";
}

async function eraseNotes(store: Store, stream: string, ids: readonly string[]): Promise<void> {
  const said = fact("data.erased@1", { events: ids, reason: "asked for" });
  await store.erase(stream, ids, event(said), { fence: 0 });
}

async function contains(path: string, bytes: string): Promise<boolean> {
  return (await readFile(path)).includes(bytes);
}

async function pragma(home: string, statement: string): Promise<void> {
  const db = new DatabaseSync(logPath(home));
  db.exec(statement);
  db.close();
}

/** Like a later version: a correctly chained event of an unknown type. */
function writeUnknown(home: string, stream: string, version: number): void {
  const db = openForWriting(logPath(home));
  const type = "session.teleported@1";
  const [id, salt, data] = [newId(), Buffer.alloc(16, 7), JSON.stringify({ to: "elsewhere" })];
  const dataHash = hashData(sha256, salt, Buffer.from(data));
  const at = new Date().toISOString();
  const header = headerText({ id, stream, version, type, at, actor: "operator", cause: null, dataHash });
  const written = { id, type, header, salt: salt.toString("hex"), data, blobs: [], takesFence: null };
  const part = {
    stream,
    expectedVersion: version - 1,
    continues: null,
    account: stream,
    events: [written],
    rows: [],
    snapshot: null,
  };
  const request = {
    parts: [part],
    fence: 0,
    call: null,
    erase: null,
    repair: null,
    scrub: false,
    sweep: [],
    vacuumPages: 0,
    quota: null,
    expect: [],
    cursor: null,
  };
  expect(createWriter(db, join(home, "blobs"), HOUSE.lists).commit([request])).toMatchObject([{ ok: [{}] }]);
  db.close();
}
