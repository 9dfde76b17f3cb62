import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";

import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { whenTestEnds } from "../support/test-end.ts";
import { readWorld } from "../support/world.ts";
import { eventually } from "./support/talk.ts";

interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly busy: boolean;
}
interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

async function ground(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-ground-")));
  whenTestEnds(() => rm(folder, { recursive: true, force: true }));
  const root = join(folder, "tree");
  mkdirSync(root);
  return root;
}

/** For what leaves the daemon as it was. */
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function spawnIn(daemon: TestDaemon, cwd: string): Promise<Session> {
  return (await daemon.call<Session>("POST", "/sessions/agent", { adapter: "demo", cwd })).body;
}

async function turn(daemon: TestDaemon, id: string, prompt: string): Promise<void> {
  const { body } = await daemon.call<{ turnId: string }>("POST", `/sessions/${id}/prompt`, { prompt });
  const over = await daemon.call("GET", `/sessions/${id}/wait?turnId=${body.turnId}&timeoutMs=30000`);
  expect(over.status, over.text).toBe(200);
}

async function events(daemon: TestDaemon, id: string): Promise<readonly Event[]> {
  return (await daemon.call<{ events: Event[] }>("GET", `/sessions/${id}/events?limit=1000`)).body.events;
}

proves.skipIf(!needs("bwrap"))(
  "SN-12",
  "a turn's snapshot is stored before the turn ends; a rewind restores head and files, and can be undone",
  async () => {
    const cwd = await ground();
    execFileSync("git", ["init", "-q", "-b", "main", cwd]);
    writeFileSync(join(cwd, "kept"), "by a person");
    const { id } = await spawnIn(daemon, cwd);
    const sessionFiles: (readonly string[])[] = [];
    for (const script of [
      "run echo one > a; mkdir -p d/empty; chmod 711 d",
      "run rm a; ln -s nowhere link; printf x > 'new\nline'\nwrite b.txt two",
      "run rm -rf d link b.txt; echo three > kept",
    ]) {
      await turn(daemon, id, script.replaceAll("'new\nline'", "odd"));
      sessionFiles.push(readWorld(cwd));
    }
    const all = await events(daemon, id);
    const ends = all.filter(({ type }) => type === "turn.ended@1");
    const taken = all.filter(({ type }) => type === "snapshot.taken@1");
    expect(taken.map(({ data }) => data["occasion"])).toEqual(["turn_start", "turn_end", "turn_end", "turn_end"]);
    for (const end of ends) expect(all[all.indexOf(end) - 1]?.type).toBe("snapshot.taken@1");

    for (const n of [0, 2, 1, 0, 2]) {
      const { status, text } = await daemon.call("POST", `/sessions/${id}/rewind`, { to: ends[n]?.id });
      expect(status, text).toBe(200);
      expect(readWorld(cwd)).toEqual(sessionFiles[n]);
    }
    const [opened] = all;
    expect((await daemon.call("POST", `/sessions/${id}/rewind`, { to: opened?.id })).status).toBe(200);
    expect(readFileSync(join(cwd, "kept"), "utf8")).toBe("by a person");
    expect(existsSync(join(cwd, "d"))).toBe(false);
    const settled = (await events(daemon, id)).filter(({ type }) => type === "restore.settled@1");
    expect(settled).toHaveLength(6);
    expect(settled.every(({ data }) => data["outcome"] === "restored")).toBe(true);
  },
);

proves.skipIf(!needs("bwrap"))(
  "SN-13",
  "a file that both sides changed is listed and left alone; with force it is saved first",
  async () => {
    const cwd = await ground();
    const { id } = await spawnIn(daemon, cwd);
    await turn(daemon, id, "write a one");
    await turn(daemon, id, "write a two");
    const [first] = (await events(daemon, id)).filter(({ type }) => type === "turn.ended@1");
    writeFileSync(join(cwd, "mine"), "a person's work");
    chmodSync(join(cwd, "a"), 0o600);
    const refused = await daemon.call<{ error: { code: string; details: { files: string[] } } }>(
      "POST",
      `/sessions/${id}/rewind`,
      { to: first?.id },
    );
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({ code: "files_of_others", details: { files: ["changed a"] } });
    expect(readFileSync(join(cwd, "a"), "utf8")).toBe("two");
    const forced = await daemon.call("POST", `/sessions/${id}/rewind`, { to: first?.id, force: true });
    expect(forced.status).toBe(200);
    expect(readFileSync(join(cwd, "a"), "utf8")).toBe("one");
    expect(readFileSync(join(cwd, "mine"), "utf8")).toBe("a person's work");
    const back = (await events(daemon, id)).findLast(({ data }) => data["occasion"] === "rewind");
    expect((await daemon.call("POST", `/sessions/${id}/rewind`, { to: back?.id })).status).toBe(200);
    expect(readFileSync(join(cwd, "a"), "utf8")).toBe("two");
    expect(statSync(join(cwd, "a")).mode & 0o777).toBe(0o600);
  },
);

proves.skipIf(!needs("bwrap"))("SN-14", "a fork works on its own files, as they were at its point", async () => {
  const cwd = await ground();
  const { id } = await spawnIn(daemon, cwd);
  await turn(daemon, id, "write a one");
  const before = readWorld(cwd);
  await turn(daemon, id, "write a two\nrun mkdir more");
  const [first] = (await events(daemon, id)).filter(({ type }) => type === "turn.ended@1");
  const { body: fork, status, text } = await daemon.call<Session>("POST", `/sessions/${id}/fork`, { at: first?.id });
  expect(status, text).toBe(201);
  expect(fork.cwd).not.toBe(cwd);
  expect(readWorld(fork.cwd)).toEqual(before);
  await turn(daemon, fork.id, "write a forked\nrun pwd > where");
  expect(readFileSync(join(cwd, "a"), "utf8")).toBe("two");
  expect(readFileSync(join(fork.cwd, "a"), "utf8")).toBe("forked");
  expect(readFileSync(join(fork.cwd, "where"), "utf8").trim()).toBe(fork.cwd);
  const shared = await daemon.call<Session>("POST", `/sessions/${id}/fork`, { talkOnly: true });
  expect(shared.body.cwd).toBe(cwd);
});

proves("SN-15", "a diff shows what a turn really changed, also through the shell", async () => {
  const cwd = await ground();
  writeFileSync(join(cwd, "old"), "1\n2\n3\n");
  const { id } = await spawnIn(daemon, cwd);
  await turn(daemon, id, "run sed -i s/2/two/ old; printf '\\\\0' > bytes; chmod 600 old");
  await turn(daemon, id, "say nothing");
  const { body } = await daemon.call<{ files: { path: string; change: string; diff: string | null }[] }>(
    "GET",
    `/sessions/${id}/diff?turn=1`,
  );
  expect(body.files.map(({ path, change }) => [path, change])).toEqual([
    ["bytes", "added"],
    ["old", "changed"],
  ]);
  expect(body.files[1]?.diff).toContain("-2\n+two");
  expect((await daemon.call<{ files: unknown[] }>("GET", `/sessions/${id}/diff`)).body.files).toEqual([]);
  expect((await daemon.call("GET", `/sessions/${id}/diff?turn=9`)).status).toBe(404);
  const shown = await daemon.cli("diff", id, "--turn", "1");
  expect(shown.stdout).toContain("diff --git a/old b/old\n");
  expect(shown.stdout).toContain("+two");
});

proves.skipIf(!needs("bwrap", "python3"))(
  "SN-2",
  "after a snapshot and a diff in mid-turn, writes through a mapping are still found at its end",
  async () => {
    const cwd = await ground();
    writeFileSync(join(cwd, "db"), Buffer.alloc(4096, "-"));
    writeFileSync(join(cwd, "writer.py"), WRITER);
    const { id } = await spawnIn(daemon, cwd);
    const running = turn(daemon, id, "run python3 writer.py");
    await eventually("the first write", async () => existsSync(join(cwd, "first")));
    // Older than the age below which files are never trusted.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await daemon.call("POST", `/sessions/${id}/snapshot`, {})).status).toBe(200);
    expect((await daemon.call("GET", `/sessions/${id}/diff`)).status).toBe(200);
    writeFileSync(join(cwd, "go"), "");
    await running;
    const end = (await events(daemon, id)).find(({ type }) => type === "turn.ended@1")?.id;
    writeFileSync(join(cwd, "db"), "lost");
    const { status, text } = await daemon.call("POST", `/sessions/${id}/rewind`, { to: end, force: true });
    expect(status, text).toBe(200);
    expect(readFileSync(join(cwd, "db"), "utf8").slice(0, 4)).toBe("TWO2");
  },
);

const WRITER = `import mmap, os, time
f = open("db", "r+b"); m = mmap.mmap(f.fileno(), 0)
m[0:4] = b"ONE1"; open("first", "w").close()
while not os.path.exists("go"): time.sleep(0.02)
m[0:4] = b"TWO2"`;

proves.skipIf(!needs("bwrap"))(
  "SN-16",
  "a directory too broad or too large gets no snapshot: said once, and a rewind of files is refused by name",
  async () => {
    const cwd = await ground();
    for (let n = 0; n < 20; n += 1) writeFileSync(join(cwd, `f${n}`), "x");
    const { id } = await spawnIn(daemon, cwd);
    await daemon.call("PUT", "/api/config", { config: { snapshotFilesMax: 10 } });
    await turn(daemon, id, "write a one");
    await turn(daemon, id, "write a two");
    await daemon.call("PUT", "/api/config", { config: { snapshotFilesMax: null } });
    const all = await events(daemon, id);
    const skipped = all.filter(({ type }) => type === "snapshot.skipped@1");
    expect(skipped.map(({ data }) => data["code"])).toEqual(["tree_too_large"]);
    const to = all.find(({ type }) => type === "turn.ended@1")?.id;
    const refused = await daemon.call<{ error: { code: string } }>("POST", `/sessions/${id}/rewind`, { to });
    expect([refused.status, refused.body.error.code]).toEqual([409, "files_not_kept"]);
    expect((await daemon.call("POST", `/sessions/${id}/rewind`, { to, talkOnly: true })).status).toBe(200);
    expect(readFileSync(join(cwd, "a"), "utf8")).toBe("two");
  },
);

proves("SN-16", "a missing or moved directory is reported, and turns go on", async () => {
  const cwd = await ground();
  const { id } = await spawnIn(daemon, cwd);
  await turn(daemon, id, "say hello");
  rmSync(cwd, { recursive: true });
  await turn(daemon, id, "say still here");
  symlinkSync("/tmp", cwd);
  await turn(daemon, id, "say and now");
  const codes = (await events(daemon, id)).flatMap(({ type, data }) =>
    type === "snapshot.skipped@1" ? [data["code"]] : [],
  );
  expect(codes).toEqual(["tree_missing", "tree_moved"]);
});

proves(
  "SN-16",
  "without bubblewrap snapshots are made but not restored: refused by name, with the remedy",
  async () => {
    const cwd = await ground();
    const daemon = await startDaemon({ env: { PATH: join(cwd, "no-programs") } });
    const { id } = await spawnIn(daemon, cwd);
    await turn(daemon, id, "write a one");
    await turn(daemon, id, "write a two");
    const to = (await events(daemon, id)).find(({ type }) => type === "turn.ended@1")?.id;
    const refused = await daemon.call<{ error: { code: string; remedy: string } }>("POST", `/sessions/${id}/rewind`, {
      to,
    });
    expect([refused.status, refused.body.error.code]).toEqual([501, "restore_unavailable"]);
    expect(refused.body.error.remedy).toContain("bubblewrap");
    expect(readFileSync(join(cwd, "a"), "utf8")).toBe("two");
    expect((await daemon.call<Session>("GET", `/sessions/${id}`)).body.busy).toBe(false);
    expect((await daemon.call("POST", `/sessions/${id}/fork`, {})).status).toBe(501);
    expect((await daemon.call("POST", `/sessions/${id}/fork`, { talkOnly: true })).status).toBe(201);
  },
);

proves("SN-10", "the doctor reports an unreadable pack, and turns go on", async () => {
  const cwd = await ground();
  const { id } = await spawnIn(daemon, cwd);
  await turn(daemon, id, "write a.txt one");
  expect((await daemon.cli("doctor")).stdout).toContain("nothing is missing");
  await daemon.stop();
  const packs = join(daemon.home, "snapshots/packs");
  for (const name of readdirSync(packs)) truncateSync(join(packs, name), 50);
  const next = await startDaemon({ home: daemon.home });
  const { exitCode, stdout } = await next.cli("doctor");
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("cannot be read") });
  await turn(next, id, "write b.txt two");
  expect(readFileSync(join(cwd, "b.txt"), "utf8")).toBe("two");
});
