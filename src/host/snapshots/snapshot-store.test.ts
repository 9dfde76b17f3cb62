import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";
import { finish, treeAt } from "../../../test/support/rewinds.ts";
import { readWorld } from "../../../test/support/world.ts";
import { openSnapshotStore, type SnapshotStore } from "./snapshot-store.ts";

let folder = "";
let root = "";
let store: SnapshotStore;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "nomos-snapshots-")));
  root = join(folder, "tree");
  mkdirSync(root);
  store = openSnapshotStore(join(folder, "store"));
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const take = (more = {}) => finish(store.take(treeAt(root, more)));
const restore = (to: string, more = {}) => finish(store.restore(treeAt(root, more), to, "bwrap"));
const at = (path: string): string => join(root, path);

proves.skipIf(!needs("bwrap"))(
  "SN-1",
  "modes, links, empty folders, nested repositories and odd names are restored as they were",
  async () => {
    mkdirSync(at("empty"));
    mkdirSync(at("closed"), { mode: 0o700 });
    writeFileSync(at("closed/in"), "x");
    chmodSync(at("closed"), 0o511);
    writeFileSync(at("set-uid"), "#!");
    chmodSync(at("set-uid"), 0o6711);
    writeFileSync(at("none"), "secret");
    chmodSync(at("none"), 0o000);
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0x0a, 0xfe])]), "odd");
    writeFileSync(at("Case"), "1");
    writeFileSync(at("case"), "2");
    const outside = join(folder, "outside");
    writeFileSync(outside, "theirs");
    symlinkSync(outside, at("out"));
    symlinkSync("nowhere", at("dangling"));
    writeFileSync(at("one"), "same");
    linkSync(at("one"), at("two"));
    execFileSync("git", ["init", "-q", at("nested")]);
    execFileSync("mkfifo", [at("pipe")]);
    const before = readWorld(root);
    const { id, special } = await take();
    expect(special).toEqual(["pipe"]);
    for (const name of readdirSync(root)) rmSync(at(name), { recursive: true, force: true });
    rmSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0x0a, 0xfe])]), { force: true });
    writeFileSync(at("empty"), "now a file");
    chmodSync(root, 0o700);
    await restore(id);
    expect(readWorld(root)).toEqual(before);
    expect(readFileSync(outside, "utf8")).toBe("theirs");
  },
);

proves("SN-2", "an unchanged file is not read again; one changed in place at once is", async () => {
  writeFileSync(at("a"), "one");
  const first = await take();
  writeFileSync(at("a"), "two");
  const second = await take();
  expect(second.id).not.toBe(first.id);
  utimesSync(at("a"), 1000, 1000);
  writeFileSync(at("a"), "six");
  utimesSync(at("a"), 1000, 1000);
  const third = await take();
  expect(third.id).not.toBe(second.id);
  expect((await take()).storedBytes).toBe(0);
});

proves.skipIf(!needs("bwrap"))("SN-3", "files left out by a rule are listed, and no restore touches them", async () => {
  const rule = { leaveOut: ["node_modules", "/build/*.o"] };
  writeFileSync(at("kept"), "1");
  const before = await take(rule);
  mkdirSync(at("pkg/node_modules"), { recursive: true });
  writeFileSync(at("pkg/node_modules/m.js"), "dependency");
  mkdirSync(at("build"));
  writeFileSync(at("build/a.o"), "object");
  writeFileSync(at("build/a.c"), "source");
  const after = await take(rule);
  expect(after.leftOut).toEqual([
    { path: "build/a.o", why: "rule" },
    { path: "pkg/node_modules", why: "rule" },
  ]);
  const { notRestored } = await restore(before.id, rule);
  expect(readFileSync(at("pkg/node_modules/m.js"), "utf8")).toBe("dependency");
  expect(readFileSync(at("build/a.o"), "utf8")).toBe("object");
  expect(readdirSync(at("build"))).toEqual(["a.o"]);
  expect(notRestored.toSorted()).toEqual(["build", "pkg"]);
});

proves.skipIf(!needs("bwrap"))(
  "SN-4",
  "a restore writes through no hard or symbolic link, and only into the folder it opened",
  async () => {
    const outside = join(folder, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "file"), "theirs");
    mkdirSync(at("d"));
    writeFileSync(at("d/file"), "ours");
    writeFileSync(at("hard"), "ours");
    const { id } = await take();
    rmSync(at("d"), { recursive: true });
    symlinkSync(outside, at("d"));
    rmSync(at("hard"));
    linkSync(join(outside, "file"), at("hard"));
    chmodSync(at("hard"), 0o640);
    await restore(id);
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("theirs");
    expect(readFileSync(at("d/file"), "utf8")).toBe("ours");
    expect(lstatSync(at("d")).isDirectory()).toBe(true);
    renameSync(root, join(folder, "moved"));
    symlinkSync(outside, root);
    await expect(restore(id)).rejects.toMatchObject({ code: "tree_moved" });
    await expect(take()).rejects.toMatchObject({ code: "tree_moved" });
    rmSync(root);
    await expect(take()).rejects.toMatchObject({ code: "tree_missing" });
  },
);

proves("SN-4", "a folder swapped for a link again and again: no outside file gets into the snapshot", async () => {
  const outside = join(folder, "outside");
  mkdirSync(join(outside, "deep"), { recursive: true });
  for (let n = 0; n < 40; n += 1) writeFileSync(join(outside, `secret-${n}`), `TOP SECRET ${n}`);
  mkdirSync(at("d"));
  for (let n = 0; n < 40; n += 1) writeFileSync(at(`d/secret-${n}`), "public");
  const swapper = spawn("sh", ["-c", SWAP], { cwd: root, stdio: "ignore" });
  let unsettled = 0;
  const listings: string[] = [];
  for (let n = 0; n < 60; n += 1) {
    const taken = await take();
    unsettled += taken.unsettled.length;
    const files = await finish(store.diff(null, taken.id, { filesMax: 1000, bytesMax: 1_000_000 }));
    listings.push(...files.map(({ diff }) => diff ?? ""));
  }
  swapper.kill("SIGKILL");
  await once(swapper, "close");
  expect(listings.length).toBeGreaterThan(60);
  expect(listings.join("")).not.toContain("TOP SECRET");
  expect(unsettled).toBeGreaterThanOrEqual(0);
});

const SWAP = "while :; do mv d was; ln -s ../outside d; rm d; mv was d; done 2>/dev/null";

proves("SN-6", "a tree that changes while it is read: the unsettled files are named", async () => {
  const writer = spawn("sh", ["-c", "while :; do date +%N >> busy; done"], { cwd: root, stdio: "ignore" });
  writeFileSync(at("busy"), Buffer.alloc(3_000_000, "x"));
  let told = 0;
  // On a busy machine the writer may wait, so repeat until a write falls into a walk.
  for (let n = 0; n < 2000 && told === 0; n += 1) told += (await take()).unsettled.includes("busy") ? 1 : 0;
  writer.kill("SIGKILL");
  await once(writer, "close");
  expect(told).toBeGreaterThan(0);
  expect((await take()).unsettled).toEqual([]);
});

proves.skipIf(!needs("bwrap"))(
  "SN-7",
  "a large file is stored in pieces, a change in it costs one piece, and holes stay holes",
  async () => {
    writeFileSync(at("large"), Buffer.alloc(5_000_000, "abcdefg"));
    appendFileSync(at("large"), Buffer.from(Array.from({ length: 100_000 }, (_, n) => (n * 7919) % 251)));
    writeFileSync(at("sparse"), "");
    truncateSync(at("sparse"), 300_000_000);
    appendFileSync(at("sparse"), "end");
    const before = readWorld(root);
    const first = await take();
    expect(first.bytes).toBeGreaterThan(305_000_000);
    expect(first.storedBytes).toBeLessThan(1_000_000);
    appendFileSync(at("large"), "more");
    const second = await take();
    expect(second.storedBytes).toBeLessThan(300_000);
    rmSync(at("sparse"));
    await restore(first.id);
    expect(readWorld(root)).toEqual(before);
    expect(statSync(at("sparse")).blocks * 512).toBeLessThan(10_000_000);
  },
);

proves(
  "SN-24",
  "a restore or a fork beyond the bounds is refused, and leaves the tree as it is and no directory",
  async () => {
    for (let n = 0; n < 30; n += 1) writeFileSync(at(`f${n}`), "before");
    const { id } = await take();
    for (let n = 0; n < 30; n += 1) rmSync(at(`f${n}`));
    writeFileSync(at("now"), "now");
    const refusal = { code: "tree_too_large", details: { limit: "snapshotFilesMax", max: 20 } };
    await expect(restore(id, { filesMax: 20 })).rejects.toMatchObject(refusal);
    expect(readdirSync(root)).toEqual(["now"]);
    const fork = join(folder, "fork");
    await expect(finish(store.grow(treeAt(fork, { filesMax: 20 }), id, "bwrap"))).rejects.toMatchObject(refusal);
    expect(existsSync(fork)).toBe(false);
  },
);

proves("SN-8", "a tree beyond the bounds is refused as that, and costs no more than finding it out", async () => {
  for (let n = 0; n < 30; n += 1) writeFileSync(at(`f${n}`), Buffer.alloc(1000, String(n)));
  await expect(take({ filesMax: 20 })).rejects.toMatchObject({
    code: "tree_too_large",
    details: { limit: "snapshotFilesMax", max: 20 },
  });
  await expect(take({ bytesMax: 20_000 })).rejects.toMatchObject({
    code: "tree_too_large",
    details: { limit: "snapshotBytesMax", max: 20_000 },
  });
  expect(readdirSync(join(folder, "store/packs"))).toEqual([]);
  expect(readdirSync(join(folder, "store/tmp"))).toEqual([]);
  expect((await take()).files).toBe(30);
});

proves("SN-9", "objects that no snapshot needs are removed, needed ones stay, and small packs are merged", async () => {
  const ids: string[] = [];
  for (let n = 0; n < 40; n += 1) {
    writeFileSync(at("f"), Buffer.from(Array.from({ length: 20_000 }, (_, k) => (k * n * 31) % 253)));
    ids.push((await take()).id);
  }
  expect(store.status().packs).toBe(40);
  await finish(store.tidy());
  expect(store.status().packs).toBe(1);
  store.close();
  store = openSnapshotStore(join(folder, "store"));
  const kept = ids.slice(-3);
  const before = store.status().bytes;
  const planned = await finish(store.sweep(kept, true));
  expect(store.status().bytes).toBe(before);
  const swept = await finish(store.sweep(kept, false));
  expect(swept).toMatchObject({ broken: [], objects: planned.objects });
  expect(store.status().bytes).toBeLessThan(before / 4);
  for (const id of kept) expect((await finish(store.changes(null, id, 10))).changes).toHaveLength(1);
  await expect(finish(store.changes(null, ids[0] ?? "", 10))).rejects.toMatchObject({ code: "snapshot_missing" });
  expect((await take()).id).toBe(ids.at(-1));
});

proves("SN-10", "a damaged pack is never read as valid, and the next snapshot stores its objects again", async () => {
  writeFileSync(at("f"), Buffer.from(Array.from({ length: 5000 }, (_, k) => (k * 31) % 253)));
  const { id } = await take();
  store.close();
  const [pack = ""] = readdirSync(join(folder, "store/packs"));
  const path = join(folder, "store/packs", pack);
  const whole = readFileSync(path);
  for (let bit = 0; bit < 60; bit += 1) {
    const bytes = Buffer.from(whole);
    const place = Math.floor((bit / 60) * bytes.length);
    bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << (bit % 8)), place);
    writeFileSync(path, bytes);
    store = openSnapshotStore(join(folder, "store"));
    await finish(store.diff(null, id, { filesMax: 10, bytesMax: 1000 })).then(
      (files) => expect(files.map((one) => one.path)).toEqual(["f"]),
      (error: unknown) => expect(error).toMatchObject({ name: "SnapshotError" }),
    );
    store.close();
  }
  writeFileSync(path, whole.subarray(0, 100));
  store = openSnapshotStore(join(folder, "store"));
  expect(store.status().damaged).toEqual([path]);
  expect((await take()).id).toBe(id);
  expect(await finish(store.check([id]))).toMatchObject({ broken: [], gone: 0, missing: 0 });
});

proves("SN-10", "a check lists what a damaged pack lost, and nothing is removed until it is repaired", async () => {
  writeFileSync(at("f"), "old");
  const first = await take();
  const [lost = ""] = readdirSync(join(folder, "store/packs"));
  writeFileSync(at("f"), "new");
  writeFileSync(at("g"), "more");
  const second = await take();
  expect(await finish(store.check([first.id, second.id]))).toMatchObject({ damaged: [], broken: [], missing: 0 });
  const before = readdirSync(join(folder, "store/packs"));
  store.close();
  const path = join(folder, "store/packs", lost);
  truncateSync(path, 100);
  store = openSnapshotStore(join(folder, "store"));
  expect(await finish(store.check([first.id, second.id]))).toMatchObject({ damaged: [path], gone: 1 });
  expect((await finish(store.sweep([first.id], false))).gone).toEqual([first.id]);
  expect(await finish(store.check([second.id]))).toMatchObject({ broken: [], missing: 0 });
  expect(readdirSync(join(folder, "store/packs"))).toEqual(before);
});

proves("SN-6", "sockets and fifos are listed by kind, and do not block", async () => {
  const server = createServer().listen(at("sock"));
  await once(server, "listening");
  spawnSync("mkfifo", [at("pipe")]);
  const taken = await take();
  expect(taken.special).toEqual(["pipe", "sock"]);
  server.close();
  await once(server, "close");
});

proves("SN-11", "only the owner can read the snapshot store", async () => {
  writeFileSync(at("f"), "x");
  await take();
  const modes = ["", "packs", "tmp", "known"].map((name) => statSync(join(folder, "store", name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o700, 0o700, 0o700]);
  for (const pack of readdirSync(join(folder, "store/packs")))
    expect(statSync(join(folder, "store/packs", pack)).mode & 0o777).toBe(0o600);
});

test("a diff shows text as text, and says why other files have no diff", async () => {
  writeFileSync(at("text"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  writeFileSync(at("bytes"), Buffer.from([0, 1, 2]));
  writeFileSync(at("mode"), "x");
  const { id } = await take();
  writeFileSync(at("text"), "1\n2\nthree\n4\n5\n6\n7\n8\n9\nten");
  writeFileSync(at("bytes"), Buffer.from([0, 1, 3]));
  chmodSync(at("mode"), 0o755);
  writeFileSync(at("new"), "hello\n");
  const now = await take();
  const files = await finish(store.diff(id, now.id, { filesMax: 100, bytesMax: 100_000 }));
  expect(files.map(({ path, change, noDiff }) => [path, change, noDiff])).toEqual([
    ["bytes", "changed", "binary"],
    ["mode", "mode", "no content"],
    ["new", "added", null],
    ["text", "changed", null],
  ]);
  expect(files[2]?.diff).toBe("--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+hello\n");
  expect(files[3]?.diff).toBe(
    "--- a/text\n+++ b/text\n@@ -1,9 +1,10 @@\n 1\n 2\n-3\n+three\n 4\n 5\n 6\n 7\n 8\n 9\n+ten\n\\ No newline at end of file\n",
  );
});
