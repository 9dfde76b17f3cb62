import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { needs } from "../../../../test/support/needs.ts";
import { proves } from "../../../../test/support/proves.ts";
import { finish, treeAt } from "../../../../test/support/rewinds.ts";
import { readWorld } from "../../../../test/support/world.ts";
import { openSnapshotStore, type SnapshotStore } from "../snapshot-store.ts";

const LARGE = 200_000;
const MB = 1_048_576;
let folder = "";
let root = "";
let store: SnapshotStore;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "nomos-seed-")));
  root = join(folder, "tree");
  mkdirSync(join(root, "inner", "deep"), { recursive: true });
  store = openSnapshotStore(join(folder, "store"));
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = (path: string): string => join(root, path);
const large = (letter: string, bytes = LARGE): Buffer => Buffer.alloc(bytes, letter);

function plant(): void {
  writeFileSync(at("small"), "s");
  for (const name of ["kept", "changed", "gone", "linked", "inner/deep/kept", "inner/replaced"])
    writeFileSync(at(name), large(name));
  writeFileSync(at("huge"), large("h", 3 * MB + 5));
  writeFileSync(at("program"), large("p"), { mode: 0o751 });
  chmodSync(at("inner/deep"), 0o511);
  linkSync(at("linked"), at("linked-too"));
  symlinkSync("kept", at("to-kept"));
  writeFileSync(at("sparse"), large("x", MB));
  truncateSync(at("sparse"), 50 * MB);
}

proves.skipIf(!needs("bwrap"))(
  "SN-1",
  "a fork that takes large files from its parent's tree has the files of the point, whatever the parent has now",
  async () => {
    plant();
    const { id, bytes } = await finish(store.take(treeAt(root)));
    const before = readWorld(root);
    const outside = join(folder, "outside");
    mkdirSync(join(outside, "deep"), { recursive: true });
    writeFileSync(join(outside, "secret"), large("!"));
    writeFileSync(join(outside, "deep", "kept"), large("!"));
    // The same size each time, so that only the contents show it.
    writeFileSync(at("changed"), large("C"));
    rmSync(at("gone"));
    rmSync(at("inner/replaced"));
    symlinkSync(join(outside, "secret"), at("inner/replaced"));
    const told: [number, number | null][] = [];
    const fork = (name: string) =>
      finish(store.grow(treeAt(join(folder, name)), id, "bwrap", { from: root }, (...one) => told.push(one)));
    await fork("fork");
    expect(readWorld(join(folder, "fork"))).toEqual(before);
    expect(statSync(join(folder, "fork", "sparse")).blocks * 512).toBeLessThan(3 * MB);
    expect(told.length).toBeGreaterThan(0);
    expect(told.map(([done]) => done)).toEqual(told.map(([done]) => done).toSorted((a, b) => a - b));
    expect(told.every(([done, of]) => of === bytes && done <= bytes)).toBe(true);

    chmodSync(at("inner/deep"), 0o700);
    renameSync(at("inner"), join(folder, "moved"));
    symlinkSync(outside, at("inner"));
    await fork("second");
    expect(readWorld(join(folder, "second"))).toEqual(before);

    renameSync(root, join(folder, "away"));
    await fork("third");
    expect(readWorld(join(folder, "third"))).toEqual(before);
  },
);

proves.skipIf(!needs("bwrap"))(
  "SN-1",
  "a write to the parent's file does not reach the fork, and the other way round",
  async () => {
    writeFileSync(at("kept"), large("k"));
    const { id } = await finish(store.take(treeAt(root)));
    await finish(store.grow(treeAt(join(folder, "fork")), id, "bwrap", { from: root }));
    const before = readWorld(join(folder, "fork"));
    expect(statSync(at("kept")).ino).not.toBe(statSync(join(folder, "fork", "kept")).ino);
    writeFileSync(at("kept"), "theirs", { flag: "r+" });
    expect(readWorld(join(folder, "fork"))).toEqual(before);
    const parent = readWorld(root);
    writeFileSync(join(folder, "fork", "kept"), "mine", { flag: "r+" });
    expect(readWorld(root)).toEqual(parent);
  },
);
