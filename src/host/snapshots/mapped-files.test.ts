import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";
import { finish, treeAt } from "../../../test/support/rewinds.ts";
import { openObjects } from "./packs/objects.ts";
import { openSnapshotStore } from "./snapshot-store.ts";
import type { KnownTree } from "./walk/known-tree.ts";
import { walk } from "./walk/walk.ts";

const TMPFS = 0x01021994;
const isTmpfs = (folder: string): boolean =>
  statSync(folder, { throwIfNoEntry: false }) !== undefined && statfsSync(folder).type === TMPFS;

function setUp(around: string) {
  const folder = realpathSync(mkdtempSync(join(around, "nomos-mapped-")));
  const root = join(folder, "tree");
  mkdirSync(root);
  for (const name of ["db", "other"]) writeFileSync(join(root, name), Buffer.alloc(4096, "-"));
  return { root, folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Maps `db`, reads it and writes once, then once more for each line of input. */
async function startWriter(root: string) {
  const writer = spawn("python3", ["-c", WRITER], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  await once(writer.stdout, "data");
  const write = async (text: string) => {
    writer.stdin.write(`${text}\n`);
    await once(writer.stdout, "data");
  };
  const end = async () => {
    writer.stdin.end();
    await once(writer, "close");
  };
  return { write, end };
}

const WRITER = `import mmap, sys
f = open("db", "r+b"); m = mmap.mmap(f.fileno(), 0); m[0:4]; print("mapped", flush=True)
for line in sys.stdin:
  m[0:4] = line.strip().encode(); print("written", flush=True)`;

proves.skipIf(!needs("python3"))(
  "SN-2",
  "a file written through a mapping after a mid-turn snapshot is read again at the end of the turn",
  async () => {
    using scene = setUp(tmpdir());
    const store = openSnapshotStore(join(scene.folder, "store"));
    const take = (more = {}) => finish(store.take(treeAt(scene.root, more)));
    await sleep(100);
    await take();
    const writer = await startWriter(scene.root);
    await writer.write("ONE1");
    await sleep(100);
    const during = await take({ quietSinceMs: 0 });
    await writer.write("TWO2");
    await writer.end();
    const after = await take();
    expect(readFileSync(join(scene.root, "db"), "utf8").slice(0, 4)).toBe("TWO2");
    const { changes } = await finish(store.changes(during.id, after.id, 10));
    expect(changes).toMatchObject([{ path: "db", what: "changed" }]);
    store.close();
  },
);

proves.skipIf(!needs("python3") || !isTmpfs("/dev/shm"))(
  "SN-2",
  "on a memory file system, where a mapping leaves no trace, every file is read",
  async () => {
    using scene = setUp("/dev/shm");
    const store = openSnapshotStore(join(scene.folder, "store"));
    const take = () => finish(store.take(treeAt(scene.root)));
    await sleep(100);
    const before = await take();
    const writer = await startWriter(scene.root);
    await writer.write("ONE1");
    await writer.end();
    expect((await take()).id).not.toBe(before.id);
    store.close();
  },
);

/** The temp directory may be in memory, so look for one on a disk. */
const disk = [tmpdir(), "/var/tmp", homedir(), import.meta.dirname].find((path) => existsSync(path) && !isTmpfs(path));

proves(
  "SN-2",
  "a file changed after its last possible mapping is trusted, and trusted files stay trusted",
  async () => {
    using scene = setUp(disk ?? tmpdir());
    const objects = openObjects(join(scene.folder, "store"));
    const trustedIn = (known: KnownTree | null, quietSinceMs?: number) => {
      const batch = objects.batch();
      const buffer = Buffer.alloc(1_048_576);
      const options = { ...treeAt(scene.root), isLeftOut: () => false, known, batch, buffer, nowMs: Date.now() };
      const steps = walk(quietSinceMs === undefined ? options : { ...options, quietSinceMs });
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done !== true) continue;
        const { tree } = step.value;
        return { tree, trusted: tree.top.entries.filter(({ isTrusted }) => isTrusted).map(({ name }) => name) };
      }
    };
    await sleep(100);
    if (disk === undefined) return expect(trustedIn(null).trusted).toEqual([]);
    expect(trustedIn(null, Date.now() - 60_000).trusted).toEqual([]);
    expect(trustedIn(null, 0).trusted).toEqual([]);
    const { tree, trusted } = trustedIn(null);
    expect(trusted).toEqual(["db", "other"]);
    writeFileSync(join(scene.root, "db"), "new");
    expect(trustedIn(tree, 0).trusted).toEqual(["other"]);
    objects.close();
  },
);
